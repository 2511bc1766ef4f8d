// KernelChecks.cpp - conformance of compiling and launching small kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Kernel.h"
#include "compile/Options.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <malloc.h>
#include <sys/wait.h>
#include <thread>

namespace nereid::host {

static void checkCompile(CheckedPlugin &subject) {
  (void)subject.ownCompiler();
  std::unique_ptr<Artifact> first = compileSample(subject, sumSample, {});
  expect(!first->output.empty(), "the last stage wrote nothing");
  std::unique_ptr<Artifact> second = compileSample(subject, sumSample, {});
  expect(first->output == second->output,
         "the same source and options gave other bytes the second time, so "
         "cached results cannot be compared");
  expect(first->metadata.encode() == second->metadata.encode(),
         "the same source and options gave other metadata the second time");
}

// A kernel is described by the stage that makes the image.
static void checkMetadata(CheckedPlugin &subject) {
  (void)subject.ownCompiler();
  std::unique_ptr<Artifact> artifact = compileSample(subject, sumSample, {});
  if (!artifact->isImage)
    throw CheckSkipped{"the pipeline ends before an image"};
  expect(artifact->metadata.string("name").has_value(),
         "the metadata of the image has no 'name'");
  Result<ArgumentLayout> layout = ArgumentLayout::read(artifact->metadata);
  if (!layout)
    throw CheckFailed{layout.failure().text};
  expect(layout->arguments.size() >= 3,
         "the metadata describes " + std::to_string(layout->arguments.size()) +
             " arguments of a kernel with 3");
  for (size_t i = 0; i < 3; ++i)
    expect(layout->arguments[i].type.starts_with('*'),
           "argument '" + layout->arguments[i].name + "' has type '" +
               layout->arguments[i].type +
               "', expected a pointer ('*f32'): callers pack it by its type");
}

// What users see most of a compiler is how it refuses.
static void checkDamagedSource(CheckedPlugin &subject) {
  (void)subject.ownCompiler();
  static constexpr std::string_view damaged =
      "module {\n  tt.func public @nereid_check(\n";
  Result<std::unique_ptr<Artifact>> artifact = tryCompile(subject, damaged, {});
  expect(!artifact, "a source that ends within a function is compiled");
  const std::string &why = artifact.failure().text;
  expect(why.find("gave no reason") == std::string::npos, why);
  (void)compileSample(subject, sumSample, {});
}

// Threads and processes that the first compilation has started.
static void checkShutdownOfCompiler(CheckedPlugin &subject) {
  // A sanitizer starts a thread of its own with the first one of a process.
  std::thread([] {}).join();
  size_t before = ProcessCounts::now().threads;
  (void)subject.ownCompiler();
  (void)compileSample(subject, sumSample, {});
  subject.unload();
  size_t after = ProcessCounts::now().threads;
  expect(after <= before, "shutdown left " + std::to_string(after - before) +
                              " threads of the compiler running");
  siginfo_t child = {};
  expect(waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) != 0 &&
             errno == ECHILD,
         "shutdown left processes of the compiler");
}

// ---------------------------------------------------------------- options

// Texts for `option` that differ from its default.
static std::vector<std::string> alternatives(const OptionSchema &option) {
  if (option.type == NEREID_TYPE_BOOL)
    return {option.defaultValue == "true" ? "false" : "true"};
  if (option.type == NEREID_TYPE_STRING) {
    std::vector<std::string> others;
    for (const std::string &choice : option.choices)
      if (choice != option.defaultValue)
        others.push_back(choice);
    return others;
  }
  if (option.type == NEREID_TYPE_I64) {
    std::vector<std::string> others;
    long long value = std::strtoll(option.defaultValue.c_str(), nullptr, 0);
    for (long long other : {value * 2, value + 1, value - 1})
      if (other != value && (!option.hasRange() || (other >= option.minimum &&
                                                    other <= option.maximum)))
        others.push_back(std::to_string(other));
    return others;
  }
  return {};
}

// The sample compiled with one option; null if the compiler refuses it, as an
// option may ask it to.
static std::unique_ptr<Artifact> compileWith(CheckedPlugin &subject,
                                             const nereid_value_t &value) {
  try {
    return compileSample(subject, sumSample, {&value, 1});
  } catch (const CheckFailed &) {
    return nullptr;
  } catch (const CheckSkipped &) {
    return nullptr;
  }
}

