// ArchiveDevice.cpp - chooses variants and images.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/ArchiveDevice.h"

#include "abi/Call.h"
#include "abi/Struct.h"
#include "archive/ImageFit.h"
#include "support/Error.h"
#include "support/Json.h"
#include "text/ShortTarget.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace nereid::host {

namespace {
/// A condition on the packed block.
struct Test {
  uint32_t offset, size;
  ConditionKind kind;
  int64_t value;
  bool isSigned;

  bool holds(const char *block) const {
    uint64_t bits = 0;
    std::memcpy(&bits, block + offset, size);
    if (kind == ConditionKind::DivisibleBy)
      return bits % static_cast<uint64_t>(value) == 0;
    if (isSigned && size < 8) {
      unsigned shift = 64 - 8 * size;
      bits =
          static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
    }
    return bits == static_cast<uint64_t>(value);
  }
};

/// A parameter that moves from the kernel's block to that of a variant.
struct Move {
  uint32_t from, to, size;
};

struct Attempt {
  std::string target, result;
  int32_t score;
  bool isUsed;
};
} // namespace

struct ArchiveDevice::Variant {
  std::vector<Test> tests;
  uint32_t place; // of its record
  // Set once, together with all it needs; read by launches without a lock.
  std::atomic<const Function *> function{nullptr};
  std::atomic<bool> isMissing{false};
  bool isDirect = false; // the block is passed on as it is
  uint64_t blockSize = 0;
  std::vector<Move> moves;
  std::unique_ptr<Function> owner;
  std::vector<Attempt> attempts;
};

struct ArchiveDevice::Kernel {
  uint32_t place;
  std::string name;
  ArgumentLayout layout;
  std::vector<std::unique_ptr<Variant>> variants;
  std::mutex loading;
};

ArchiveDevice::~ArchiveDevice() {
  for (const auto &[stream, scratch] : scratches) {
    Call call(log, plugin->info);
    nereid_status_t status = call.run([&, address = scratch.address] {
      return plugin->driver.free(plugin->state, device, address, call.get());
    });
    if (status != NEREID_OK)
      call.warn(status, "free");
  }
}

Result<std::unique_ptr<ArchiveDevice>>
ArchiveDevice::make(std::shared_ptr<const Archive> archive,
                    std::shared_ptr<Plugin> plugin, uint32_t device,
                    CompileTtir compile, const Log *log, Trace *trace) {
  if (Outcome checked = checkDevice(*plugin, device); !checked)
    return checked.failure();
  Result<Target> target = Target::ofDevice(*plugin, device, log);
  if (!target)
    return target.failure();
  std::unique_ptr<ArchiveDevice> made(new ArchiveDevice);
  uint32_t count = archive->counts().kernels;
  made->archive = std::move(archive);
  made->plugin = std::move(plugin);
  made->device = device;
  made->target = std::move(*target);
  made->compile = std::move(compile);
  made->log = log;
  made->trace = trace;
  made->kernels = std::make_unique<std::atomic<Kernel *>[]>(count);
  return made;
}

static Test testOf(const ConditionRecord &condition,
                   const ArgumentLayout &layout) {
  const Argument &argument = layout.arguments[condition.argument];
  return {argument.offset, argument.size, condition.kind, condition.value,
          argument.type.starts_with('i') && argument.type != "i1"};
}

