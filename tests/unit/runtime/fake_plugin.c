// fake_plugin.c - the compiler of the plugin that tests register in process,
// and its table. The driver is in fake_driver.c.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_plugin.h"

#include "fake_state.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_state_t fake_state;

struct nereid_options_t {
  int64_t num_warps, check, early;
  double scale;
  char level[16], brk[32], sizes[64];
};

struct nereid_session_t {
  char *kept;
  uint64_t kept_size;
};

static nereid_string_t text(const char *data) {
  nereid_string_t string = {data, strlen(data)};
  return string;
}

static int equal(nereid_string_t string, const char *other) {
  return string.size == strlen(other) &&
         memcmp(string.data, other, string.size) == 0;
}

static void report_at(const nereid_call_t *call, const char *message,
                      uint32_t line, uint32_t column) {
  nereid_diagnostic_t diagnostic = {0};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = NEREID_SEVERITY_ERROR;
  diagnostic.message = text(message);
  diagnostic.line = line;
  diagnostic.column = column;
  call->report(call, &diagnostic);
}

void fake_report(const nereid_call_t *call, const char *message) {
  report_at(call, message, 0, 0);
}

static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state, (void)call;
  *out_score = equal(target->backend, "fake") ? 100 : 0;
  return NEREID_OK;
}

static nereid_status_t visit_options(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_option_sink_t *sink,
                                     const nereid_call_t *call) {
  static const nereid_string_t levels[] = {{"fast", 4}, {"safe", 4}};
  static const struct {
    const char *name, *value;
    nereid_type_t type;
  } all[] = {{"num_warps", "4", NEREID_TYPE_I64},
             {"level", "fast", NEREID_TYPE_STRING},
             {"scale", "1", NEREID_TYPE_F64},
             {"check", "false", NEREID_TYPE_BOOL},
             {"sizes", "", NEREID_TYPE_I64_LIST},
             {"early", "false", NEREID_TYPE_BOOL},
             {"break", "", NEREID_TYPE_STRING}};
  (void)state, (void)target, (void)call;
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    nereid_option_t option = {sizeof option,
                              all[i].type,
                              text(all[i].name),
                              text("an option of the fake"),
                              text(all[i].value),
                              0,
                              0,
                              1,
                              0};
    if (i == 0)
      option.maximum = 32;
    if (i == 1) {
      option.choices = levels;
      option.choice_count = 2;
    }
    nereid_status_t status = sink->add(sink, &option);
    if (status)
      return status;
  }
  return NEREID_OK;
}

static void keep_text(char *kept, size_t room, nereid_string_t value) {
  snprintf(kept, room, "%.*s", (int)value.size, value.data ? value.data : "");
}

static void keep_option(nereid_options_t *options,
                        const nereid_value_t *value) {
  if (equal(value->name, "num_warps"))
    options->num_warps = value->i64;
  else if (equal(value->name, "check"))
    options->check = value->i64;
  else if (equal(value->name, "early"))
    options->early = value->i64;
  else if (equal(value->name, "scale"))
    options->scale = value->f64;
  else if (equal(value->name, "level"))
    keep_text(options->level, sizeof options->level, value->text);
  else if (equal(value->name, "break"))
    keep_text(options->brk, sizeof options->brk, value->text);
  else
    for (uint64_t i = 0; i < value->list_size; ++i)
      snprintf(options->sizes + strlen(options->sizes),
               sizeof options->sizes - strlen(options->sizes), "%lld,",
               (long long)((const int64_t *)value->list)[i]);
}

static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state, (void)target, (void)call;
  nereid_options_t *options = calloc(1, sizeof *options);
  if (!options)
    return NEREID_OUT_OF_RESOURCES;
  options->num_warps = 4;
  options->scale = 1;
  keep_text(options->level, sizeof options->level, text("fast"));
  for (uint64_t i = 0; i < count; ++i)
    keep_option(options, &values[i]);
  if (strcmp(options->brk, "options") == 0) {
    fake_report(call, "the fake refuses these options");
    free(options);
    return NEREID_INVALID_ARGUMENT;
  }
  char line[256];
  snprintf(line, sizeof line,
           "num_warps=%lld level=%s scale=%g check=%d sizes=%s early=%d "
           "break=%s",
           (long long)options->num_warps, options->level, options->scale,
           (int)options->check, options->sizes, (int)options->early,
           options->brk);
  fake_count(&fake_state.parses);
  *out_options = options;
  return canonical->write(canonical, line, strlen(line));
}