// The canonical text is in the key of the cache: options that give another
// image and the same text get each other's images.
static void checkOptionsInKey(CheckedPlugin &subject) {
  (void)subject.ownCompiler();
  Target target = subject.target();
  nereid_target_t raw = target.get();
  Result<std::vector<OptionSchema>> schema =
      readSchema(subject.compiler(), raw, &subject.log);
  if (!schema)
    throw CheckFailed{schema.failure().text};
  Result<ParsedOptions> none =
      ParsedOptions::parse(subject.compiler(), raw, {}, &subject.log);
  if (!none)
    throw CheckFailed{none.failure().text};
  std::unique_ptr<Artifact> plain = compileSample(subject, sumSample, {});
  for (const OptionSchema &option : *schema)
    for (const std::string &text : alternatives(option)) {
      nereid_value_t value = {};
      value.name = borrow(option.name);
      value.type = NEREID_TYPE_STRING;
      value.text = borrow(text);
      Result<ParsedOptions> parsed = ParsedOptions::parse(
          subject.compiler(), raw, {&value, 1}, &subject.log);
      if (!parsed || parsed->canonical() != none->canonical())
        continue;
      std::unique_ptr<Artifact> other = compileWith(subject, value);
      expect(!other || (other->output == plain->output &&
                        other->metadata.encode() == plain->metadata.encode()),
             "option '" + option.name + "' = '" + text +
                 "' changes the result and not the canonical text '" +
                 none->canonical() +
                 "', so a cache returns the image of other options");
    }
}

