// ArchiveWriter.cpp - checks kernels as they come, and lays them out.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/ArchiveWriter.h"

#include "archive/Compress.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace nereid::host {

static Failure invalid(const std::string &kernel, const std::string &text) {
  return {NEREID_INVALID_ARGUMENT, "kernel '" + kernel + "': " + text};
}

static bool isEqual(const NewVariant &variant, uint32_t argument) {
  return std::any_of(variant.conditions.begin(), variant.conditions.end(),
                     [&](const ConditionRecord &condition) {
                       return condition.argument == argument &&
                              condition.kind == ConditionKind::EqualTo;
                     });
}

static Outcome checkConditions(const NewKernel &kernel,
                               const NewVariant &variant) {
  for (const ConditionRecord &condition : variant.conditions) {
    if (condition.argument >= kernel.arguments.size())
      return invalid(kernel.name, "a condition on argument " +
                                      std::to_string(condition.argument) +
                                      " of " +
                                      std::to_string(kernel.arguments.size()));
    const auto &[name, type] = kernel.arguments[condition.argument];
    bool isPointer = type.starts_with('*');
    bool isInteger = type.starts_with('i') || type.starts_with('u');
    bool isKnown =
        condition.kind == ConditionKind::EqualTo ||
        (condition.kind == ConditionKind::DivisibleBy && condition.value > 0);
    bool fits = condition.kind == ConditionKind::EqualTo
                    ? isInteger
                    : isInteger || isPointer;
    if (!isKnown || !fits)
      return invalid(kernel.name, "argument '" + name + "' of type '" + type +
                                      "' cannot have this condition");
  }
  return {};
}

static Outcome checkVariant(const NewKernel &kernel,
                            const NewVariant &variant) {
  if (Outcome checked = checkConditions(kernel, variant); !checked)
    return checked;
  uint32_t next = 0;
  for (uint32_t argument : variant.parameters) {
    if (argument < next || argument >= kernel.arguments.size())
      return invalid(kernel.name, "parameter " + std::to_string(argument) +
                                      " is not one of its " +
                                      std::to_string(kernel.arguments.size()) +
                                      " arguments, or not in their order");
    next = argument + 1;
  }
  for (uint32_t i = 0; i < kernel.arguments.size(); ++i)
    if (!std::count(variant.parameters.begin(), variant.parameters.end(), i) &&
        !isEqual(variant, i))
      return invalid(kernel.name,
                     "argument '" + kernel.arguments[i].first +
                         "' is neither passed to a variant nor has it a known "
                         "value there");
  return {};
}

Outcome ArchiveWriter::add(NewKernel kernel) {
  if (kernel.name.empty())
    return Failure{NEREID_INVALID_ARGUMENT, "a kernel without a name"};
  if (kernels.contains(kernel.name))
    return invalid(kernel.name, "there is one of that name already");
  Result<ArgumentLayout> layout = ArgumentLayout::standard(kernel.arguments);
  if (!layout)
    return invalid(kernel.name, layout.failure().text);
  if (layout->size > largestArchivedBlock)
    return invalid(kernel.name, "its arguments take " +
                                    std::to_string(layout->size) +
                                    " bytes, an archive allows " +
                                    std::to_string(largestArchivedBlock));
  std::set<std::string_view> names;
  for (const auto &[name, type] : kernel.arguments)
    if (!names.insert(name).second)
      return invalid(kernel.name, "two arguments are called '" + name + "'");
  for (const NewVariant &variant : kernel.variants)
    if (Outcome checked = checkVariant(kernel, variant); !checked)
      return checked;
  std::string name = kernel.name;
  kernels.emplace(std::move(name), std::move(kernel));
  return {};
}

Result<NewKernel *> ArchiveWriter::find(std::string_view name) {
  auto found = kernels.find(name);
  if (found == kernels.end())
    return Failure{NEREID_NOT_FOUND,
                   "no kernel '" + std::string(name) + "' was added"};
  return &found->second;
}

Outcome ArchiveWriter::addVariant(std::string_view name, NewVariant variant) {
  Result<NewKernel *> kernel = find(name);
  if (!kernel)
    return kernel.failure();
  if (Outcome checked = checkVariant(**kernel, variant); !checked)
    return checked;
  (*kernel)->variants.push_back(std::move(variant));
  return {};
}

