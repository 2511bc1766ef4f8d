// options.c - the options of the extension plugin: one of each type.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extension.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In the order of `enum extension_fault`.
static const nereid_string_t faults[] = {TEXT("none"), TEXT("compile"),
                                         TEXT("load"), TEXT("launch"),
                                         TEXT("synchronize")};

// [options]
static const struct {
  nereid_option_t schema;
  int64_t i64; // the default, for the types that have one
  double f64;
} table[OPTION_COUNT] = {
    [OPTION_NUM_WARPS] = {.schema = {.type = NEREID_TYPE_I64,
                                     .name = TEXT("num_warps"),
                                     .doc = TEXT("warps that run one program"),
                                     .default_value = TEXT("4"),
                                     .minimum = 1,
                                     .maximum = 64},
                          .i64 = 4},
    [OPTION_STOP_AT_TTIR] =
        {.schema = {.type = NEREID_TYPE_BOOL,
                    .name = TEXT("stop_at_ttir"),
                    .doc = TEXT("make no image: end after the first "
                                "stage"),
                    .default_value = TEXT("false")}},
    [OPTION_FAULT] =
        {.schema = {.type = NEREID_TYPE_STRING,
                    .name = TEXT("fault"),
                    .doc = TEXT("where the kernel is made to fail, for "
                                "tests"),
                    .default_value = TEXT("none"),
                    .choices = faults,
                    .choice_count = sizeof(faults) / sizeof(faults[0])}},
    // [/options]
    [OPTION_SCRATCH_SIZE] =
        {.schema = {.type = NEREID_TYPE_I64,
                    .name = TEXT("scratch_size"),
                    .doc = TEXT("bytes of scratch that a program needs"),
                    .default_value = TEXT("0"),
                    .minimum = 0,
                    .maximum = 1 << 30}},
    [OPTION_CLUSTER] = {.schema = {.type = NEREID_TYPE_I64_LIST,
                                   .name = TEXT("cluster"),
                                   .doc = TEXT("programs of a cluster along "
                                               "x, y, z")}},
    [OPTION_COOPERATIVE] =
        {.schema = {.type = NEREID_TYPE_BOOL,
                    .name = TEXT("cooperative"),
                    .doc = TEXT("all programs must run at the same time"),
                    .default_value = TEXT("false")}},
    [OPTION_TOLERANCE] =
        {.schema = {.type = NEREID_TYPE_F64,
                    .name = TEXT("tolerance"),
                    .doc = TEXT("a number that comes back as metadata"),
                    .default_value = TEXT("0.5")},
         .f64 = 0.5},
    [OPTION_TAG] = {.schema = {.type = NEREID_TYPE_BYTES,
                               .name = TEXT("tag"),
                               .doc =
                                   TEXT("bytes that come back as metadata")}},
    [OPTION_TILE] = {.schema = {.type = NEREID_TYPE_I64_LIST,
                                .name = TEXT("tile"),
                                .doc = TEXT(
                                    "integers that come back as metadata")}},
    [OPTION_WEIGHTS] = {.schema = {.type = NEREID_TYPE_F64_LIST,
                                   .name = TEXT("weights"),
                                   .doc = TEXT(
                                       "numbers that come back as metadata")}},
    [OPTION_FEATURES] = {.schema = {.type = NEREID_TYPE_STRING_LIST,
                                    .name = TEXT("features"),
                                    .doc = TEXT(
                                        "texts that come back as metadata")}},
};

nereid_status_t extension_visit_options(nereid_state_t *state,
                                        const nereid_target_t *target,
                                        const nereid_option_sink_t *sink,
                                        const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)call;
  for (uint32_t i = 0; i < OPTION_COUNT; ++i) {
    nereid_option_t option = table[i].schema;
    option.struct_size = sizeof(option);
    nereid_status_t status = sink->add(sink, &option);
    if (status != NEREID_OK)
      return status;
  }
  return NEREID_OK;
}

