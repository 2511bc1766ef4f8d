// compiler.c - the compiler of the extension plugin: two stages, or one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extension.h"
#include "signature.h"

static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state;
  (void)call;
  *out_score = extension_equal(target->backend, "extension") ? 100 : 0;
  return NEREID_OK;
}

// [stages]
// ---------------------------------------------------------------- stages
enum { STAGE_TTIR, STAGE_BINARY, STAGE_COUNT };

static const nereid_stage_t stages[STAGE_COUNT] = {
    [STAGE_TTIR] = {.struct_size = sizeof(nereid_stage_t),
                    .name = TEXT("ttir"),
                    .input_kind = TEXT("ttir"),
                    .output_kind = TEXT("ttir"),
                    .extension = TEXT("ttir")},
    [STAGE_BINARY] = {.struct_size = sizeof(nereid_stage_t),
                      .flags = NEREID_STAGE_MAKES_IMAGE,
                      .name = TEXT("binary"),
                      .input_kind = TEXT("ttir"),
                      .output_kind = TEXT("extension.image"),
                      .extension = TEXT("nereidx")},
};

// The option `stop_at_ttir` ends the pipeline early: without an image there is
// nothing to launch.
static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  (void)state;
  (void)call;
  nereid_status_t status = sink->add(sink, &stages[STAGE_TTIR]);
  if (status == NEREID_OK && !options->values[OPTION_STOP_AT_TTIR].i64)
    status = sink->add(sink, &stages[STAGE_BINARY]);
  return status;
}
// [/stages]

// ---------------------------------------------------------------- metadata
static nereid_status_t add(const nereid_value_sink_t *sink,
                           nereid_string_t name, nereid_value_t value) {
  value.name = name;
  return sink->add(sink, &value);
}

static nereid_status_t add_arguments(const nereid_value_sink_t *sink,
                                     const extension_image_t *image) {
  nereid_string_t names[EXTENSION_MAX_ARGUMENTS];
  nereid_string_t types[EXTENSION_MAX_ARGUMENTS];
  int64_t offsets[EXTENSION_MAX_ARGUMENTS];
  uint64_t count = image->argument_count;
  for (uint64_t i = 0; i < count; ++i) {
    const extension_argument_t *argument = &image->arguments[i];
    names[i] = argument->name;
    types[i].data = argument->type;
    types[i].size = 0;
    while (argument->type[types[i].size])
      ++types[i].size;
    offsets[i] = argument->offset;
  }
  const struct {
    nereid_string_t name;
    nereid_value_t value;
  } facts[] = {
      {TEXT("argument_names"),
       {.type = NEREID_TYPE_STRING_LIST, .list = names, .list_size = count}},
      {TEXT("argument_types"),
       {.type = NEREID_TYPE_STRING_LIST, .list = types, .list_size = count}},
      {TEXT("argument_offsets"),
       {.type = NEREID_TYPE_I64_LIST, .list = offsets, .list_size = count}},
      {TEXT("argument_size"),
       {.type = NEREID_TYPE_I64, .i64 = image->argument_size}},
  };
  nereid_status_t status = NEREID_OK;
  for (uint32_t i = 0; status == NEREID_OK && i < 4; ++i)
    status = add(sink, facts[i].name, facts[i].value);
  return status;
}

static nereid_status_t add_metadata(const nereid_value_sink_t *sink,
                                    const nereid_options_t *options,
                                    const extension_image_t *image) {
  nereid_status_t status =
      add(sink, (nereid_string_t)TEXT("name"),
          (nereid_value_t){.type = NEREID_TYPE_STRING, .text = image->name});
  if (status == NEREID_OK)
    status = add_arguments(sink, image);
  if (status == NEREID_OK)
    status = sink->add(sink, &options->values[OPTION_NUM_WARPS]);
  for (uint32_t i = OPTION_SCRATCH_SIZE;
       status == NEREID_OK && i < OPTION_COUNT; ++i) {
    const nereid_value_t *value = &options->values[i];
    if (i >= OPTION_TOLERANCE || value->i64 || value->list_size)
      status = sink->add(sink, value);
  }
  return status;
}

// ---------------------------------------------------------------- run
// [run]
static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  (void)state;
  const nereid_options_t *options = input->options;
  const nereid_string_t text = {input->bytes.data, input->bytes.size};
  if (extension_options_fault(options) == EXTENSION_FAULT_COMPILE)
    return extension_fail(call, NEREID_INTERNAL,
                          "option 'fault' asks this stage to fail");
  extension_image_t image;
  nereid_status_t status = extension_signature_read(text, &image, call);
  if (status != NEREID_OK)
    return status;
  if (input->index == STAGE_TTIR) // a check only: the bytes are unchanged
    return output->write(output, text.data, text.size);
  image.fault = extension_options_fault(options);
  image.warps = (uint32_t)options->values[OPTION_NUM_WARPS].i64;
  status = add_metadata(metadata, options, &image);
  return status == NEREID_OK ? extension_image_write(&image, output) : status;
}
// [/run]

// [compiler]
const nereid_compiler_t extension_compiler = {
    .struct_size = sizeof(nereid_compiler_t),
    .score_target = score_target,
    .visit_options = extension_visit_options,
    .parse_options = extension_parse_options,
    .destroy_options = extension_destroy_options,
    .visit_stages = visit_stages,
    .run_stage = run_stage,
};
// [/compiler]

// ---------------------------------------------------------------- frontend
// [frontend]
// What kernels may use. No kernel runs here, so every type and precision is
// allowed.
static nereid_status_t visit_facts(nereid_state_t *state,
                                   const nereid_target_t *target,
                                   const nereid_value_sink_t *sink,
                                   const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)call;
  static const nereid_string_t fp8[] = {TEXT("fp8e4nv"), TEXT("fp8e4b8"),
                                        TEXT("fp8e4b15"), TEXT("fp8e5"),
                                        TEXT("fp8e5b16")};
  static const nereid_string_t precisions[] = {TEXT("ieee"), TEXT("tf32"),
                                               TEXT("tf32x3"), TEXT("bf16x3"),
                                               TEXT("bf16x6")};
  static const int64_t min_dot[] = {1, 1, 1};
  static const nereid_value_t facts[] = {
      {.name = TEXT("fp8_types"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = fp8,
       .list_size = 5},
      {.name = TEXT("dot_precisions"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = precisions,
       .list_size = 5},
      {.name = TEXT("default_dot_precision"),
       .type = NEREID_TYPE_STRING,
       .text = TEXT("ieee")},
      {.name = TEXT("min_dot_size"),
       .type = NEREID_TYPE_I64_LIST,
       .list = min_dot,
       .list_size = 3},
  };
  nereid_status_t status = NEREID_OK;
  for (uint32_t i = 0;
       status == NEREID_OK && i < sizeof(facts) / sizeof(*facts); ++i)
    status = sink->add(sink, &facts[i]);
  return status;
}

const nereid_frontend_t extension_frontend = {
    .struct_size = sizeof(nereid_frontend_t),
    .visit_facts = visit_facts,
};
// [/frontend]