static bool isSame(const Target &a, const Target &b) {
  return std::tie(a.backend, a.arch, a.features, a.warpSize) ==
         std::tie(b.backend, b.arch, b.features, b.warpSize);
}

static const NewImage *imageFor(const NewVariant &variant,
                                const Target &target) {
  for (const NewImage &image : variant.images)
    if (isSame(image.target, target))
      return &image;
  return nullptr;
}

Outcome ArchiveWriter::addImage(std::string_view name, uint32_t variant,
                                NewImage image) {
  Result<NewKernel *> kernel = find(name);
  if (!kernel)
    return kernel.failure();
  std::string kernelName(name);
  if (variant >= (*kernel)->variants.size())
    return invalid(kernelName, "no variant " + std::to_string(variant) +
                                   ", it has " +
                                   std::to_string((*kernel)->variants.size()));
  NewVariant &into = (*kernel)->variants[variant];
  if (image.target.backend.empty())
    return invalid(kernelName, "an image for no device type");
  if (image.bytes.size() > largestBlob)
    return invalid(kernelName, "an image of " +
                                   std::to_string(image.bytes.size()) +
                                   " bytes, an archive allows " +
                                   std::to_string(largestBlob));
  if (imageFor(into, image.target))
    return invalid(kernelName,
                   "a second image for " + image.target.description());
  into.images.push_back(std::move(image));
  return {};
}

// A kernel of an archive, with the bytes of its images.
static Result<NewKernel> readKernel(const Archive &archive, uint32_t place) {
  KernelRecord record = archive.kernel(place);
  NewKernel kernel;
  kernel.name = archive.text(record.name);
  kernel.group = archive.text(record.group);
  std::copy_n(record.grid, 3, kernel.grid);
  for (uint32_t i = 0; i < record.arguments.count; ++i) {
    ArgumentRecord each = archive.argument(record.arguments.first + i);
    kernel.arguments.emplace_back(archive.text(each.name),
                                  archive.text(each.type));
  }
  for (uint32_t i = 0; i < record.constants.count; ++i) {
    ConstantRecord each = archive.constant(record.constants.first + i);
    kernel.constants.emplace_back(archive.text(each.name),
                                  archive.text(each.value));
  }
  for (uint32_t v = 0; v < record.variants.count; ++v) {
    VariantRecord from = archive.variant(record.variants.first + v);
    NewVariant variant;
    for (uint32_t i = 0; i < from.conditions.count; ++i)
      variant.conditions.push_back(
          archive.condition(from.conditions.first + i));
    for (uint32_t i = 0; i < from.parameters.count; ++i)
      variant.parameters.push_back(
          archive.parameter(from.parameters.first + i));
    variant.options = archive.text(from.options);
    variant.ttirDigest = from.ttirDigest;
    if (from.ttir != noBlob) {
      Result<ArchiveBytes> ttir = archive.read(from.ttir);
      if (!ttir)
        return ttir.failure();
      variant.ttir = ttir->bytes;
    }
    for (uint32_t i = 0; i < from.images.count; ++i) {
      ImageRecord each = archive.image(from.images.first + i);
      Result<ArchiveBytes> bytes = archive.read(each.blob);
      Result<ArchiveBytes> metadata = archive.read(each.metadata);
      if (!bytes)
        return bytes.failure();
      if (!metadata)
        return metadata.failure();
      variant.images.push_back({targetOf(archive, each.target),
                                std::string(bytes->bytes),
                                std::string(metadata->bytes),
                                std::string(archive.text(each.compiler)),
                                std::string(archive.text(each.stage)),
                                std::string(archive.text(each.kind)),
                                std::string(archive.text(each.extension))});
    }
    kernel.variants.push_back(std::move(variant));
  }
  return kernel;
}

static bool isSameSource(const NewVariant &a, const NewVariant &b) {
  auto isSameCondition = [](const ConditionRecord &x,
                            const ConditionRecord &y) {
    return x.argument == y.argument && x.kind == y.kind && x.value == y.value;
  };
  return a.ttirDigest == b.ttirDigest && a.options == b.options &&
         a.parameters == b.parameters &&
         std::equal(a.conditions.begin(), a.conditions.end(),
                    b.conditions.begin(), b.conditions.end(), isSameCondition);
}