// ---------------------------------------------------------------- launches
static Bytes bytesOf(const std::vector<float> &values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

static std::vector<float> floatsOf(const Bytes &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

namespace {
/// Input and output of a sum, different for each `seed`.
struct Sum {
  std::vector<float> x, y, out;
  nereid_address_t addresses[3];

  /// `count` elements; the output has `guard` more behind them.
  Sum(const Device &device, uint32_t seed, size_t count, size_t guard)
      : x(count), y(count), out(count + guard, -1) {
    for (size_t i = 0; i < count; ++i) {
      x[i] = static_cast<float>(i + 1000 * seed);
      y[i] = 0.25f * static_cast<float>(seed + 1);
    }
    addresses[0] = device.upload(bytesOf(x));
    addresses[1] = device.upload(bytesOf(y));
    addresses[2] = device.upload(bytesOf(out));
  }
  void give(Kernel &kernel) const {
    for (size_t i = 0; i < 3; ++i)
      kernel.set(i, addresses[i]);
  }
  void expectResult(const Device &device, nereid_stream_t stream) const {
    std::vector<float> got = floatsOf(
        device.download(addresses[2], out.size() * sizeof(float), stream));
    if (got == out)
      throw CheckSkipped{"the launch succeeds but computes nothing"};
    for (size_t i = 0; i < x.size(); ++i)
      expect(got[i] == x[i] + y[i],
             device.name() + (stream ? ", a created stream" : "") +
                 ": element " + std::to_string(i) + " is " +
                 std::to_string(got[i]) + ", expected " +
                 std::to_string(x[i] + y[i]));
    for (size_t i = x.size(); i < got.size(); ++i)
      expect(got[i] == out[i],
             device.name() + ": the kernel wrote element " + std::to_string(i) +
                 ", which its mask excludes: n is " + std::to_string(x.size()));
  }
};
} // namespace

static std::vector<nereid_stream_t> streamsOf(const Device &device) {
  if (!device.subject.plugin().extensions.streams.isThere())
    return {0};
  return {0, device.createStream()};
}

static void checkLaunch(CheckedPlugin &subject) {
  for (const Device &device : Device::all(subject)) {
    std::unique_ptr<Artifact> artifact =
        compileSample(subject, sumSample, {}, device.index);
    Kernel kernel(device, *artifact, 3);
    for (nereid_stream_t stream : streamsOf(device)) {
      Sum sum(device, 2 * device.index + (stream != 0), sampleElements, 0);
      sum.give(kernel);
      kernel.launch(1, stream);
      device.synchronize(stream);
      sum.expectResult(device, stream);
    }
  }
}

static void checkMask(CheckedPlugin &subject) {
  static constexpr uint32_t programs = 3, count = 2 * sampleElements + 23;
  for (const Device &device : Device::all(subject)) {
    std::unique_ptr<Artifact> artifact =
        compileSample(subject, maskedSumSample, {}, device.index);
    Kernel kernel(device, *artifact, 4);
    Sum sum(device, 5 + device.index, count, 3 * sampleElements);
    sum.give(kernel);
    kernel.set(3, static_cast<int32_t>(count));
    kernel.launch(programs);
    device.synchronize();
    sum.expectResult(device, 0);
  }
}

static void checkLaunchMemory(CheckedPlugin &subject) {
  Device device = Device::all(subject).front();
  std::unique_ptr<Artifact> artifact = compileSample(subject, sumSample, {});
  Kernel kernel(device, *artifact, 3);
  Sum sum(device, 0, sampleElements, 0);
  sum.give(kernel);
  // What is made once, such as threads and what the longest queue needs, is
  // made in one of the rounds; a leak is in each of them.
  constexpr int rounds = 5, launches = 1000;
  size_t fewest = SIZE_MAX;
  for (int round = 0; round < rounds && fewest > launches; ++round) {
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < launches; ++i)
      kernel.launch();
    device.synchronize();
    size_t after = mallinfo2().uordblks;
    fewest = std::min(fewest, after > before ? after - before : 0);
  }
  expect(fewest <= launches, std::to_string(launches) + " launches keep " +
                                 std::to_string(fewest) + " bytes of memory");
}

// The copy that follows a long queue has ended when synchronize returns.
static void checkSynchronizeWaits(CheckedPlugin &subject) {
  static constexpr size_t count = 1 << 20;
  for (const Device &device : Device::all(subject)) {
    std::unique_ptr<Artifact> artifact =
        compileSample(subject, maskedSumSample, {}, device.index);
    Kernel kernel(device, *artifact, 4);
    Sum sum(device, 9, count, 0);
    sum.give(kernel);
    kernel.set(3, static_cast<int32_t>(count));
    Bytes result(count * sizeof(float), 0xee);
    for (int i = 0; i < 20; ++i)
      kernel.launch(count / sampleElements);
    device.copyOut(result, sum.addresses[2]);
    device.synchronize();
    // What a driver does after it returned would come later.
    Bytes atOnce = result;
    Bytes expected = device.download(sum.addresses[2], result.size());
    expect(atOnce == expected,
           "synchronize of " + device.name() +
               " returned before the work of its stream had ended");
    sum.expectResult(device, 0);
  }
}

static const nereid_value_t *debugOption(CheckedPlugin &subject,
                                         nereid_value_t &value) {
  Target target = subject.target();
  Result<std::vector<OptionSchema>> schema =
      readSchema(subject.compiler(), target.get(), &subject.log);
  if (!schema)
    throw CheckFailed{schema.failure().text};
  for (const OptionSchema &option : *schema)
    if (option.name == "debug" && option.type == NEREID_TYPE_BOOL) {
      value.name = borrow("debug");
      value.type = NEREID_TYPE_BOOL;
      value.i64 = 1;
      return &value;
    }
  return nullptr;
}

// A failing assertion is reported by synchronize, once.
static void checkFault(CheckedPlugin &subject) {
  Device device = Device::all(subject).front();
  nereid_value_t debug = {};
  const nereid_value_t *option = debugOption(subject, debug);
  std::unique_ptr<Artifact> artifact =
      compileSample(subject, assertionSample,
                    {option, static_cast<size_t>(option != nullptr)});
  Kernel kernel(device, *artifact, 2);
  Bytes zero(sizeof(int32_t));
  nereid_address_t out = device.upload(zero);
  kernel.set(0, out);
  kernel.set(1, int32_t(1));
  std::string why;
  nereid_status_t status = kernel.tryLaunch(why, 1, 0);
  if (status == NEREID_OK)
    status =
        attempt(subject, "synchronize", why,
                [&](Plugin &plugin, const nereid_call_t *call) {
                  return plugin.driver.synchronize(plugin.state, 0, 0, call);
                });
  if (status == NEREID_DEVICE_LOST)
    return; // it does not go on, and says so
  if (status != NEREID_OK) {
    expect(status == NEREID_DEVICE_FAULT,
           "a failing assertion was reported as " +
               std::string(statusName(status)) +
               ", expected device-fault: " + why);
    device.synchronize(); // reported once
    expect(device.download(device.upload(patternOf(64, 1)), 64) ==
               patternOf(64, 1),
           "the stream does not work after the fault was reported");
    return;
  }
  Bytes bytes = device.download(out, sizeof(int32_t));
  int32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  if (value == 0)
    throw CheckSkipped{"the launch succeeds but computes nothing"};
  if (value == 2)
    throw CheckSkipped{
        std::string("assertions have no effect") +
        (option ? " with option 'debug'"
                : "; a BOOL option 'debug' that enables them is used here")};
  throw CheckFailed{"a kernel ended at a failing assertion, and neither launch "
                    "nor synchronize reported it"};
}

std::span<const Check> kernelChecks() {
  static constexpr Check checks[] = {
      {"compile-repeatable", checkCompile,
       "Compiling twice returns the same bytes and metadata."},
      {"image-metadata", checkMetadata,
       "The metadata of an image names the kernel and describes its "
       "arguments."},
      {"option-in-key", checkOptionsInKey,
       "An option that changes the result changes the canonical text."},
      {"damaged-source-refused", checkDamagedSource,
       "Compiling a damaged source fails with a reason, and the next "
       "compilation succeeds."},
      {"shutdown-ends-compiler", checkShutdownOfCompiler,
       "`shutdown` after a compilation leaves no thread and no process."},
      {"launch", checkLaunch,
       "A kernel computes correct sums on every device, on stream 0 and on a "
       "created stream."},
      {"launch-masked", checkMask,
       "A kernel writes nothing that its mask excludes."},
      {"launch-keeps-no-memory", checkLaunchMemory,
       "Launches do not leak host memory."},
      {"synchronize-waits", checkSynchronizeWaits,
       "`synchronize` returns when all work of the stream has ended."},
      {"fault-reported", checkFault,
       "A failing assertion is reported once, and then the stream can be used "
       "again."},
  };
  return checks;
}

} // namespace nereid::host
