// privileged_host.cpp - a host program that SetUserIdTest.cpp gives the
// set-user-id bit: makes a runtime and prints the load report.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/host.h"

#include <sys/auxv.h>

#include <cstdio>

int main() {
  std::printf("privileged: %lu\n", getauxval(AT_SECURE));
  std::fflush(stdout);
  nereid_runtime_t *runtime = nullptr;
  nereid_buffer_t *report = nullptr;
  if (nereid_runtime_create(nullptr, &runtime) != NEREID_OK ||
      nereid_runtime_report(runtime, &report) != NEREID_OK) {
    nereid_string_t error = nereid_error();
    std::printf("%.*s\n", static_cast<int>(error.size), error.data);
    return 1;
  }
  nereid_bytes_t bytes = nereid_buffer_bytes(report);
  std::fwrite(bytes.data, 1, bytes.size, stdout);
  nereid_buffer_destroy(report);
  nereid_runtime_destroy(runtime);
  return 0;
}