Outcome ArchiveWriter::merge(NewKernel &into, NewKernel kernel,
                             const std::string &from) {
  if (into.group != kernel.group || into.arguments != kernel.arguments ||
      into.constants != kernel.constants ||
      !std::equal(into.variants.begin(), into.variants.end(),
                  kernel.variants.begin(), kernel.variants.end(), isSameSource))
    return Failure{NEREID_INVALID_ARGUMENT,
                   from + ": kernel '" + kernel.name +
                       "' is another one than that of the archives before it: "
                       "its group, arguments, constants or TTIR differ"};
  for (size_t v = 0; v < into.variants.size(); ++v) {
    NewVariant &variant = into.variants[v];
    if (variant.ttir.empty())
      variant.ttir = std::move(kernel.variants[v].ttir);
    for (NewImage &image : kernel.variants[v].images) {
      const NewImage *known = imageFor(variant, image.target);
      if (known &&
          (known->bytes != image.bytes || known->metadata != image.metadata))
        return Failure{
            NEREID_INVALID_ARGUMENT,
            from + ": kernel '" + kernel.name + "' has another image for " +
                image.target.description() + " than the archives before it"};
      if (!known)
        variant.images.push_back(std::move(image));
    }
  }
  return {};
}

Outcome ArchiveWriter::addFile(std::string_view name, std::string_view bytes) {
  if (name.empty())
    return Failure{NEREID_INVALID_ARGUMENT, "a file without a name"};
  if (bytes.size() > largestBlob)
    return Failure{
        NEREID_INVALID_ARGUMENT,
        "file '" + std::string(name) + "' has " + std::to_string(bytes.size()) +
            " bytes, an archive allows " + std::to_string(largestBlob)};
  auto [known, isNew] = files.try_emplace(std::string(name), bytes);
  if (!isNew && known->second != bytes)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "file '" + std::string(name) +
                       "' is added twice, with different bytes"};
  return {};
}

Outcome ArchiveWriter::addArchive(const Archive &archive) {
  for (uint32_t i = 0; i < archive.counts().kernels; ++i) {
    Result<NewKernel> kernel = readKernel(archive, i);
    if (!kernel)
      return kernel.failure();
    auto known = kernels.find(kernel->name);
    Outcome added =
        known == kernels.end()
            ? add(std::move(*kernel))
            : merge(known->second, std::move(*kernel), archive.name());
    if (!added)
      return added;
  }
  for (uint32_t i = 0; i < archive.counts().files; ++i) {
    FileRecord record = archive.file(i);
    Result<ArchiveBytes> bytes = archive.read(record.blob);
    if (!bytes)
      return bytes.failure();
    if (Outcome added = addFile(archive.text(record.name), bytes->bytes);
        !added)
      return Failure{added.failure().status,
                     archive.name() + ": " + added.failure().text};
  }
  return {};
}

namespace {
/// Tables, text and blobs while they grow.
class Layouter {
public:
  explicit Layouter(Compression compression) : compression(compression) {}

  Outcome add(const std::map<std::string, NewKernel, std::less<>> &kernels);
  Outcome addFile(const std::string &name, const std::string &bytes);
  Result<std::string> assemble(const Integrity &contract) const;

private:
  struct Blob {
    std::string stored;
    uint64_t plainSize;
    Compression compression;
    uint64_t alignment;
  };

  TextRef text(const std::string &value);
  Result<uint32_t> blob(const std::string &plain, uint64_t alignment);
  void addTargets(const std::map<std::string, NewKernel, std::less<>> &kernels);
  uint32_t targetPlace(const Target &target) const;
  Outcome addKernel(const NewKernel &kernel);
  Outcome addVariant(const NewVariant &variant);
  Outcome addImages(const NewVariant &variant);

  template <typename Record>
  void append(std::string &table, const Record &record) {
    size_t at = table.size();
    table.resize(at + Record::size);
    encodeRecord(record, table.data() + at);
  }

