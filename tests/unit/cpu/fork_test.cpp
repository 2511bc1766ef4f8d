// fork_test.cpp - a child of fork() is the first to compile.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "forked_child.h"
#include "harness.h"
#include "kernels.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace nereid::cpu::test {
namespace {

using nereid::test::succeedsInChild;

/// True if that gives an image.
bool compiles(const Plugin &plugin) {
  return plugin.compile(addKernel(), "asm", "so").status == NEREID_OK;
}

// The parent has only the driver: no compiler is loaded before the fork.
TEST(Fork, TheChildLoadsTheCompiler) {
  Plugin plugin;
  EXPECT_TRUE(succeedsInChild([&] { return compiles(plugin); }));
  EXPECT_TRUE(compiles(plugin));
}

// Launches start threads, which the child does not have.
TEST(Fork, TheChildOfAProcessThatLaunchedLoadsTheCompiler) {
  Compiled image;
  // Made elsewhere, as if it were taken from a cache.
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  pid_t maker = fork();
  if (maker == 0) {
    Compiled made = Plugin().compile(addKernel(), "asm", "so");
    const std::string &bytes = made.output;
    bool isWritten =
        made.status == NEREID_OK &&
        write(pipe[1], bytes.data(), bytes.size()) == ssize_t(bytes.size());
    _exit(isWritten ? 0 : 1);
  }
  close(pipe[1]);
  char buffer[4096];
  for (ssize_t count; (count = read(pipe[0], buffer, sizeof buffer)) > 0;)
    image.output.append(buffer, size_t(count));
  close(pipe[0]);
  int ended = -1;
  ASSERT_EQ(waitpid(maker, &ended, 0), maker);
  ASSERT_EQ(ended, 0);

  Plugin plugin;
  Messages messages;
  nereid_module_t *module = nullptr;
  ASSERT_EQ(plugin.loadImage(image, "", &module, messages), NEREID_OK)
      << messages.errors();
  nereid_kernel_t *kernel = plugin.kernel(module, "add_kernel");
  ASSERT_NE(kernel, nullptr);
  constexpr uint32_t kPrograms = 64, kBlock = 1024;
  std::vector<float> a(kPrograms * kBlock, 1.0f), b = a, out(a.size());
  struct {
    const float *a, *b;
    float *out;
    int32_t n;
  } arguments = {a.data(), b.data(), out.data(), int32_t(a.size())};
  nereid_launch_t launch = makeLaunch(kPrograms, &arguments, sizeof arguments);
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, messages.call()), NEREID_OK)
      << messages.errors();
  EXPECT_TRUE(succeedsInChild([&] { return compiles(plugin); }));
  plugin.unload(module);
}

/// Uses everything that threads share: memory, images, launches and faults.
class Device {
public:
  explicit Device(const Plugin &plugin)
      : plugin(plugin), image(plugin.compile(assertKernel(), "asm", "so")) {}

  bool works() const {
    Messages messages;
    const nereid_call_t *call = messages.call();
    nereid_allocation_t request = {sizeof request, 0, 1 << 20, 0};
    nereid_address_t address = 0;
    nereid_module_t *module = nullptr;
    bool isReady = plugin.driver->allocate(plugin.state, 0, &request, &address,
                                           call) == NEREID_OK &&
                   plugin.loadImage(image, "", &module, messages) == NEREID_OK;
    if (!isReady)
      return false;
    nereid_kernel_t *kernel = plugin.kernel(module, "assert_kernel");
    int64_t which = 0;
    nereid_launch_t launch = makeLaunch(1, &which, sizeof which);
    launch.stream = plugin.createStream();
    bool fails =
        plugin.driver->launch(kernel, &launch, nullptr) == NEREID_DEVICE_FAULT;
    bool isReported = plugin.driver->synchronize(plugin.state, 0, launch.stream,
                                                 call) == NEREID_DEVICE_FAULT;
    plugin.unload(module);
    plugin.driver->free(plugin.state, 0, address, call);
    return fails && isReported;
  }

private:
  const Plugin &plugin;
  const Compiled image;
};

// The locks that other threads hold when a process forks are nobody's in the
// child.
TEST(Fork, TheChildUsesTheDeviceWhateverOtherThreadsDid) {
  Plugin plugin;
  Device device(plugin);
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!ends.load())
        EXPECT_TRUE(device.works());
    });
  for (int round = 0; round < 100; ++round)
    EXPECT_TRUE(succeedsInChild([&] { return device.works(); })) << round;
  ends.store(true);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace nereid::cpu::test
