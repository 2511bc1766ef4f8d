// mishap_plugin.c - a compiler whose stages do what the source says: crash,
// hang, exit, print, wait to be cancelled. Its driver does not exist.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/plugin.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}

static void report(const nereid_call_t *call, nereid_severity_t severity,
                   const char *text) {
  nereid_diagnostic_t diagnostic = {0};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = (nereid_string_t){text, strlen(text)};
  diagnostic.line = 4;
  diagnostic.column = 2;
  call->report(call, &diagnostic);
}

static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)call;
  *out_score = 100;
  return NEREID_OK;
}

static nereid_status_t visit_options(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_option_sink_t *sink,
                                     const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)call;
  nereid_option_t option = {0};
  option.struct_size = sizeof option;
  option.type = NEREID_TYPE_I64;
  option.name = (nereid_string_t)TEXT("level");
  option.doc = (nereid_string_t)TEXT("a number");
  option.default_value = (nereid_string_t)TEXT("1");
  return sink->add(sink, &option);
}

struct nereid_options_t {
  int64_t level;
};

static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)call;
  nereid_options_t *options = calloc(1, sizeof *options);
  options->level = count ? values[0].i64 : 1;
  char text[64];
  int size = snprintf(text, sizeof text, "level=%d", (int)options->level);
  *out_options = options;
  return canonical->write(canonical, text, (uint64_t)size);
}

static nereid_status_t destroy_options(nereid_state_t *state,
                                       nereid_options_t *options,
                                       const nereid_call_t *call) {
  (void)state;
  (void)call;
  free(options);
  return NEREID_OK;
}

static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  (void)state;
  (void)options;
  (void)call;
  nereid_stage_t stage = {0};
  stage.struct_size = sizeof stage;
  stage.name = (nereid_string_t)TEXT("first");
  stage.input_kind = (nereid_string_t)TEXT("ttir");
  stage.output_kind = (nereid_string_t)TEXT("middle");
  stage.extension = (nereid_string_t)TEXT("mid");
  stage.flags = NEREID_STAGE_KEEPS_OUTPUT;
  nereid_status_t status = sink->add(sink, &stage);
  if (status != NEREID_OK)
    return status;
  stage.name = (nereid_string_t)TEXT("second");
  stage.input_kind = (nereid_string_t)TEXT("middle");
  stage.output_kind = (nereid_string_t)TEXT("mishap.image");
  stage.extension = (nereid_string_t)TEXT("img");
  stage.flags = NEREID_STAGE_MAKES_IMAGE;
  return sink->add(sink, &stage);
}

struct nereid_session_t {
  char *kept;
  uint64_t size;
};

static nereid_status_t begin(nereid_state_t *state,
                             const nereid_options_t *options,
                             nereid_session_t **out_session,
                             const nereid_call_t *call) {
  (void)state;
  if (options->level == 13) {
    report(call, NEREID_SEVERITY_ERROR, "level 13 is refused");
    return NEREID_INVALID_ARGUMENT;
  }
  *out_session = calloc(1, sizeof **out_session);
  return NEREID_OK;
}

static nereid_status_t end(nereid_state_t *state, nereid_session_t *session,
                           const nereid_call_t *call) {
  (void)state;
  (void)call;
  if (session)
    free(session->kept);
  free(session);
  return NEREID_OK;
}

static int says(const nereid_session_t *session, const char *word) {
  return session->kept && strstr(session->kept, word);
}

static nereid_status_t misbehave(const nereid_session_t *session,
                                 const nereid_call_t *call) {
  if (says(session, "print")) {
    printf("a compiler prints\n");
    fflush(stdout);
  }
  if (says(session, "crash")) {
    fprintf(stderr, "assertion failed: no reason\n");
    abort();
  }
  if (says(session, "fault"))
    raise(SIGSEGV);
  if (says(session, "exit"))
    exit(5);
  if (says(session, "hang"))
    for (;;)
      pause();
  if (says(session, "wait")) {
    // A minute is long enough for a caller that does not cancel to be noticed.
    for (int i = 0; i < 60000; ++i) {
      if (NEREID_HAS_SLOT(call, cancelled) && call->cancelled(call))
        return NEREID_CANCELLED;
      poll(NULL, 0, 1);
    }
    report(call, NEREID_SEVERITY_ERROR, "nobody cancelled");
    return NEREID_INTERNAL;
  }
  if (says(session, "warn"))
    report(call, NEREID_SEVERITY_WARNING, "this is slow");
  if (says(session, "refuse")) {
    report(call, NEREID_SEVERITY_ERROR, "not this one");
    return NEREID_UNIMPLEMENTED;
  }
  return NEREID_OK;
}

static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  (void)state;
  nereid_session_t *session = input->session;
  if (input->bytes.data) {
    free(session->kept);
    session->size = input->bytes.size;
    session->kept = calloc(1, session->size + 1);
    memcpy(session->kept, input->bytes.data, session->size);
  }
  if (input->index == 0)
    return output ? output->write(output, session->kept, session->size)
                  : NEREID_OK;
  nereid_status_t status = misbehave(session, call);
  if (status != NEREID_OK)
    return status;
  nereid_value_t value = {0};
  value.name = (nereid_string_t)TEXT("level");
  value.type = NEREID_TYPE_I64;
  value.i64 = input->options->level;
  status = metadata->add(metadata, &value);
  if (status == NEREID_OK)
    status = output->write(output, "image of ", 9);
  return status == NEREID_OK
             ? output->write(output, session->kept, session->size)
             : status;
}

static const nereid_compiler_t compiler = {
    .struct_size = sizeof(nereid_compiler_t),
    .score_target = score_target,
    .visit_options = visit_options,
    .parse_options = parse_options,
    .destroy_options = destroy_options,
    .visit_stages = visit_stages,
    .begin = begin,
    .end = end,
    .run_stage = run_stage,
};

static const nereid_plugin_t plugin = {
    .struct_size = sizeof(nereid_plugin_t),
    .abi_major = NEREID_ABI_MAJOR,
    .abi_minor = NEREID_ABI_MINOR,
    .abi_revision = NEREID_ABI_REVISION,
    .id = TEXT("mishap"),
    .device_type = TEXT("mishap"),
    .version = TEXT("1"),
    .description = TEXT("a compiler that fails"),
    .compiler = &compiler,
};

NEREID_EXPORT nereid_status_t nereid_plugin_entry_1(
    const nereid_host_t *host, const nereid_plugin_t **out_plugin,
    const nereid_call_t *call) {
  (void)host;
  (void)call;
  *out_plugin = &plugin;
  return NEREID_OK;
}