// ---------------------------------------------------------------- values
// Copies `size` bytes; an empty copy is null. Sets `*ok` to 0 if out of memory.
static void *copy_bytes(const void *data, uint64_t size, int32_t *ok) {
  void *copy = size ? malloc(size) : NULL;
  if (copy)
    memcpy(copy, data, size);
  else if (size)
    *ok = 0;
  return copy;
}

static void free_value(nereid_value_t *value) {
  if (value->type == NEREID_TYPE_STRING_LIST)
    for (uint64_t i = 0; value->list && i < value->list_size; ++i)
      free((void *)((const nereid_string_t *)value->list)[i].data);
  free((void *)value->list);
  free((void *)value->text.data);
  memset(value, 0, sizeof(*value));
}

// Replaces `*to` with a copy of `from`. On failure the copy is incomplete, but
// can be destroyed.
static int32_t copy_value(nereid_value_t *to, const nereid_value_t *from) {
  int32_t ok = 1;
  uint64_t item = from->type == NEREID_TYPE_I64_LIST   ? sizeof(int64_t)
                  : from->type == NEREID_TYPE_F64_LIST ? sizeof(double)
                  : from->type == NEREID_TYPE_STRING_LIST
                      ? sizeof(nereid_string_t)
                      : 0;
  nereid_string_t name = to->name;
  free_value(to);
  *to = *from;
  to->name = name;
  to->text.data = copy_bytes(from->text.data, from->text.size, &ok);
  to->list = copy_bytes(from->list, from->list_size * item, &ok);
  if (item != sizeof(nereid_string_t) || !to->list)
    return ok;
  nereid_string_t *texts = (nereid_string_t *)to->list;
  for (uint64_t i = 0; i < to->list_size; ++i)
    texts[i].data = copy_bytes(texts[i].data, texts[i].size, &ok);
  return ok;
}

// ---------------------------------------------------------------- checks
static const char *type_name(nereid_type_t type) {
  static const char *const names[] = {"?",        "i64",      "f64",
                                      "bool",     "string",   "bytes",
                                      "i64 list", "f64 list", "string list"};
  return names[type >= 1 && type <= NEREID_TYPE_STRING_LIST ? type : 0];
}

static nereid_status_t check(const nereid_option_t *option,
                             const nereid_value_t *value,
                             const nereid_call_t *call) {
  const int size = (int)option->name.size;
  const char *name = option->name.data;
  if (value->type != option->type)
    return extension_fail(call, NEREID_INVALID_ARGUMENT,
                          "option '%.*s' is of type %s, expected %s", size,
                          name, type_name(value->type),
                          type_name(option->type));
  if (option->type == NEREID_TYPE_BOOL && value->i64 != 0 && value->i64 != 1)
    return extension_fail(call, NEREID_INVALID_ARGUMENT,
                          "option '%.*s' is %" PRId64 ", expected 0 or 1", size,
                          name, value->i64);
  if (option->minimum < option->maximum &&
      (value->i64 < option->minimum || value->i64 > option->maximum))
    return extension_fail(
        call, NEREID_INVALID_ARGUMENT,
        "option '%.*s' is %" PRId64 ", expected %" PRId64 " to %" PRId64, size,
        name, value->i64, option->minimum, option->maximum);
  if (!option->choice_count)
    return NEREID_OK;
  for (uint64_t i = 0; i < option->choice_count; ++i)
    if (extension_equal(value->text, option->choices[i].data))
      return NEREID_OK;
  return extension_fail(call, NEREID_INVALID_ARGUMENT,
                        "option '%.*s' is '%.*s', which is none of its choices",
                        size, name, (int)value->text.size, value->text.data);
}

static nereid_status_t set(nereid_options_t *options,
                           const nereid_value_t *value,
                           const nereid_call_t *call) {
  for (uint32_t i = 0; i < OPTION_COUNT; ++i) {
    const nereid_option_t *option = &table[i].schema;
    if (value->name.size != option->name.size ||
        memcmp(value->name.data, option->name.data, option->name.size) != 0)
      continue;
    nereid_status_t status = check(option, value, call);
    if (status == NEREID_OK && !copy_value(&options->values[i], value))
      return extension_fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
    return status;
  }
  return extension_fail(call, NEREID_INVALID_ARGUMENT, "unknown option '%.*s'",
                        (int)value->name.size, value->name.data);
}

