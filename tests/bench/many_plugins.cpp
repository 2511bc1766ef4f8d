// many_plugins.cpp - the time to load a directory with many plugins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   many_plugins DIRECTORY [DENY]    DENY: globs of ids that are not loaded
//
// Prints JSON: the milliseconds to create the runtime and to report; the
// numbers of plugins found and loaded.

#include "nereid/host.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>

static double millisecondsSince(std::chrono::steady_clock::time_point start) {
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  return time.count();
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: many_plugins DIRECTORY [DENY]\n";
    return 2;
  }
  nereid_runtime_options_t options = {};
  options.struct_size = sizeof options;
  options.flags = NEREID_RUNTIME_IGNORE_ENVIRONMENT | NEREID_RUNTIME_NO_CACHE;
  options.plugin_dirs = nereid::detail::borrow(argv[1]);
  if (argc == 3)
    options.deny = nereid::detail::borrow(argv[2]);

  auto start = std::chrono::steady_clock::now();
  auto runtime = nereid::Runtime::create(&options);
  double create = millisecondsSince(start);
  if (!runtime) {
    std::cerr << runtime.error().text << '\n';
    return 1;
  }
  start = std::chrono::steady_clock::now();
  auto report = runtime->report();
  double told = millisecondsSince(start);
  if (!report) {
    std::cerr << report.error().text << '\n';
    return 1;
  }
  nlohmann::ordered_json result;
  result["create_ms"] = create;
  result["report_ms"] = told;
  result["candidates"] = nereid_runtime_candidate_count(runtime->get());
  result["loaded"] = nereid_runtime_backend_count(runtime->get());
  std::cout << result.dump() << '\n';
  return 0;
}
