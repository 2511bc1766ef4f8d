// out_of_tree_host.c - a host that finds the plugin of examples/out-of-tree in
// a directory and compiles a kernel with it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   out_of_tree_host PLUGIN_DIR KERNEL.ttir    prints what the stage wrote

#include <nereid/host.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char source[1 << 16];

static void check(nereid_status_t status, nereid_runtime_t *runtime) {
  if (status == NEREID_OK)
    return;
  nereid_string_t reasons = nereid_error();
  fprintf(stderr, "%.*s\n", (int)reasons.size, reasons.data);
  nereid_buffer_t *report = NULL;
  if (runtime && nereid_runtime_report(runtime, &report) == NEREID_OK) {
    nereid_bytes_t json = nereid_buffer_bytes(report);
    fwrite(json.data, 1, json.size, stderr);
  }
  exit(1);
}

int main(int argc, char **argv) {
  FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
  if (!file)
    return 2;
  uint64_t size = fread(source, 1, sizeof(source), file);
  fclose(file);

  nereid_runtime_options_t settings = {
      .struct_size = sizeof(settings),
      .flags = NEREID_RUNTIME_IGNORE_ENVIRONMENT | NEREID_RUNTIME_NO_CACHE,
      .plugin_dirs = {argv[1], strlen(argv[1])},
  };
  nereid_runtime_t *runtime = NULL;
  nereid_backend_t *backend = NULL;
  check(nereid_runtime_create(&settings, &runtime), NULL);
  nereid_string_t name = {"acme", 4};
  check(nereid_runtime_backend(runtime, name, &backend), runtime);

  nereid_target_t target = {.struct_size = sizeof(target), .backend = name};
  nereid_compile_request_t request = {
      .struct_size = sizeof(request),
      .source = {source, size},
      .source_name = {argv[2], strlen(argv[2])},
      .target = &target,
  };
  nereid_artifact_t *artifact = NULL;
  nereid_artifact_info_t info = {.struct_size = sizeof(info)};
  check(nereid_compile(backend, &request, &artifact), runtime);
  check(nereid_artifact_info(artifact, &info), runtime);
  fwrite(info.output.data, 1, info.output.size, stdout);
  nereid_artifact_destroy(artifact);
  nereid_runtime_destroy(runtime);
  return 0;
}