// ---------------------------------------------------------------- canonical
static nereid_status_t write_text(const nereid_writer_t *writer,
                                  nereid_string_t text) {
  char size[24];
  int length = snprintf(size, sizeof(size), "%" PRIu64 ":", text.size);
  nereid_status_t status = writer->write(writer, size, (uint64_t)length);
  return status != NEREID_OK || !text.size
             ? status
             : writer->write(writer, text.data, text.size);
}

// Floats are written as their bits: exact, and independent of the locale.
static nereid_status_t write_bits(const nereid_writer_t *writer,
                                  const void *number) {
  uint64_t bits;
  char text[20];
  memcpy(&bits, number, sizeof(bits));
  int length = snprintf(text, sizeof(text), "%016" PRIx64 ",", bits);
  return writer->write(writer, text, (uint64_t)length);
}

// Writes "name=value;". Strings have their length, so that different values
// cannot have the same text.
static nereid_status_t write_value(const nereid_writer_t *writer,
                                   const nereid_value_t *value) {
  nereid_status_t status = write_text(writer, value->name);
  if (status == NEREID_OK)
    status = write_bits(writer, &value->i64);
  if (status == NEREID_OK)
    status = write_bits(writer, &value->f64);
  if (status == NEREID_OK)
    status = write_text(writer, value->text);
  for (uint64_t i = 0; status == NEREID_OK && i < value->list_size; ++i)
    status = value->type == NEREID_TYPE_STRING_LIST
                 ? write_text(writer, ((const nereid_string_t *)value->list)[i])
                 : write_bits(writer, (const uint64_t *)value->list + i);
  return status == NEREID_OK ? writer->write(writer, ";", 1) : status;
}

// ---------------------------------------------------------------- slots
static int32_t set_defaults(nereid_options_t *options) {
  int32_t ok = 1;
  for (uint32_t i = 0; i < OPTION_COUNT; ++i) {
    const nereid_option_t *schema = &table[i].schema;
    nereid_value_t *value = &options->values[i];
    value->name = schema->name;
    value->type = schema->type;
    value->i64 = table[i].i64;
    value->f64 = table[i].f64;
    if (schema->type != NEREID_TYPE_STRING)
      continue;
    value->text = schema->default_value;
    value->text.data = copy_bytes(value->text.data, value->text.size, &ok);
  }
  return ok;
}

nereid_status_t extension_parse_options(nereid_state_t *state,
                                        const nereid_target_t *target,
                                        const nereid_value_t *values,
                                        uint64_t count,
                                        const nereid_writer_t *canonical,
                                        nereid_options_t **out_options,
                                        const nereid_call_t *call) {
  (void)target;
  nereid_options_t *options = calloc(1, sizeof(*options));
  nereid_status_t status = NEREID_OK;
  if (!options || !set_defaults(options))
    status = extension_fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  for (uint64_t i = 0; status == NEREID_OK && i < count; ++i)
    status = set(options, &values[i], call);
  for (uint32_t i = 0; status == NEREID_OK && i < OPTION_COUNT; ++i)
    status = write_value(canonical, &options->values[i]);
  if (status != NEREID_OK) {
    extension_destroy_options(state, options, call);
    return status;
  }
  *out_options = options;
  return NEREID_OK;
}

nereid_status_t extension_destroy_options(nereid_state_t *state,
                                          nereid_options_t *options,
                                          const nereid_call_t *call) {
  (void)state;
  (void)call;
  for (uint32_t i = 0; options && i < OPTION_COUNT; ++i)
    free_value(&options->values[i]);
  free(options);
  return NEREID_OK;
}

uint32_t extension_options_fault(const nereid_options_t *options) {
  for (uint32_t i = 0; i < sizeof(faults) / sizeof(faults[0]); ++i)
    if (extension_equal(options->values[OPTION_FAULT].text, faults[i].data))
      return i;
  return EXTENSION_FAULT_NONE;
}