  const Compression compression;
  IndexCounts counts;
  std::string targets, kernelTable, arguments, constants, variants, conditions,
      parameters, images, files, texts;
  std::vector<Blob> blobs;
  std::vector<Target> sortedTargets;
  std::unordered_map<std::string, TextRef> knownTexts;
  std::map<std::pair<Digest, uint64_t>, uint32_t,
           bool (*)(const std::pair<Digest, uint64_t> &,
                    const std::pair<Digest, uint64_t> &)>
      knownBlobs{[](const auto &a, const auto &b) {
        return std::tie(a.first.bytes, a.second) <
               std::tie(b.first.bytes, b.second);
      }};
};
} // namespace

TextRef Layouter::text(const std::string &value) {
  auto [known, isNew] = knownTexts.try_emplace(
      value, TextRef{static_cast<uint32_t>(texts.size()),
                     static_cast<uint32_t>(value.size())});
  if (isNew)
    texts += value;
  return known->second;
}

// Equal bytes are stored once: variants often compile to the same code.
Result<uint32_t> Layouter::blob(const std::string &plain, uint64_t alignment) {
  auto place = static_cast<uint32_t>(blobs.size());
  auto [known, isNew] =
      knownBlobs.try_emplace({sha256(plain), alignment}, place);
  if (!isNew)
    return known->second;
  Blob made = {plain, plain.size(), Compression::None, alignment};
  if (compression == Compression::Zstd) {
    Result<std::string> smaller = compress(plain);
    if (!smaller)
      return smaller.failure();
    if (smaller->size() < plain.size())
      made = {std::move(*smaller), plain.size(), Compression::Zstd,
              blobAlignment};
  }
  blobs.push_back(std::move(made));
  return place;
}

static auto key(const Target &target) {
  return std::tie(target.backend, target.arch, target.features,
                  target.warpSize);
}

void Layouter::addTargets(
    const std::map<std::string, NewKernel, std::less<>> &kernels) {
  auto isLess = [](const Target &a, const Target &b) {
    return key(a) < key(b);
  };
  std::set<Target, decltype(isLess)> all(isLess);
  for (const auto &[name, kernel] : kernels)
    for (const NewVariant &variant : kernel.variants)
      for (const NewImage &image : variant.images)
        all.insert(image.target);
  sortedTargets.assign(all.begin(), all.end());
  for (const Target &target : sortedTargets)
    append(targets, TargetRecord{text(target.backend), text(target.arch),
                                 text(target.features), target.warpSize});
  counts.targets = static_cast<uint32_t>(sortedTargets.size());
}

uint32_t Layouter::targetPlace(const Target &target) const {
  auto found = std::lower_bound(
      sortedTargets.begin(), sortedTargets.end(), target,
      [](const Target &a, const Target &b) { return key(a) < key(b); });
  return static_cast<uint32_t>(found - sortedTargets.begin());
}

Outcome Layouter::addImages(const NewVariant &variant) {
  std::vector<const NewImage *> sorted;
  for (const NewImage &image : variant.images)
    sorted.push_back(&image);
  std::sort(sorted.begin(), sorted.end(),
            [](const NewImage *a, const NewImage *b) {
              return key(a->target) < key(b->target);
            });
  for (const NewImage *image : sorted) {
    Result<uint32_t> bytes = blob(image->bytes, imageAlignment);
    if (!bytes)
      return bytes.failure();
    Result<uint32_t> metadata = blob(image->metadata, blobAlignment);
    if (!metadata)
      return metadata.failure();
    append(images, ImageRecord{targetPlace(image->target), *bytes, *metadata,
                               text(image->compiler), text(image->stage),
                               text(image->kind), text(image->extension)});
    ++counts.images;
  }
  return {};
}

Outcome Layouter::addVariant(const NewVariant &variant) {
  VariantRecord record;
  auto size = [](const auto &list) {
    return static_cast<uint32_t>(list.size());
  };
  record.conditions = {counts.conditions, size(variant.conditions)};
  record.parameters = {counts.parameters, size(variant.parameters)};
  record.images = {counts.images, size(variant.images)};
  record.options = text(variant.options);
  record.ttirDigest = variant.ttirDigest;
  for (const ConditionRecord &condition : variant.conditions)
    append(conditions, condition);
  for (uint32_t argument : variant.parameters)
    append(parameters, ParameterRecord{argument});
  counts.conditions += record.conditions.count;
  counts.parameters += record.parameters.count;
  if (!variant.ttir.empty()) {
    Result<uint32_t> ttir = blob(variant.ttir, blobAlignment);
    if (!ttir)
      return ttir.failure();
    record.ttir = *ttir;
  }
  append(variants, record);
  ++counts.variants;
  return addImages(variant);
}

