// archive_bench.cpp - the time to open an archive of 1,000 kernels for 3
// targets, and the time from the start of a process to the end of its first
// launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   archive_bench examples/embed/vector_add.ttir [cpu.so]
//
// With a plugin's path, the launching process loads it alone, as a program that
// ships one does; otherwise it looks for all plugins. "start" is the time of a
// process of the same program that does nothing. Prints JSON, in milliseconds.
// All kernels but one have images of random bytes, as large as the real ones.

#include "nereid/host/archive.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using Clock = std::chrono::steady_clock;

template <typename T> static T need(nereid::Expected<T> &&expected) {
  if (!expected) {
    std::cerr << expected.error().text << '\n';
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>)
    return std::move(*expected);
}

static void need(nereid_status_t status) {
  if (status != NEREID_OK)
    need<void>(nereid::Expected<void>(nereid::detail::lastError(status)));
}

static double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

static constexpr const char *targets[] = {"v2", "v3", "v4"};

static void addKernel(nereid_archive_writer_t *writer,
                      const std::string &name) {
  auto argument = [](const char *name, const char *type) {
    auto made = nereid::detail::sized<nereid_argument_t>();
    made.name = nereid::detail::borrow(name);
    made.type = nereid::detail::borrow(type);
    return made;
  };
  nereid_argument_t arguments[] = {argument("x", "*f32"), argument("y", "*f32"),
                                   argument("out", "*f32"),
                                   argument("n", "i32")};
  auto kernel = nereid::detail::sized<nereid_archive_new_kernel_t>();
  kernel.name = nereid::detail::borrow(name);
  kernel.arguments = arguments;
  kernel.argument_count = 4;
  need(nereid_archive_writer_add_kernel(writer, &kernel));
  uint32_t parameters[] = {0, 1, 2, 3};
  auto variant = nereid::detail::sized<nereid_archive_new_variant_t>();
  variant.kernel = kernel.name;
  variant.parameters = parameters;
  variant.parameter_count = 4;
  need(nereid_archive_writer_add_variant(writer, &variant));
}

// The archive: kernel "add" is real, 999 others are random.
static std::string makeArchive(const nereid::Runtime::Choice &choice,
                               const std::string &source) {
  nereid_archive_writer_t *writer = nullptr;
  need(nereid_archive_writer_create(&writer));
  nereid::Artifact real =
      need(choice.backend.compile(source, "vector_add.ttir", choice.device));
  auto own = nereid::detail::sized<nereid_target_t>();
  need(nereid_backend_target(choice.backend.get(), choice.device, &own));
  addKernel(writer, "add");
  need(nereid_archive_writer_add_image(writer, nereid::detail::borrow("add"), 0,
                                       &own, real.get()));
  std::mt19937_64 random(1);
  std::string bytes(real.info().output.size, '\0');
  for (int k = 1; k < 1000; ++k) {
    std::string name = "kernel_" + std::to_string(k);
    addKernel(writer, name);
    for (const char *each : targets) {
      for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
        uint64_t word = random();
        std::copy_n(reinterpret_cast<const char *>(&word), 8, &bytes[i]);
      }
      auto replaced = nereid::detail::sized<nereid_replacement_t>();
      replaced.stage = real.info().last_stage;
      replaced.replacement = {bytes.data(), bytes.size()};
      nereid_compile_request_t request = {};
      request.source = {source.data(), source.size()};
      request.start_at = real.info().last_stage;
      request.device = choice.device;
      request.replacements = &replaced;
      request.replacement_count = 1;
      nereid::Artifact image = need(choice.backend.compile(request));
      nereid_target_t target = own;
      target.features = nereid::detail::borrow(each);
      need(nereid_archive_writer_add_image(writer, nereid::detail::borrow(name),
                                           0, &target, image.get()));
    }
  }
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_archive_writer_finish(writer, 0, &buffer);
  std::string archive = need(nereid::detail::take(status, buffer));
  nereid_archive_writer_destroy(writer);
  return archive;
}

