// compiler.c - the compiler of the asynchronous plugin: translates TTIR, which
// the host parses, to the program that the devices interpret.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "asynchronous.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state;
  (void)call;
  *out_score =
      is_equal(target->backend, "asynchronous") &&
              (!target->arch.size || find_arch(target->arch) < DEVICE_COUNT)
          ? 100
          : 0;
  return NEREID_OK;
}

// [options]
// ---------------------------------------------------------------- options
static const nereid_option_t option_table[] = {
    {.struct_size = sizeof(nereid_option_t),
     .type = NEREID_TYPE_I64,
     .name = TEXT("num_warps"),
     .doc = TEXT("warps that run one program"),
     .default_value = TEXT("4"),
     .minimum = 1,
     .maximum = 8},
    {.struct_size = sizeof(nereid_option_t),
     .type = NEREID_TYPE_BOOL,
     .name = TEXT("debug"),
     .doc = TEXT("check the assertions of kernels"),
     .default_value = TEXT("false")},
};

static nereid_status_t visit_options(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_option_sink_t *sink,
                                     const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)call;
  nereid_status_t status = sink->add(sink, &option_table[0]);
  return status == NEREID_OK ? sink->add(sink, &option_table[1]) : status;
}

static nereid_status_t set_option(nereid_options_t *options,
                                  const nereid_value_t *value,
                                  const nereid_call_t *call) {
  if (is_equal(value->name, "num_warps")) {
    if (value->type != NEREID_TYPE_I64 || value->i64 < 1 || value->i64 > 8)
      return fail(call, NEREID_INVALID_ARGUMENT,
                  "option 'num_warps' is %" PRId64 ", expected an i64, 1 to 8",
                  value->i64);
    options->warps = (uint32_t)value->i64;
    return NEREID_OK;
  }
  if (is_equal(value->name, "debug")) {
    if (value->type != NEREID_TYPE_BOOL || (value->i64 & ~INT64_C(1)))
      return fail(call, NEREID_INVALID_ARGUMENT,
                  "option 'debug' is %" PRId64 ", expected a bool, 0 or 1",
                  value->i64);
    options->debug = (uint32_t)value->i64;
    return NEREID_OK;
  }
  return fail(call, NEREID_INVALID_ARGUMENT, "unknown option '%.*s'",
              (int)value->name.size, value->name.data);
}

static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state;
  nereid_options_t parsed = {.device = 0, .warps = 4};
  if (target->arch.size)
    parsed.device = find_arch(target->arch);
  if (parsed.device == DEVICE_COUNT)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "unknown architecture '%.*s', expected 'a1' or 'a2'",
                (int)target->arch.size, target->arch.data);
  nereid_status_t status = NEREID_OK;
  for (uint64_t i = 0; status == NEREID_OK && i < count; ++i)
    status = set_option(&parsed, &values[i], call);
  char text[64];
  int size = snprintf(text, sizeof(text), "arch=%u;num_warps=%u;debug=%u",
                      parsed.device, parsed.warps, parsed.debug);
  if (status == NEREID_OK)
    status = canonical->write(canonical, text, (uint64_t)size);
  if (status != NEREID_OK)
    return status;
  nereid_options_t *options = malloc(sizeof(*options));
  if (!options)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  *options = parsed;
  *out_options = options;
  return NEREID_OK;
}

static nereid_status_t destroy_options(nereid_state_t *state,
                                       nereid_options_t *options,
                                       const nereid_call_t *call) {
  (void)state;
  (void)call;
  free(options);
  return NEREID_OK;
}
// [/options]

// ---------------------------------------------------------------- stages
enum { STAGE_LIST, STAGE_IMAGE, STAGE_COUNT };

