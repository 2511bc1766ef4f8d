// acme.c - a vendor's first plugin: a compiler that lists what a kernel does.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Its one stage counts the operations of a kernel. There is no image yet, so
// a kernel compiles, dumps and caches, and a launch is refused.

// [include]
#include <nereid/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}
// [/include]

static int32_t equal(nereid_string_t text, const char *literal) {
  return text.size == strlen(literal) &&
         memcmp(text.data, literal, text.size) == 0;
}

// [fail]
// Reports why a slot fails, and returns its status.
static nereid_status_t fail(const nereid_call_t *call, nereid_status_t status,
                            const char *what, nereid_string_t found) {
  char text[256];
  int size = snprintf(text, sizeof(text), "%s '%.*s'", what,
                      found.size > 100 ? 100 : (int)found.size, found.data);
  nereid_diagnostic_t diagnostic = {
      .struct_size = sizeof(diagnostic),
      .severity = NEREID_SEVERITY_ERROR,
      .message = {text, (uint64_t)size},
  };
  call->report(call, &diagnostic);
  return status;
}
// [/fail]

// [score]
static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state;
  (void)call;
  *out_score = equal(target->backend, "acme") ? 100 : 0;
  return NEREID_OK;
}
// [/score]

// [options]
struct nereid_options_t {
  int64_t totals_only;
};

static nereid_status_t visit_options(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_option_sink_t *sink,
                                     const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)call;
  const nereid_option_t option = {
      .struct_size = sizeof(option),
      .type = NEREID_TYPE_BOOL,
      .name = TEXT("totals_only"),
      .doc = TEXT("list the number of operations alone"),
      .default_value = TEXT("false"),
  };
  return sink->add(sink, &option);
}

static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state;
  (void)target;
  nereid_options_t options = {.totals_only = 0};
  for (uint64_t i = 0; i < count; ++i) {
    if (!equal(values[i].name, "totals_only"))
      return fail(call, NEREID_INVALID_ARGUMENT, "unknown option",
                  values[i].name);
    if (values[i].type != NEREID_TYPE_BOOL)
      return fail(call, NEREID_INVALID_ARGUMENT, "expected a bool for option",
                  values[i].name);
    options.totals_only = values[i].i64 != 0;
  }
  nereid_status_t status =
      canonical->write(canonical, options.totals_only ? "1" : "0", 1);
  if (status != NEREID_OK)
    return status;
  nereid_options_t *made = malloc(sizeof(*made));
  if (!made)
    return NEREID_OUT_OF_RESOURCES;
  *made = options;
  *out_options = made;
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

// [stages]
static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  (void)state;
  (void)options;
  (void)call;
  const nereid_stage_t stage = {
      .struct_size = sizeof(stage),
      .name = TEXT("listing"),
      .input_kind = TEXT("ttir"),
      .output_kind = TEXT("acme.listing"),
      .extension = TEXT("txt"),
  };
  return sink->add(sink, &stage);
}
// [/stages]

// ---------------------------------------------------------------- listing
static int32_t is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// The next operation of `*text`, as in "%x = arith.addf ..."; empty at the end.
static nereid_string_t next_operation(nereid_string_t *text) {
  static const char *const dialects[] = {"arith.", "math.", "scf.", "tt."};
  const char *at = text->data;
  const char *end = at + text->size;
  nereid_string_t found = {NULL, 0};
  while (at < end && !found.size) {
    const char *word = at;
    while (at < end && is_word(*at))
      ++at;
    // An operation stands after a space or at the start of a line.
    int32_t alone = word == text->data || word[-1] == ' ' || word[-1] == '\n';
    for (uint32_t i = 0; alone && i < 4; ++i) {
      size_t size = strlen(dialects[i]);
      if ((size_t)(at - word) > size && memcmp(word, dialects[i], size) == 0)
        found = (nereid_string_t){word, (uint64_t)(at - word)};
    }
    if (at < end)
      ++at;
  }
  text->size = (uint64_t)(end - at);
  text->data = at;
  return found;
}

// [run]
static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  (void)state; // input->index is 0: there is one stage
  const int64_t totals_only = input->options->totals_only;
  const nereid_string_t text = {input->bytes.data, input->bytes.size};
  nereid_string_t rest = text;
  nereid_status_t status = NEREID_OK;
  int64_t total = 0;
  for (;;) {
    nereid_string_t operation = next_operation(&rest);
    if (!operation.size)
      break;
    ++total;
    if (!totals_only && status == NEREID_OK)
      status = output->write(output, operation.data, operation.size);
    if (!totals_only && status == NEREID_OK)
      status = output->write(output, "\n", 1);
  }
  if (!total)
    return fail(call, NEREID_INVALID_ARGUMENT, "no operation of Triton in",
                text);
  char line[32];
  int size = snprintf(line, sizeof(line), "total %lld\n", (long long)total);
  if (status == NEREID_OK)
    status = output->write(output, line, (uint64_t)size);
  const nereid_value_t fact = {
      .name = TEXT("operations"), .type = NEREID_TYPE_I64, .i64 = total};
  return status == NEREID_OK ? metadata->add(metadata, &fact) : status;
}
// [/run]

// [entry]
static const nereid_compiler_t compiler = {
    .struct_size = sizeof(nereid_compiler_t),
    .score_target = score_target,
    .visit_options = visit_options,
    .parse_options = parse_options,
    .destroy_options = destroy_options,
    .visit_stages = visit_stages,
    .run_stage = run_stage,
};

static const nereid_vendor_t vendor = {
    .struct_size = sizeof(nereid_vendor_t),
    .vendor_name = TEXT("acme"),
    .device_name = TEXT("acme-1"),
};

static const void *get_extension(nereid_state_t *state, nereid_string_t id) {
  (void)state;
  return equal(id, NEREID_EXT_VENDOR) ? &vendor : NULL;
}

static const nereid_plugin_t plugin = {
    .struct_size = sizeof(nereid_plugin_t),
    .abi_major = NEREID_ABI_MAJOR,
    .abi_minor = NEREID_ABI_MINOR,
    .abi_revision = NEREID_ABI_REVISION,
    .flags = NEREID_PLUGIN_UNLOADABLE,
    .id = TEXT(NEREID_PLUGIN_ID),
    .device_type = TEXT("acme"),
    .version = TEXT(NEREID_PLUGIN_VERSION),
    .description = TEXT("lists what a kernel does"),
    .compiler = &compiler,
    .get_extension = get_extension,
};

nereid_status_t nereid_plugin_entry_1(const nereid_host_t *host,
                                      const nereid_plugin_t **out_plugin,
                                      const nereid_call_t *call) {
  (void)host;
  (void)call;
  *out_plugin = &plugin;
  return NEREID_OK;
}
// [/entry]
