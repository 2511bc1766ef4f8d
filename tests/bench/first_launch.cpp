// first_launch.cpp - the time to the first launch of a new process: create a
// runtime, find plugins, read vector add from the cache, load and launch it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   first_launch vector_add.ttir
//
// Prints JSON: the milliseconds of each step, whether the kernel was cached,
// and which compiler libraries are mapped at the end.

#include "nereid/host.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

template <typename T> static T need(nereid::Expected<T> &&expected) {
  if (!expected) {
    std::cerr << expected.error().text << '\n';
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>)
    return std::move(*expected);
}

namespace {
/// Milliseconds since the previous call.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double, std::milli> time = now - last;
    last = now;
    return time.count();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};
} // namespace

// The compiler libraries that this process has mapped.
static std::vector<std::string> mappedCompilers() {
  std::vector<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    for (const char *name : {"libLLVM", "libMLIR", "libnereid-cpu-compiler"})
      if (line.find(name) != std::string::npos &&
          (found.empty() || found.back() != name))
        found.push_back(name);
  return found;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: first_launch vector_add.ttir\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::string source{std::istreambuf_iterator<char>(file), {}};
  constexpr int32_t count = 4096;
  std::vector<float> x(count, 1), y(count, 2), out(count);

  nlohmann::ordered_json result;
  Stopwatch total, watch;
  nereid::Runtime runtime = need(nereid::Runtime::create());
  auto [backend, device] = need(runtime.choose("cpu"));
  result["create_ms"] = watch.lap();
  nereid::Artifact artifact = need(backend.compile(source, argv[1], device));
  result["compile_ms"] = watch.lap();
  nereid::Function function = need(backend.load(artifact, device));
  result["load_ms"] = watch.lap();
  // The memory of this device is the host's.
  auto address = [](std::vector<float> &values) {
    return static_cast<nereid_address_t>(
        reinterpret_cast<uintptr_t>(values.data()));
  };
  need(function.launch({count / 1024}, 0, address(x), address(y), address(out),
                       count));
  need(backend.synchronize(device));
  result["launch_ms"] = watch.lap();
  result["total_ms"] = total.lap();

  result["from_cache"] = artifact.info().from_cache != 0;
  result["mapped"] = mappedCompilers();
  std::cout << result.dump() << '\n';
  return out.back() == 3 ? 0 : 1;
}