static const nereid_stage_t stages[STAGE_COUNT] = {
    [STAGE_LIST] = {.struct_size = sizeof(nereid_stage_t),
                    .name = TEXT("list"),
                    .input_kind = TEXT("ttir"),
                    .output_kind = TEXT("asynchronous.list"),
                    .extension = TEXT("list")},
    [STAGE_IMAGE] = {.struct_size = sizeof(nereid_stage_t),
                     .flags = NEREID_STAGE_MAKES_IMAGE,
                     .name = TEXT("image"),
                     .input_kind = TEXT("asynchronous.list"),
                     .output_kind = TEXT("asynchronous.image"),
                     .extension = TEXT("nereida")},
};

static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  (void)state;
  (void)options;
  (void)call;
  nereid_status_t status = sink->add(sink, &stages[STAGE_LIST]);
  return status == NEREID_OK ? sink->add(sink, &stages[STAGE_IMAGE]) : status;
}

// ---------------------------------------------------------------- translate
// The state of a translation; the `user` of the visitor.
typedef struct translation_t {
  program_t *program;
  const nereid_options_t *options;
  const nereid_call_t *call;
  uint32_t *values; // by id of the walk: the operation that defines it
  uint32_t value_count;
  uint32_t depth; // of regions
  uint32_t function_line;
  nereid_status_t status; // NEREID_OK until an error is reported
} translation_t;

// Reports an error at the location of `op`.
__attribute__((format(printf, 4, 5))) static nereid_status_t
refuse(translation_t *to, const nereid_ttir_op_t *op, nereid_status_t status,
       const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  to->status =
      fail_at(to->call, status, op->file, op->line, op->column, "%s", text);
  return status;
}

// [type]
// A type as TTIR prints it: an integer or float, a pointer to one, or a 1-D
// tensor of either.
typedef struct ttir_type_t {
  uint32_t type;
  uint32_t pointee; // of a pointer
  uint32_t lanes;
} ttir_type_t;

static int32_t strip(nereid_string_t *text, const char *prefix,
                     const char *suffix) {
  uint64_t before = strlen(prefix), after = strlen(suffix);
  if (text->size < before + after || memcmp(text->data, prefix, before) != 0 ||
      memcmp(text->data + text->size - after, suffix, after) != 0)
    return 0;
  text->data += before;
  text->size -= before + after;
  return 1;
}

static int32_t read_type(nereid_string_t text, ttir_type_t *out_type) {
  ttir_type_t type = {.lanes = 1};
  if (strip(&text, "tensor<", ">")) {
    uint64_t lanes = 0;
    while (text.size && *text.data >= '0' && *text.data <= '9') {
      lanes = lanes * 10 + (uint64_t)(*text.data - '0');
      if (lanes > PROGRAM_MAX_TOTAL_LANES)
        return 0;
      ++text.data;
      --text.size;
    }
    type.lanes = (uint32_t)lanes;
    if (!lanes || !strip(&text, "x", ""))
      return 0; // 0-D; tensors with more dimensions fail below
  }
  if (strip(&text, "!tt.ptr<", ">")) {
    type.type = TYPE_POINTER;
    type.pointee = program_find_type(text);
  } else {
    type.type = program_find_type(text);
  }
  *out_type = type;
  return type.type != TYPE_COUNT && type.type != TYPE_NONE &&
         type.pointee < TYPE_POINTER;
}
// [/type]

static const nereid_value_t *find_attribute(const nereid_ttir_op_t *op,
                                            const char *name) {
  for (uint64_t i = 0; i < op->attribute_count; ++i)
    if (is_equal(op->attributes[i].name, name))
      return &op->attributes[i];
  return NULL;
}

static nereid_status_t define(translation_t *to, uint32_t id,
                              uint32_t operation) {
  if (id >= to->value_count) {
    uint32_t count = id * 2 + 64;
    uint32_t *values = realloc(to->values, count * sizeof(*values));
    if (!values)
      return to->status =
                 fail(to->call, NEREID_OUT_OF_RESOURCES, "out of memory");
    for (uint32_t i = to->value_count; i < count; ++i)
      values[i] = PROGRAM_NO_OPERAND;
    to->values = values;
    to->value_count = count;
  }
  to->values[id] = operation;
  return NEREID_OK;
}