static nereid_status_t destroy_options(nereid_state_t *state,
                                       nereid_options_t *options,
                                       const nereid_call_t *call) {
  (void)state, (void)call;
  if (options)
    fake_count(&fake_state.destroys);
  free(options);
  return NEREID_OK;
}

static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  nereid_stage_t stages[] = {
      {sizeof *stages, NEREID_STAGE_KEEPS_OUTPUT, text("parse"), text("ttir"),
       text("ttir"), text("ttir")},
      {sizeof *stages, 0, text("lower"), text("ttir"), text("fake.ir"),
       text("fir")},
      {sizeof *stages, NEREID_STAGE_MAKES_IMAGE, text("pack"), text("fake.ir"),
       text("fake.image"), text("img")}};
  (void)state, (void)call;
  if (strcmp(options->brk, "chain") == 0)
    stages[1].input_kind = text("other.ir");
  if (strcmp(options->brk, "twice") == 0)
    stages[1].name = text("parse");
  if (strcmp(options->brk, "kindless") == 0)
    stages[0].struct_size = offsetof(nereid_stage_t, output_kind);
  int count = strcmp(options->brk, "none") == 0 ? 0 : options->early ? 2 : 3;
  for (int i = 0; i < count; ++i) {
    nereid_status_t status = sink->add(sink, &stages[i]);
    if (status)
      return status;
  }
  return NEREID_OK;
}

static nereid_status_t write_dependencies(nereid_state_t *state,
                                          const nereid_options_t *options,
                                          const nereid_writer_t *writer,
                                          const nereid_call_t *call) {
  (void)state, (void)options, (void)call;
  return writer->write(writer, fake_state.dependencies,
                       strlen(fake_state.dependencies));
}

static nereid_status_t begin(nereid_state_t *state,
                             const nereid_options_t *options,
                             nereid_session_t **out_session,
                             const nereid_call_t *call) {
  (void)state, (void)options, (void)call;
  *out_session = calloc(1, sizeof **out_session);
  fake_count(&fake_state.begins);
  return *out_session ? NEREID_OK : NEREID_OUT_OF_RESOURCES;
}

static nereid_status_t end(nereid_state_t *state, nereid_session_t *session,
                           const nereid_call_t *call) {
  (void)state, (void)call;
  if (!session)
    return NEREID_OK;
  fake_count(&fake_state.ends);
  free(session->kept);
  free(session);
  return NEREID_OK;
}

static nereid_status_t add_text(const nereid_value_sink_t *sink,
                                const char *name, const char *value) {
  nereid_value_t item = {0};
  item.name = text(name);
  item.type = NEREID_TYPE_STRING;
  item.text = text(value);
  return sink->add(sink, &item);
}

static nereid_status_t add_metadata(const nereid_options_t *options,
                                    const nereid_value_sink_t *sink) {
  static const nereid_string_t names[] = {{"out", 3}, {"value", 5}};
  static const nereid_string_t types[] = {{"*f32", 4}, {"i32", 3}};
  static const int64_t overlapping[] = {0, 4};
  nereid_value_t list = {0};
  list.type = NEREID_TYPE_STRING_LIST;
  list.list_size = 2;
  list.name = text("argument_names");
  list.list = names;
  nereid_status_t status = sink->add(sink, &list);
  list.name = text("argument_types");
  list.list = types;
  if (!status)
    status = sink->add(sink, &list);
  if (!status && strcmp(options->brk, "offsets") == 0) {
    nereid_value_t size = {0};
    list.name = text("argument_offsets");
    list.type = NEREID_TYPE_I64_LIST;
    list.list = overlapping;
    size.name = text("argument_size");
    size.type = NEREID_TYPE_I64;
    size.i64 = 16;
    status = sink->add(sink, &list);
    if (!status)
      status = sink->add(sink, &size);
  }
  if (!status && strcmp(options->brk, "metadata") == 0)
    status = add_text(sink, "", "a value without a name");
  return status ? status : add_text(sink, "name", "fake");
}