Result<std::unique_ptr<ArchiveDevice::Kernel>>
ArchiveDevice::makeKernel(uint32_t place) const {
  Result<ArgumentLayout> layout = archive->argumentsOf(place);
  if (!layout)
    return layout.failure();
  KernelRecord record = archive->kernel(place);
  auto kernel = std::make_unique<Kernel>();
  kernel->place = place;
  kernel->name = archive->text(record.name);
  kernel->layout = std::move(*layout);
  if (kernel->layout.size > largestArchivedBlock)
    return Failure{
        NEREID_INCOMPATIBLE,
        archive->name() + ": kernel '" + kernel->name +
            "' takes arguments of " + std::to_string(kernel->layout.size) +
            " bytes, expected at most " + std::to_string(largestArchivedBlock)};
  for (uint32_t v = 0; v < record.variants.count; ++v) {
    auto variant = std::make_unique<Variant>();
    variant->place = record.variants.first + v;
    Range conditions = archive->variant(variant->place).conditions;
    for (uint32_t i = 0; i < conditions.count; ++i) {
      ConditionRecord condition = archive->condition(conditions.first + i);
      Test test = testOf(condition, kernel->layout);
      if (test.size > 8)
        return Failure{NEREID_INCOMPATIBLE,
                       archive->name() + ": a condition on an argument of " +
                           std::to_string(test.size) + " bytes"};
      variant->tests.push_back(test);
    }
    kernel->variants.push_back(std::move(variant));
  }
  return kernel;
}

Result<ArchiveDevice::Kernel *> ArchiveDevice::kernelAt(uint32_t place) {
  uint32_t count = archive->counts().kernels;
  if (place >= count)
    return Failure{NEREID_NOT_FOUND, archive->name() + ": no kernel " +
                                         std::to_string(place) + ", it has " +
                                         std::to_string(count)};
  if (Kernel *known = kernels[place].load(std::memory_order_acquire))
    return known;
  std::lock_guard lock(making);
  if (Kernel *known = kernels[place].load(std::memory_order_acquire))
    return known;
  Result<std::unique_ptr<Kernel>> made = makeKernel(place);
  if (!made)
    return made.failure();
  Kernel *kernel = made->get();
  owned.push_back(std::move(*made));
  kernels[place].store(kernel, std::memory_order_release);
  return kernel;
}

Result<std::unique_ptr<Artifact>>
readArtifact(const Archive &archive, uint32_t image, std::string name) {
  ImageRecord record = archive.image(image);
  Result<Values> metadata = archive.metadata(record);
  if (!metadata)
    return metadata.failure();
  Result<ArchiveBytes> bytes = archive.read(record.blob);
  if (!bytes)
    return bytes.failure();
  auto artifact = std::make_unique<Artifact>();
  artifact->sourceName = std::move(name);
  artifact->pluginId = archive.text(record.compiler);
  artifact->lastStage = archive.text(record.stage);
  artifact->kind = archive.text(record.kind);
  artifact->extension = archive.text(record.extension);
  artifact->isImage = true;
  artifact->isFromCache = true;
  artifact->metadata = std::move(*metadata);
  artifact->keepAlive = bytes->storage;
  artifact->output = bytes->bytes;
  return artifact;
}

Result<std::unique_ptr<Artifact>>
ArchiveDevice::artifactOf(const Kernel &kernel, uint32_t image) const {
  return readArtifact(*archive, image,
                      archive->name() + ": kernel '" + kernel.name + "'");
}

static Failure misfit(const std::string &found, const std::string &expected) {
  return {NEREID_INCOMPATIBLE,
          "the image takes " + found + ", the archive declares " + expected};
}

// Whether the compiled function takes what the archive says, and how its block
// is made of the kernel's.
static Outcome fitArguments(const ArgumentLayout &kernel,
                            const std::vector<uint32_t> &parameters,
                            const ArgumentLayout &image,
                            std::vector<Move> &moves, bool &isDirect) {
  if (image.arguments.size() != parameters.size())
    return misfit(std::to_string(image.arguments.size()) + " arguments",
                  std::to_string(parameters.size()));
  if (image.size > largestArchivedBlock)
    return misfit("arguments of " + std::to_string(image.size) + " bytes",
                  "at most " + std::to_string(largestArchivedBlock));
  isDirect = image.size == kernel.size;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Argument &from = kernel.arguments[parameters[i]];
    const Argument &to = image.arguments[i];
    if (from.size != to.size ||
        from.type.starts_with('*') != to.type.starts_with('*'))
      return misfit("argument '" + from.name + "' as '" + to.type + "'",
                    "'" + from.type + "'");
    isDirect &= from.offset == to.offset;
    moves.push_back({from.offset, to.offset, from.size});
  }
  return {};
}