static uint32_t look_up(const translation_t *to, uint32_t id) {
  return id < to->value_count ? to->values[id] : PROGRAM_NO_OPERAND;
}

// A store writes through the arguments that its address is computed from.
static void mark_written(program_t *program, uint32_t index) {
  const operation_t *op = &program->operations[index];
  if (op->type != TYPE_POINTER)
    return;
  if (op->op == OP_ARGUMENT)
    program->arguments[op->immediate].written = 1;
  for (uint32_t i = 0; i < 3; ++i)
    if (op->operands[i] < index)
      mark_written(program, op->operands[i]);
}

// Sets the immediate of `op`; 0 if its attribute is missing or not supported.
static int32_t set_immediate(operation_t *added, const nereid_ttir_op_t *op) {
  static const char *const names[OP_COUNT] = {
      [OP_CONSTANT] = "value",        [OP_GET_PROGRAM_ID] = "axis",
      [OP_GET_NUM_PROGRAMS] = "axis", [OP_MAKE_RANGE] = "start",
      [OP_CMPI] = "predicate",        [OP_CMPF] = "predicate"};
  if (!names[added->op])
    return 1;
  const nereid_value_t *value = find_attribute(op, names[added->op]);
  if (!value)
    return 0;
  switch (value->type) {
  case NEREID_TYPE_F64:
    memcpy(&added->immediate, &value->f64, sizeof(value->f64));
    return 1;
  case NEREID_TYPE_I64:
  case NEREID_TYPE_BOOL:
    added->immediate = (uint64_t)value->i64;
    return 1;
  case NEREID_TYPE_STRING:
    if (added->op == OP_CMPI || added->op == OP_CMPF) {
      added->immediate = program_find_predicate(added->op, value->text);
      return added->immediate != CMP_COUNT;
    }
    if (value->text.size != 1)
      return 0;
    added->immediate = (uint64_t)(value->text.data[0] - 'x'); // x, y or z
    return added->immediate < 3;
  default: // a dense tensor that is not a splat
    return 0;
  }
}

// Sets the operands by position. Loads may omit one in the middle.
static int32_t set_operands(translation_t *to, operation_t *added,
                            const nereid_ttir_op_t *op) {
  const nereid_value_t *segments = find_attribute(op, "operandSegmentSizes");
  uint64_t next = 0;
  for (uint32_t i = 0; i < 3 && next < op->operand_count; ++i) {
    if (segments && segments->type == NEREID_TYPE_I64_LIST &&
        i < segments->list_size && !((const int64_t *)segments->list)[i])
      continue;
    added->operands[i] = look_up(to, op->operands[next++]);
    if (added->operands[i] == PROGRAM_NO_OPERAND)
      return 0;
  }
  return next == op->operand_count;
}

// [translate]
// "arith.addi" and "tt.load" become "addi" and "load" of the program.
static uint32_t find_op(nereid_string_t name) {
  if (is_equal(name, "tt.argument") ||
      (!strip(&name, "arith.", "") && !strip(&name, "tt.", "")))
    return OP_COUNT;
  return program_find_op(name);
}

