// careless_plugin.c - a plugin that loads, and breaks a rule in many places,
// for the conformance checks to find.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#define _DEFAULT_SOURCE // kill and usleep

#include "idle_driver.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static nereid_string_t text(const char *data) {
  nereid_string_t string = {data, strlen(data)};
  return string;
}

static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state, (void)target, (void)call;
  *out_score = 100;
  return NEREID_OK;
}

// The second option has a default that is not legal, and no doc.
static nereid_status_t visit_options(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_option_sink_t *sink,
                                     const nereid_call_t *call) {
  (void)state, (void)target, (void)call;
  nereid_option_t option = {0};
  option.struct_size = sizeof option;
  option.type = NEREID_TYPE_I64;
  option.name = text("first");
  option.doc = text("the first option");
  option.default_value = text("1");
  nereid_status_t status = sink->add(sink, &option);
  option.name = text("second");
  option.doc = text("");
  return status ? status : sink->add(sink, &option);
}

// Accepts every name, and writes the options in the order given.
static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state, (void)target, (void)call;
  for (uint64_t i = 0; i < count; ++i)
    canonical->write(canonical, values[i].name.data, values[i].name.size);
  *out_options = malloc(1);
  return NEREID_OK;
}

static nereid_status_t destroy_options(nereid_state_t *state,
                                       nereid_options_t *options,
                                       const nereid_call_t *call) {
  (void)state, (void)call;
  free(options);
  return NEREID_OK;
}

static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  (void)state, (void)options, (void)call;
  nereid_stage_t stage = {sizeof stage,  NEREID_STAGE_MAKES_IMAGE,
                          text("image"), text("ttir"),
                          text("image"), text("img")};
  return sink->add(sink, &stage);
}

// The time of the run is in the output.
static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  static int runs;
  (void)state, (void)input, (void)metadata, (void)call;
  ++runs;
  return output->write(output, &runs, sizeof runs);
}

// Opens a file that it never closes.
static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *out_probe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *call) {
  (void)state, (void)call;
  if (open("/dev/null", O_RDONLY) < 0)
    return NEREID_IO_ERROR;
  out_probe->score = 100;
  out_probe->device_count = 1;
  return reason->write(reason, "here", 4);
}

static nereid_status_t get_target(nereid_state_t *state, uint32_t device,
                                  nereid_target_t *out_target,
                                  const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  out_target->backend = text("another");
  return NEREID_OK;
}

static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *out_address,
                                const nereid_call_t *call) {
  (void)state, (void)device, (void)allocation, (void)out_address, (void)call;
  abort();
}

static nereid_status_t get_kernel(nereid_state_t *state,
                                  nereid_module_t *module, nereid_string_t name,
                                  nereid_kernel_t **out_kernel,
                                  nereid_kernel_info_t *out_info,
                                  const nereid_call_t *call) {
  (void)state, (void)module, (void)name, (void)out_kernel, (void)out_info;
  (void)call;
  return NEREID_OK;
}

static void *sleep_for_long(void *unused) {
  sleep(1000);
  return unused;
}

// Leaves a process behind that ends with the one whose id the variable tells.
static void leave_process(const char *watched) {
  if (!watched || fork() != 0)
    return;
  for (int standard = 0; standard < 3; ++standard)
    close(standard);
  while (kill((pid_t)atol(watched), 0) == 0)
    usleep(20000);
  _exit(0);
}

// Starts a thread that shutdown forgets.
static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **out_state,
                              const nereid_call_t *call) {
  (void)host, (void)out_state, (void)call;
  pthread_t thread;
  pthread_create(&thread, NULL, sleep_for_long, NULL);
  leave_process(getenv("NEREID_TEST_LEAVES_PROCESS"));
  return NEREID_OK;
}

// A process that has loaded it does not end well.
__attribute__((destructor)) static void end(void) { abort(); }

nereid_status_t nereid_plugin_entry_1(const nereid_host_t *host,
                                      const nereid_plugin_t **out_plugin,
                                      const nereid_call_t *call) {
  static const nereid_compiler_t compiler = {.struct_size = sizeof compiler,
                                             .score_target = score_target,
                                             .visit_options = visit_options,
                                             .parse_options = parse_options,
                                             .destroy_options = destroy_options,
                                             .visit_stages = visit_stages,
                                             .run_stage = run_stage};
  static const nereid_driver_t driver = {
      .struct_size = sizeof driver,
      .probe = probe,
      .get_target = get_target,
      .synchronize = idle_synchronize,
      .synchronize_device = idle_synchronize_device,
      .visit_properties = idle_visit_properties,
      .allocate = allocate,
      .free = idle_free,
      .copy = idle_copy,
      // Fails and gives no reason.
      .load_image = idle_load_image,
      .unload_module = idle_unload_module,
      .get_kernel = get_kernel,
      .launch = idle_launch};
  static const nereid_plugin_t plugin = {.struct_size = sizeof plugin,
                                         .abi_major = NEREID_ABI_MAJOR,
                                         .abi_minor = NEREID_ABI_MINOR,
                                         .abi_revision = NEREID_ABI_REVISION,
                                         .id = {"careless", 8},
                                         .device_type = {"careless", 8},
                                         .version = {"1", 1},
                                         .description = {"careless", 8},
                                         .compiler = &compiler,
                                         .driver = &driver,
                                         .create = create};
  (void)host, (void)call;
  *out_plugin = &plugin;
  return NEREID_OK;
}