// Makes a loaded image the one that launches of `variant` use.
Outcome ArchiveDevice::use(Kernel &kernel, Variant &variant,
                           const Artifact &artifact) {
  Result<std::unique_ptr<Function>> function =
      Function::load(plugin, device, artifact, log, trace);
  if (!function)
    return function.failure();
  Range range = archive->variant(variant.place).parameters;
  std::vector<uint32_t> parameters;
  for (uint32_t i = 0; i < range.count; ++i)
    parameters.push_back(archive->parameter(range.first + i));
  variant.moves.clear();
  const ArgumentLayout &layout = (*function)->layout();
  if (Outcome fits = fitArguments(kernel.layout, parameters, layout,
                                  variant.moves, variant.isDirect);
      !fits)
    return Failure{fits.failure().status,
                   artifact.sourceName + ": " + fits.failure().text};
  variant.blockSize = layout.size;
  variant.owner = std::move(*function);
  variant.function.store(variant.owner.get(), std::memory_order_release);
  return {};
}

// Whether another image may do better after this failure. The bytes are intact:
// an image that the driver calls invalid is one of another kind.
static bool isWorthAnother(nereid_status_t status) {
  return status == NEREID_INCOMPATIBLE || status == NEREID_UNIMPLEMENTED ||
         status == NEREID_OUT_OF_RESOURCES || status == NEREID_INVALID_ARGUMENT;
}

Outcome ArchiveDevice::loadImages(Kernel &kernel, Variant &variant) {
  struct Candidate {
    uint32_t image;
    size_t attempt;
    int32_t score;
  };
  std::vector<Candidate> candidates;
  Range images = archive->variant(variant.place).images;
  variant.attempts.clear();
  for (uint32_t i = 0; i < images.count; ++i) {
    ImageRecord record = archive->image(images.first + i);
    Target made = targetOf(*archive, record.target);
    ImageFit fit = {0, "for device type '" + made.backend + "'"};
    if (made.backend == target.backend) {
      Result<Values> metadata = archive->metadata(record);
      if (!metadata)
        return metadata.failure();
      fit = imageFit({made, archive->text(record.kind), &*metadata}, target);
    }
    variant.attempts.push_back({made.text(), fit.reason, fit.score, false});
    if (fit.score)
      candidates.push_back({images.first + i, i, fit.score});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::tuple(-a.score, a.image) <
                     std::tuple(-b.score, b.image);
            });
  for (const Candidate &candidate : candidates) {
    Attempt &attempt = variant.attempts[candidate.attempt];
    Result<std::unique_ptr<Artifact>> artifact =
        artifactOf(kernel, candidate.image);
    if (!artifact)
      return artifact.failure();
    Outcome used = use(kernel, variant, **artifact);
    attempt.isUsed = static_cast<bool>(used);
    if (used) {
      for (const Candidate &other : candidates)
        if (!variant.attempts[other.attempt].isUsed &&
            other.score <= candidate.score)
          variant.attempts[other.attempt].result += ", but another fits better";
      return {};
    }
    attempt.result = used.failure().text;
    if (!isWorthAnother(used.failure().status))
      return used;
  }
  return {};
}

Outcome ArchiveDevice::compileVariant(Kernel &kernel, Variant &variant) {
  VariantRecord record = archive->variant(variant.place);
  if (!compile || record.ttir == noBlob)
    return {};
  Result<ArchiveBytes> ttir = archive->read(record.ttir);
  if (!ttir)
    return ttir.failure();
  Result<std::unique_ptr<Artifact>> artifact =
      compile(ttir->bytes, archive->name() + ": kernel '" + kernel.name + "'",
              archive->text(record.options));
  if (!artifact)
    return artifact.failure();
  if (Outcome used = use(kernel, variant, **artifact); !used)
    return used;
  variant.attempts.push_back(
      {target.text(), "compiled from the embedded TTIR", exactScore, true});
  return {};
}