Outcome Layouter::addKernel(const NewKernel &kernel) {
  KernelRecord record;
  auto size = [](const auto &list) {
    return static_cast<uint32_t>(list.size());
  };
  record.name = text(kernel.name);
  record.group = text(kernel.group);
  record.arguments = {counts.arguments, size(kernel.arguments)};
  record.constants = {counts.constants, size(kernel.constants)};
  record.variants = {counts.variants, size(kernel.variants)};
  std::copy_n(kernel.grid, 3, record.grid);
  append(kernelTable, record);
  for (const auto &[name, type] : kernel.arguments)
    append(arguments, ArgumentRecord{text(name), text(type)});
  for (const auto &[name, value] : kernel.constants)
    append(constants, ConstantRecord{text(name), text(value)});
  counts.arguments += record.arguments.count;
  counts.constants += record.constants.count;
  ++counts.kernels;
  for (const NewVariant &variant : kernel.variants)
    if (Outcome added = addVariant(variant); !added)
      return added;
  return {};
}

Outcome
Layouter::add(const std::map<std::string, NewKernel, std::less<>> &kernels) {
  addTargets(kernels);
  for (const auto &[name, kernel] : kernels)
    if (Outcome added = addKernel(kernel); !added)
      return added;
  return {};
}

Outcome Layouter::addFile(const std::string &name, const std::string &bytes) {
  Result<uint32_t> place = blob(bytes, blobAlignment);
  if (!place)
    return place.failure();
  append(files, FileRecord{text(name), *place});
  ++counts.files;
  return {};
}

static void padTo(std::string &bytes, uint64_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0');
}

Result<std::string> Layouter::assemble(const Integrity &contract) const {
  IndexCounts all = counts;
  all.blobs = static_cast<uint32_t>(blobs.size());
  all.text = static_cast<uint32_t>(texts.size());
  IndexLayout layout(all);
  if (texts.size() > UINT32_MAX)
    return Failure{NEREID_OUT_OF_RESOURCES,
                   "the names in the archive exceed 4 GiB"};
  std::string index(IndexCounts::size, '\0');
  encodeRecord(all, index.data());
  for (const std::string *table :
       {&targets, &kernelTable, &arguments, &constants, &variants, &conditions,
        &parameters, &images}) {
    index += *table;
    padTo(index, 8);
  }
  uint64_t end = archiveHeaderSize + layout.end;
  std::vector<uint64_t> offsets;
  for (const Blob &each : blobs) {
    end = (end + each.alignment - 1) / each.alignment * each.alignment;
    offsets.push_back(end);
    BlobRecord record = {end, each.stored.size(), each.plainSize,
                         each.compression, integrityOf(each.stored)};
    size_t at = index.size();
    index.resize(at + BlobRecord::size);
    encodeRecord(record, index.data() + at);
    end += each.stored.size();
  }
  index += files;
  index += texts;

  ArchiveHeader header;
  header.minor = counts.files ? minorOfFiles : 0;
  header.totalSize = end;
  header.indexSize = index.size();
  header.indexDigest = integrityOf(index);
  header.contract = contract;
  std::string file = header.encode() + index;
  file.reserve(end);
  for (size_t i = 0; i < blobs.size(); ++i) {
    file.resize(offsets[i], '\0');
    file += blobs[i].stored;
  }
  return file;
}

Result<std::string> ArchiveWriter::finish(Compression compression) const {
  ContractDigest contract;
  for (const auto &[name, kernel] : kernels) {
    if (kernel.variants.empty() || !kernel.variants.back().conditions.empty())
      return invalid(name, "its last variant must have no conditions, so that "
                           "every launch has one");
    contract.addKernel(name, kernel.group, kernel.arguments.size());
    for (const auto &[argument, type] : kernel.arguments)
      contract.addArgument(argument, type);
  }
  Layouter layouter(compression);
  if (Outcome added = layouter.add(kernels); !added)
    return added.failure();
  for (const auto &[name, bytes] : files)
    if (Outcome added = layouter.addFile(name, bytes); !added)
      return added.failure();
  return layouter.assemble(contract.finish());
}

} // namespace nereid::host