static bool reportDone() {
  char done = 1;
  return write(1, &done, 1) == 1;
}

// What the child process does: from nothing to the end of a launch.
static int launchFirst(const char *path, const char *plugin) {
  auto options = nereid::detail::sized<nereid_runtime_options_t>();
  if (plugin)
    options.flags = NEREID_RUNTIME_NO_DISCOVERY;
  nereid::Runtime runtime = need(nereid::Runtime::create(&options));
  if (plugin)
    (void)need(runtime.load(plugin));
  nereid::Runtime::Choice choice = need(runtime.choose("cpu"));
  nereid::Archive archive = need(nereid::Archive::open(path));
  nereid::ArchiveDevice device =
      need(archive.load(choice.backend, choice.device));
  nereid::ArchiveKernel add = need(device.kernel("add"));
  static float x[64], y[64], out[64];
  x[3] = 1, y[3] = 2;
  auto address = [](float *p) {
    return static_cast<nereid_address_t>(reinterpret_cast<uintptr_t>(p));
  };
  need(add.launch({1}, 0, address(x), address(y), address(out), int32_t{64}));
  need(choice.backend.synchronize(choice.device));
  return out[3] == 3 && reportDone() ? 0 : 1;
}

// Milliseconds from the start of a process, with up to 3 arguments, to what it
// has to do being done.
static double measureProcess(const char *program,
                             std::initializer_list<const char *> arguments) {
  int ends[2];
  if (pipe(ends) != 0)
    std::exit(1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  char *words[5] = {const_cast<char *>(program)};
  char **word = words;
  for (const char *argument : arguments)
    *++word = const_cast<char *>(argument);
  pid_t child = 0;
  Clock::time_point start = Clock::now();
  if (posix_spawn(&child, program, &actions, nullptr, words, environ) != 0)
    std::exit(1);
  close(ends[1]);
  char done = 0;
  ssize_t got = read(ends[0], &done, 1);
  double time = milliseconds(Clock::now() - start);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  if (got != 1 || !done || status != 0)
    std::exit(1);
  return time;
}

static nlohmann::json summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {{"minimum", times.front()}, {"median", times[times.size() / 2]}};
}

int main(int argc, char **argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "--launch")
    return launchFirst(argv[2], argc > 3 ? argv[3] : nullptr);
  if (argc == 2 && std::string_view(argv[1]) == "--empty")
    return reportDone() ? 0 : 1;
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: archive_bench vector_add.ttir [cpu.so]\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::string source((std::istreambuf_iterator<char>(file)), {});
  std::string path = "/tmp/archive_bench-" + std::to_string(getpid()) + ".nra";
  nereid::Runtime runtime = need(nereid::Runtime::create());
  std::string bytes = makeArchive(need(runtime.choose("cpu")), source);
  std::ofstream(path, std::ios::binary) << bytes;

  std::vector<double> opens, starts, launches;
  for (int i = 0; i < 200; ++i) {
    Clock::time_point start = Clock::now();
    nereid::Archive archive = need(nereid::Archive::open(path));
    opens.push_back(milliseconds(Clock::now() - start));
    if (archive.info().kernel_count != 1000)
      return 1;
  }
  for (int i = 0; i < 200; ++i) {
    starts.push_back(measureProcess(argv[0], {"--empty"}));
    launches.push_back(measureProcess(
        argv[0], {"--launch", path.c_str(), argc > 2 ? argv[2] : nullptr}));
  }
  double first = launches.front();
  unlink(path.c_str());
  nlohmann::json result = {
      {"archive_bytes", bytes.size()}, {"open_first", opens.front()},
      {"open", summary(opens)},        {"start", summary(starts)},
      {"launch_first", first},         {"launch", summary(launches)}};
  std::cout << result.dump(2) << '\n';
  return 0;
}