// A failure leaves the variant as it was, so that the next launch tries again.
Outcome ArchiveDevice::load(Kernel &kernel, Variant &variant) {
  std::lock_guard lock(kernel.loading);
  if (variant.function.load(std::memory_order_acquire) ||
      variant.isMissing.load(std::memory_order_acquire))
    return {};
  if (Outcome loaded = loadImages(kernel, variant); !loaded)
    return loaded;
  if (variant.function.load(std::memory_order_relaxed))
    return {};
  if (Outcome compiled = compileVariant(kernel, variant); !compiled)
    return compiled;
  if (!variant.function.load(std::memory_order_relaxed))
    variant.isMissing.store(true, std::memory_order_release);
  return {};
}

Failure ArchiveDevice::noImage(const Kernel &kernel) const {
  const Variant &last = *kernel.variants.back();
  std::string text = archive->name() + ": kernel '" + kernel.name +
                     "' has no image for the device, whose target is '" +
                     target.shortText() + "'";
  for (const Attempt &attempt : last.attempts)
    text += "\nnote: image for '" + shortTarget(attempt.target) +
            "': " + attempt.result;
  if (archive->variant(last.place).ttir != noBlob && !compile)
    text += "\nnote: its TTIR is embedded: allow compiling, or build the "
            "archive for this target too";
  else
    text += "\nnote: build the archive for this target too";
  return {NEREID_INCOMPATIBLE, std::move(text)};
}

Outcome ArchiveDevice::wrongArguments(uint32_t place,
                                      const nereid_launch_t &launch) {
  Result<Kernel *> kernel = kernelAt(place);
  if (!kernel)
    return kernel.failure();
  return Failure{
      NEREID_INVALID_ARGUMENT,
      (*kernel)->name + ": the arguments are " +
          (launch.arguments ? std::to_string(launch.arguments_size) + " bytes"
                            : std::string("a null pointer")) +
          ", expected " + std::to_string((*kernel)->layout.size) +
          " bytes for " + std::to_string((*kernel)->layout.arguments.size()) +
          " arguments"};
}

// Memory for all programs, kept for the next launch of the stream.
Outcome ArchiveDevice::provideScratch(uint64_t size, uint64_t alignment,
                                      nereid_launch_t &launch) {
  Scratch &scratch = scratches[launch.stream];
  if (scratch.size < size || scratch.alignment < alignment) {
    const nereid_driver_t &driver = plugin->driver;
    if (scratch.address) {
      Call wait(log, plugin->info);
      nereid_status_t status = wait.run([&] {
        return driver.synchronize(plugin->state, device, launch.stream,
                                  wait.get());
      });
      if (status != NEREID_OK)
        return wait.failure(status, "synchronize");
      Call release(log, plugin->info);
      nereid_address_t address = std::exchange(scratch, {}).address;
      status = release.run([&] {
        return driver.free(plugin->state, device, address, release.get());
      });
      if (status != NEREID_OK)
        return release.failure(status, "free");
    }
    nereid_allocation_t request = {sizeof request, 0, size, alignment};
    nereid_address_t address = 0;
    Call allocate(log, plugin->info);
    nereid_status_t status = allocate.run([&] {
      return driver.allocate(plugin->state, device, &request, &address,
                             allocate.get());
    });
    if (status != NEREID_OK)
      return allocate.failure(status, "allocate");
    scratch = {address, size, alignment};
  }
  launch.scratch = scratch.address;
  launch.scratch_size = scratch.size;
  return {};
}

// A kernel that needs scratch memory gets it, unless the caller gave some.
nereid_status_t ArchiveDevice::start(const Function &function,
                                     const nereid_launch_t &given) noexcept {
  uint64_t each = function.scratchBytes();
  if (!each) [[likely]]
    return function.launch(given);
  nereid_launch_t launch = readStruct(given);
  uint64_t programs = uint64_t{launch.grid[0]} * launch.grid[1], size = 0;
  bool isTooLarge =
      __builtin_mul_overflow(programs, launch.grid[2], &programs) ||
      __builtin_mul_overflow(programs, each, &size);
  // What is wrong with the grid, or with the caller's own memory, the function
  // reports.
  if (isTooLarge || !size || launch.scratch)
    return function.launch(launch);
  std::lock_guard lock(scratching);
  nereid_status_t status = guarded([&] {
    return provideScratch(size, function.scratchAlignmentBytes(), launch);
  });
  return status == NEREID_OK ? function.launch(launch) : status;
}