static nereid_status_t keep_in_session(nereid_session_t *session,
                                       nereid_bytes_t input) {
  free(session->kept);
  session->kept = malloc(input.size + 1);
  if (!session->kept)
    return NEREID_OUT_OF_RESOURCES;
  if (input.size)
    memcpy(session->kept, input.data, input.size);
  session->kept_size = input.size;
  return NEREID_OK;
}

static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  static const char *const headings[] = {"parsed ", "lowered ", "packed "};
  const nereid_options_t *options = input->options;
  nereid_session_t *session = input->session;
  const uint32_t index = input->index;
  nereid_bytes_t bytes = input->bytes;
  (void)state;
  fake_count(&fake_state.stages);
  if (!output)
    fake_count(&fake_state.bytes_not_wanted);
  if (index == 0) {
    nereid_status_t kept = keep_in_session(session, bytes);
    if (kept)
      return kept;
  }
  if (index == 2) {
    nereid_status_t added = add_metadata(options, metadata);
    if (added)
      return added;
  }
  if (strcmp(options->brk, index == 0 ? "first-line" : "later-line") == 0) {
    report_at(call, "unexpected token", 3, 7);
    return NEREID_INVALID_ARGUMENT;
  }
  if (index == 1 && strcmp(options->brk, "silent") == 0)
    return NEREID_INTERNAL;
  if (index == 1 && strcmp(options->brk, "speechless") == 0)
    return NEREID_INVALID_ARGUMENT;
  if (index == 1 && strcmp(options->brk, "endless") == 0)
    return output->write(output, headings[0], UINT64_MAX / 2);
  if (index == 1 && strcmp(options->brk, "reason") == 0) {
    fake_report(call, "tt.dot is not supported");
    return NEREID_UNIMPLEMENTED;
  }
  if (!output)
    return NEREID_OK;
  if (!bytes.data && index == 1) {
    bytes.data = session->kept;
    bytes.size = session->kept_size;
  }
  nereid_status_t status =
      output->write(output, headings[index], strlen(headings[index]));
  return status ? status : output->write(output, bytes.data, bytes.size);
}

static const nereid_compiler_t compiler = {sizeof compiler, 0,
                                           score_target,    visit_options,
                                           parse_options,   destroy_options,
                                           visit_stages,    write_dependencies,
                                           begin,           end,
                                           run_stage};

static nereid_status_t shut_down(nereid_state_t *state,
                                 const nereid_call_t *call) {
  (void)state, (void)call;
  fake_count(&fake_state.shutdowns);
  return NEREID_OK;
}

const nereid_plugin_t *fake_plugin(void) {
  static const nereid_plugin_t plugin = {
      .struct_size = sizeof plugin,
      .abi_major = NEREID_ABI_MAJOR,
      .abi_minor = NEREID_ABI_MINOR,
      .abi_revision = NEREID_ABI_REVISION,
      .flags = NEREID_PLUGIN_FORK_SAFE,
      .id = {"test.fake", 9},
      .device_type = {"fake", 4},
      .version = {"1.0", 3},
      .description = {"a plugin for tests", 18},
      .compiler = &compiler,
      .driver = &fake_driver,
      .shutdown = shut_down};
  return &plugin;
}

const nereid_plugin_t *fake_compiler_only(void) {
  static const nereid_plugin_t plugin = {.struct_size = sizeof plugin,
                                         .abi_major = NEREID_ABI_MAJOR,
                                         .abi_minor = NEREID_ABI_MINOR,
                                         .abi_revision = NEREID_ABI_REVISION,
                                         .flags = NEREID_PLUGIN_FORK_SAFE,
                                         .id = {"test.compiler", 13},
                                         .device_type = {"fake-offline", 12},
                                         .version = {"1.0", 3},
                                         .compiler = &compiler};
  return &plugin;
}

void fake_set_dependencies(const char *dependencies) {
  snprintf(fake_state.dependencies, sizeof fake_state.dependencies, "%s",
           dependencies);
}