static nereid_status_t translate(translation_t *to,
                                 const nereid_ttir_op_t *op) {
  uint32_t code = find_op(op->name);
  if (code == OP_COUNT || op->region_count || op->result_count > 1)
    return refuse(to, op, NEREID_UNIMPLEMENTED,
                  "'%.*s' is not supported, expected element-wise operations "
                  "of arith and tt on 1-D tensors",
                  (int)op->name.size, op->name.data);
  if (code == OP_ASSERT && !to->options->debug)
    return NEREID_OK;
  ttir_type_t type = {.type = TYPE_NONE, .lanes = 1};
  if (op->result_count && !read_type(op->results[0].type, &type))
    return refuse(to, op, NEREID_UNIMPLEMENTED,
                  "type '%.*s' of '%.*s' is not supported, expected i1 to i64, "
                  "f32, f64, a pointer to one, or a 1-D tensor of these",
                  (int)op->results[0].type.size, op->results[0].type.data,
                  (int)op->name.size, op->name.data);
  uint32_t index = to->program->count;
  operation_t *added = program_append(to->program);
  if (!added)
    return refuse(to, op, NEREID_OUT_OF_RESOURCES,
                  "the kernel has more than %u operations",
                  PROGRAM_MAX_OPERATIONS);
  added->op = code;
  added->type = type.type;
  added->lanes = type.lanes;
  added->line = op->line;
  if (!set_immediate(added, op) || !set_operands(to, added, op))
    return refuse(to, op, NEREID_UNIMPLEMENTED,
                  "this form of '%.*s' is not supported", (int)op->name.size,
                  op->name.data);
  if (code == OP_ADDPTR)
    added->immediate = program_type_size(type.pointee);
  if (!op->result_count && op->operand_count) {
    // It has as many lanes as its operand; a store has the type of its value.
    uint32_t from = added->operands[code == OP_STORE ? 1 : 0];
    if (code == OP_STORE) {
      added->type = to->program->operations[from].type;
      mark_written(to->program, added->operands[0]);
    }
    added->lanes = to->program->operations[from].lanes;
  }
  const nereid_value_t *text =
      find_attribute(op, code == OP_ASSERT ? "message" : "prefix");
  if (text && text->type == NEREID_TYPE_STRING &&
      !program_keep(to->program, text->text, &added->text))
    return refuse(to, op, NEREID_OUT_OF_RESOURCES,
                  "the kernel has too many or too long messages");
  return op->result_count ? define(to, op->results[0].id, index) : NEREID_OK;
}
// [/translate]

// ---------------------------------------------------------------- function
static nereid_status_t begin_function(translation_t *to,
                                      const nereid_ttir_op_t *op) {
  const nereid_value_t *name = find_attribute(op, "sym_name");
  if (to->program->name.size)
    return refuse(to, op, NEREID_UNIMPLEMENTED,
                  "the module has a second function '%.*s', expected one "
                  "kernel that calls none",
                  name ? (int)name->text.size : 0, name ? name->text.data : "");
  if (!name || !name->text.size ||
      !program_keep(to->program, name->text, &to->program->name))
    return refuse(to, op, NEREID_INVALID_ARGUMENT,
                  "the name of the function is empty or too long");
  nereid_string_t file = op->file;
  if (file.size > PROGRAM_MAX_TEXT)
    file.size = PROGRAM_MAX_TEXT;
  to->function_line = op->line;
  if (!program_keep(to->program, file, &to->program->file))
    return to->status =
               fail(to->call, NEREID_OUT_OF_RESOURCES, "out of memory");
  return NEREID_OK;
}

static nereid_status_t add_argument(translation_t *to,
                                    const nereid_ttir_value_t *value) {
  program_t *program = to->program;
  const nereid_ttir_op_t place = {.file = program->file,
                                  .line = to->function_line};
  ttir_type_t type;
  if (!read_type(value->type, &type) || type.lanes != 1)
    return refuse(to, &place, NEREID_UNIMPLEMENTED,
                  "argument '%.*s' is a '%.*s', expected i1 to i64, f32, f64 "
                  "or a pointer to one",
                  (int)value->name.size, value->name.data,
                  (int)value->type.size, value->type.data);
  uint32_t index = program->argument_count;
  nereid_string_t name = value->name;
  char unnamed[16];
  if (!name.size)
    name = (nereid_string_t){
        unnamed, (uint64_t)snprintf(unnamed, sizeof(unnamed), "arg%u", index)};
  operation_t *added =
      index < PROGRAM_MAX_ARGUMENTS ? program_append(program) : NULL;
  if (!added || !program_keep(program, name, &program->arguments[index].name))
    return refuse(to, &place, NEREID_OUT_OF_RESOURCES,
                  "the kernel has more than %u arguments",
                  PROGRAM_MAX_ARGUMENTS);
  program->arguments[index].is_pointer = type.type == TYPE_POINTER;
  program->arguments[index].type =
      type.type == TYPE_POINTER ? type.pointee : type.type;
  ++program->argument_count;
  added->op = OP_ARGUMENT;
  added->type = type.type;
  added->lanes = 1;
  added->immediate = index;
  added->line = to->function_line;
  return define(to, value->id, program->count - 1);
}

