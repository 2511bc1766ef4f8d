// embed.c - a C program that finds plugins at run time, and adds two vectors
// on the best device with a Triton kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   embed_c vector_add.ttir [TARGET]

#include <nereid/host.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 10000

// The kernel's argument block, in the standard layout.
typedef struct arguments_t {
  nereid_address_t x, y, out;
  int32_t n;
} arguments_t;

static void check(nereid_status_t status) {
  if (status == NEREID_OK)
    return;
  nereid_string_t reasons = nereid_error();
  fprintf(stderr, "%.*s\n", (int)reasons.size, reasons.data);
  exit(1);
}

static nereid_bytes_t read_file(const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  nereid_bytes_t bytes = {text, fread(text, 1, sizeof text, file)};
  fclose(file);
  return bytes;
}

// Device memory that holds `COUNT` floats of the host.
static nereid_address_t upload(nereid_backend_t *backend, uint32_t device,
                               const float *values) {
  nereid_address_t address;
  nereid_allocation_t allocation = {
      .struct_size = sizeof allocation,
      .size = COUNT * sizeof *values,
  };
  check(nereid_backend_allocate(backend, device, &allocation, &address));
  nereid_copy_t copy = {
      .struct_size = sizeof copy,
      .direction = NEREID_COPY_HOST_TO_DEVICE,
      .destination = address,
      .source = (uintptr_t)values,
      .size = allocation.size,
  };
  check(nereid_backend_copy(backend, device, &copy));
  return address;
}

static void print_report(nereid_runtime_t *runtime) {
  nereid_buffer_t *report;
  check(nereid_runtime_report(runtime, &report));
  nereid_bytes_t json = nereid_buffer_bytes(report);
  fwrite(json.data, 1, json.size, stdout);
  nereid_buffer_destroy(report);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s vector_add.ttir [TARGET]\n", argv[0]);
    return 2;
  }
  nereid_string_t target = {argc > 2 ? argv[2] : "",
                            argc > 2 ? strlen(argv[2]) : 0};

  // Find plugins, in NEREID_PLUGIN_DIRS and where Nereid is installed, and
  // pick one: the named one, or the best.
  nereid_runtime_t *runtime;
  nereid_backend_t *backend;
  uint32_t device;
  check(nereid_runtime_create(NULL, &runtime));
  print_report(runtime);
  check(nereid_runtime_choose(runtime, target, &backend, &device));

  // Compile, or take from the cache, and load.
  nereid_compile_request_t request = {0};
  request.struct_size = sizeof request;
  request.source = read_file(argv[1]);
  request.source_name = (nereid_string_t){argv[1], strlen(argv[1])};
  request.device = device;
  nereid_artifact_t *artifact;
  nereid_function_t *function;
  check(nereid_compile(backend, &request, &artifact));
  check(nereid_function_load(backend, device, artifact, &function));

  // Launch one program for every 1024 elements.
  static float x[COUNT], y[COUNT], out[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f;
  }
  // Aligned to 64 bytes, a block is handed on as it is.
  _Alignas(64) arguments_t arguments = {upload(backend, device, x),
                                        upload(backend, device, y),
                                        upload(backend, device, out), COUNT};
  nereid_launch_t launch = {
      .struct_size = sizeof launch,
      .grid = {(COUNT + 1023) / 1024, 1, 1},
      .arguments = &arguments,
      .arguments_size = sizeof arguments,
  };
  check(nereid_function_launch(function, &launch));
  nereid_copy_t download = {
      .struct_size = sizeof download,
      .direction = NEREID_COPY_DEVICE_TO_HOST,
      .destination = (uintptr_t)out,
      .source = arguments.out,
      .size = sizeof out,
  };
  check(nereid_backend_copy(backend, device, &download));
  check(nereid_backend_synchronize(backend, device, 0));

  int wrong = 0;
  for (int i = 0; i < COUNT; ++i)
    wrong += out[i] != x[i] + y[i];
  printf("%d of %d sums are right\n", COUNT - wrong, COUNT);

  check(nereid_backend_free(backend, device, arguments.x));
  check(nereid_backend_free(backend, device, arguments.y));
  check(nereid_backend_free(backend, device, arguments.out));
  nereid_function_destroy(function);
  nereid_artifact_destroy(artifact);
  nereid_runtime_destroy(runtime);
  return wrong != 0;
}