nereid_status_t
ArchiveDevice::launchVariant(const Variant &variant,
                             const nereid_launch_t &given) noexcept {
  const Function *function = variant.function.load(std::memory_order_relaxed);
  if (variant.isDirect)
    return start(*function, given);
  alignas(64) char block[largestArchivedBlock];
  std::memset(block, 0, variant.blockSize);
  const char *from = static_cast<const char *>(given.arguments);
  for (const Move &move : variant.moves)
    std::memcpy(block + move.to, from + move.from, move.size);
  nereid_launch_t launch = readStruct(given);
  launch.arguments = block;
  launch.arguments_size = variant.blockSize;
  return start(*function, launch);
}

nereid_status_t ArchiveDevice::launch(uint32_t place,
                                      const nereid_launch_t &launch) noexcept {
  Kernel *kernel = place < archive->counts().kernels
                       ? kernels[place].load(std::memory_order_acquire)
                       : nullptr;
  if (!kernel) [[unlikely]] {
    nereid_status_t status = guarded([&]() -> Outcome {
      Result<Kernel *> made = kernelAt(place);
      if (!made)
        return made.failure();
      kernel = *made;
      return {};
    });
    if (status != NEREID_OK)
      return status;
  }
  if (launch.arguments_size != kernel->layout.size ||
      (!launch.arguments && kernel->layout.size)) [[unlikely]]
    return guarded([&] { return wrongArguments(place, launch); });
  const char *block = static_cast<const char *>(launch.arguments);
  for (const std::unique_ptr<Variant> &variant : kernel->variants) {
    bool holds =
        std::all_of(variant->tests.begin(), variant->tests.end(),
                    [&](const Test &test) { return test.holds(block); });
    if (!holds)
      continue;
    if (variant->function.load(std::memory_order_acquire)) [[likely]]
      return launchVariant(*variant, launch);
    if (variant->isMissing.load(std::memory_order_acquire))
      continue;
    nereid_status_t status = guarded([&] { return load(*kernel, *variant); });
    if (status != NEREID_OK)
      return status;
    if (variant->function.load(std::memory_order_acquire))
      return launchVariant(*variant, launch);
  }
  return guarded([&]() -> Outcome { return noImage(*kernel); });
}

Outcome ArchiveDevice::prepare(uint32_t place) {
  Result<Kernel *> kernel = kernelAt(place);
  if (!kernel)
    return kernel.failure();
  for (const std::unique_ptr<Variant> &variant : (*kernel)->variants)
    if (Outcome loaded = load(**kernel, *variant); !loaded)
      return loaded;
  if ((*kernel)->variants.back()->function.load(std::memory_order_acquire))
    return {};
  return noImage(**kernel);
}

Result<Json> ArchiveDevice::explain(uint32_t place) {
  Result<Kernel *> kernel = kernelAt(place);
  if (!kernel)
    return kernel.failure();
  Outcome prepared = prepare(place);
  Json variants = Json::array();
  std::lock_guard lock((*kernel)->loading);
  for (const std::unique_ptr<Variant> &variant : (*kernel)->variants) {
    Json images = Json::array();
    for (const Attempt &attempt : variant->attempts)
      images.push_back({{"target", attempt.target},
                        {"used", attempt.isUsed},
                        {"score", attempt.score},
                        {"reason", attempt.result}});
    variants.push_back(
        {{"conditions", static_cast<uint64_t>(variant->tests.size())},
         {"images", std::move(images)}});
  }
  Json json = {{"kernel", (*kernel)->name},
               {"plugin", plugin->info.id},
               {"target", target.text()},
               {"launchable", static_cast<bool>(prepared)},
               {"variants", std::move(variants)}};
  if (!prepared)
    json["error"] = prepared.failure().text;
  return json;
}

} // namespace nereid::host