// [visitor]
// ---------------------------------------------------------------- visitor
static nereid_status_t visit_op(const nereid_ttir_visitor_t *visitor,
                                const nereid_ttir_op_t *op) {
  translation_t *to = visitor->user;
  if (is_equal(op->name, "tt.func"))
    return begin_function(to, op);
  if (!to->depth)
    return refuse(to, op, NEREID_UNIMPLEMENTED,
                  "'%.*s' is not supported outside a function",
                  (int)op->name.size, op->name.data);
  return translate(to, op);
}

static nereid_status_t visit_block(const nereid_ttir_visitor_t *visitor,
                                   const nereid_ttir_block_t *block) {
  translation_t *to = visitor->user;
  nereid_status_t status = NEREID_OK;
  if (to->program->count) {
    const nereid_ttir_op_t place = {.file = to->program->file,
                                    .line = to->function_line};
    return refuse(to, &place, NEREID_UNIMPLEMENTED,
                  "the function has several blocks, expected one");
  }
  for (uint64_t i = 0; status == NEREID_OK && i < block->argument_count; ++i)
    status = add_argument(to, &block->arguments[i]);
  return status;
}

static nereid_status_t begin_region(const nereid_ttir_visitor_t *visitor) {
  ++((translation_t *)visitor->user)->depth;
  return NEREID_OK;
}

static nereid_status_t end_region(const nereid_ttir_visitor_t *visitor) {
  --((translation_t *)visitor->user)->depth;
  return NEREID_OK;
}

// The host parses, verifies and optimizes the module as Triton does, and passes
// each operation to the visitor. This plugin does not contain MLIR.
static nereid_status_t make_list(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_call_t *call) {
  if (!state->ttir)
    return fail(call, NEREID_UNAVAILABLE,
                "the host has no extension '" NEREID_EXT_TTIR "'");
  translation_t to = {
      .program = program_create(), .options = input->options, .call = call};
  if (!to.program)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  to.program->arch = input->options->device;
  to.program->warps = input->options->warps;
  const nereid_ttir_visitor_t visitor = {.struct_size = sizeof(visitor),
                                         .user = &to,
                                         .op = visit_op,
                                         .begin_region = begin_region,
                                         .block = visit_block,
                                         .end_region = end_region};
  nereid_status_t status = state->ttir->walk(
      input->bytes, input->name, (nereid_string_t){NULL, 0}, &visitor, call);
  if (status == NEREID_OK)
    status = program_check(to.program, call);
  if (status == NEREID_OK)
    status = program_print(to.program, output);
  free(to.values);
  program_destroy(to.program);
  return status;
}
// [/visitor]

// ---------------------------------------------------------------- image
// [metadata]
static nereid_status_t add_metadata(const program_t *program,
                                    const nereid_value_sink_t *sink) {
  nereid_string_t names[PROGRAM_MAX_ARGUMENTS];
  nereid_string_t types[PROGRAM_MAX_ARGUMENTS];
  char type_texts[PROGRAM_MAX_ARGUMENTS][8];
  int64_t offsets[PROGRAM_MAX_ARGUMENTS], written[PROGRAM_MAX_ARGUMENTS];
  uint64_t count = program->argument_count;
  for (uint32_t i = 0; i < count; ++i) {
    const argument_t *argument = &program->arguments[i];
    names[i] = argument->name;
    int size = snprintf(type_texts[i], sizeof(type_texts[i]), "%s%s",
                        argument->is_pointer ? "*" : "",
                        program_type_name(argument->type));
    types[i] = (nereid_string_t){type_texts[i], (uint64_t)size};
    offsets[i] = program_argument_offset(program, i);
    written[i] = argument->written;
  }
  const nereid_value_t values[] = {
      {.name = TEXT("name"), .type = NEREID_TYPE_STRING, .text = program->name},
      {.name = TEXT("argument_names"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = names,
       .list_size = count},
      {.name = TEXT("argument_types"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = types,
       .list_size = count},
      {.name = TEXT("argument_offsets"),
       .type = NEREID_TYPE_I64_LIST,
       .list = offsets,
       .list_size = count},
      {.name = TEXT("argument_size"),
       .type = NEREID_TYPE_I64,
       .i64 = program_argument_offset(program, program->argument_count)},
      {.name = TEXT("written_arguments"),
       .type = NEREID_TYPE_I64_LIST,
       .list = written,
       .list_size = count},
      {.name = TEXT("num_warps"),
       .type = NEREID_TYPE_I64,
       .i64 = program->warps},
      {.name = TEXT("warp_size"),
       .type = NEREID_TYPE_I64,
       .i64 = device_traits[program->arch].warp_size},
  };
  nereid_status_t status = NEREID_OK;
  for (uint32_t i = 0;
       status == NEREID_OK && i < sizeof(values) / sizeof(*values); ++i)
    status = sink->add(sink, &values[i]);
  return status;
}
// [/metadata]

// The list may be a user's file, so it is checked like an image. Its target has
// to be that of the options.
static nereid_status_t make_image(const nereid_stage_input_t *input,
                                  const nereid_writer_t *output,
                                  const nereid_value_sink_t *metadata,
                                  const nereid_call_t *call) {
  const nereid_string_t text = {input->bytes.data, input->bytes.size};
  program_t *program = NULL;
  nereid_status_t status = program_parse(text, &program, call);
  if (status == NEREID_OK && program->arch != input->options->device)
    status = fail(call, NEREID_INVALID_ARGUMENT,
                  "the list is for architecture '%s', expected '%s'",
                  device_traits[program->arch].arch.data,
                  device_traits[input->options->device].arch.data);
  if (status == NEREID_OK)
    status = add_metadata(program, metadata);
  if (status == NEREID_OK)
    status = program_write(program, output, call);
  program_destroy(program);
  return status;
}

static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  return input->index == STAGE_LIST ? make_list(state, input, output, call)
                                    : make_image(input, output, metadata, call);
}

const nereid_compiler_t asynchronous_compiler = {
    .struct_size = sizeof(nereid_compiler_t),
    .score_target = score_target,
    .visit_options = visit_options,
    .parse_options = parse_options,
    .destroy_options = destroy_options,
    .visit_stages = visit_stages,
    .run_stage = run_stage,
};

// ---------------------------------------------------------------- frontend
static nereid_status_t visit_facts(nereid_state_t *state,
                                   const nereid_target_t *target,
                                   const nereid_value_sink_t *sink,
                                   const nereid_call_t *call) {
  (void)state;
  (void)call;
  uint32_t device = target->arch.size ? find_arch(target->arch) : 0;
  const nereid_value_t facts[] = {
      {.name = TEXT("fp8_types"), .type = NEREID_TYPE_STRING_LIST},
      {.name = TEXT("max_tensor_elements"),
       .type = NEREID_TYPE_I64,
       .i64 = device_traits[device % DEVICE_COUNT].max_lanes},
  };
  nereid_status_t status = sink->add(sink, &facts[0]);
  return status == NEREID_OK ? sink->add(sink, &facts[1]) : status;
}

const nereid_frontend_t asynchronous_frontend = {
    .struct_size = sizeof(nereid_frontend_t),
    .visit_facts = visit_facts,
};
