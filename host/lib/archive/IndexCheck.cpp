// IndexCheck.cpp - checks each record of an index once, in the order of the
// tables.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/IndexCheck.h"

#include <tuple>

namespace nereid::host {

namespace {
class IndexChecker {
public:
  IndexChecker(std::string_view index, const IndexCounts &counts,
               uint64_t totalSize)
      : index(index), counts(counts), layout(counts), totalSize(totalSize) {}

  Outcome check();

private:
  template <typename Record> Record read(uint64_t table, uint32_t place) {
    Record record;
    if (!decodeRecord(index.data() + table + place * Record::size, record))
      isReservedZero = false;
    return record;
  }
  bool has(TextRef ref) const {
    return ref.size <= counts.text && ref.offset <= counts.text - ref.size;
  }
  std::string_view text(TextRef ref) const {
    return index.substr(layout.text + ref.offset, ref.size);
  }
  bool hasBlob(uint32_t blob) const { return blob < counts.blobs; }

  // Ranges of consecutive records must follow each other.
  static bool follows(Range range, uint32_t &next, uint32_t limit) {
    if (range.first != next || range.count > limit - next)
      return false;
    next += range.count;
    return true;
  }

  bool checkTargets();
  bool checkKernels();
  bool checkArguments(const KernelRecord &kernel);
  bool checkVariants(const KernelRecord &kernel);
  bool checkConditions(const VariantRecord &variant, uint32_t arguments);
  bool checkParameters(const VariantRecord &variant, uint32_t arguments);
  bool isBound(const VariantRecord &variant, uint32_t argument);
  bool checkImages(const VariantRecord &variant);
  bool checkBlobs();
  bool checkFiles();
  bool checkPadding() const;
  Failure malformed() const;
  bool fail(const char *table, uint32_t place) {
    wrongTable = table;
    wrongPlace = place;
    return false;
  }

  const std::string_view index;
  const IndexCounts counts;
  const IndexLayout layout;
  const uint64_t totalSize;
  // Where the records of the next kernel and variant start.
  uint32_t nextArgument = 0, nextConstant = 0, nextVariant = 0;
  uint32_t nextCondition = 0, nextParameter = 0, nextImage = 0;
  bool isReservedZero = true;
  const char *wrongTable = "";
  uint32_t wrongPlace = 0;
};
} // namespace

bool IndexChecker::checkTargets() {
  std::tuple<std::string_view, std::string_view, std::string_view, int32_t>
      previous;
  for (uint32_t i = 0; i < counts.targets; ++i) {
    auto target = read<TargetRecord>(layout.targets, i);
    if (!has(target.deviceType) || !has(target.arch) || !has(target.features) ||
        !target.deviceType.size)
      return fail("target", i);
    std::tuple current(text(target.deviceType), text(target.arch),
                       text(target.features), target.warpSize);
    if (i && !(previous < current))
      return fail("target", i);
    previous = current;
  }
  return true;
}

bool IndexChecker::checkArguments(const KernelRecord &kernel) {
  for (uint32_t i = 0; i < kernel.arguments.count; ++i) {
    uint32_t place = kernel.arguments.first + i;
    auto argument = read<ArgumentRecord>(layout.arguments, place);
    if (!has(argument.name) || !has(argument.type))
      return fail("argument", place);
  }
  for (uint32_t i = 0; i < kernel.constants.count; ++i) {
    uint32_t place = kernel.constants.first + i;
    auto constant = read<ConstantRecord>(layout.constants, place);
    if (!has(constant.name) || !has(constant.value))
      return fail("constant", place);
  }
  return true;
}

bool IndexChecker::checkConditions(const VariantRecord &variant,
                                   uint32_t arguments) {
  for (uint32_t i = 0; i < variant.conditions.count; ++i) {
    uint32_t place = variant.conditions.first + i;
    auto condition = read<ConditionRecord>(layout.conditions, place);
    bool isKnown =
        condition.kind == ConditionKind::EqualTo ||
        (condition.kind == ConditionKind::DivisibleBy && condition.value > 0);
    if (condition.argument >= arguments || !isKnown)
      return fail("condition", place);
  }
  return true;
}

// Whether a condition says what `argument` is, so that it need not be passed.
bool IndexChecker::isBound(const VariantRecord &variant, uint32_t argument) {
  for (uint32_t i = 0; i < variant.conditions.count; ++i) {
    auto condition =
        read<ConditionRecord>(layout.conditions, variant.conditions.first + i);
    if (condition.argument == argument &&
        condition.kind == ConditionKind::EqualTo)
      return true;
  }
  return false;
}

// The parameters are arguments in order; each one left out is known.
bool IndexChecker::checkParameters(const VariantRecord &variant,
                                   uint32_t arguments) {
  uint32_t next = 0;
  for (uint32_t i = 0; i <= variant.parameters.count; ++i) {
    uint32_t place = variant.parameters.first + i;
    bool isEnd = i == variant.parameters.count;
    uint32_t argument =
        isEnd ? arguments
              : read<ParameterRecord>(layout.parameters, place).argument;
    if (argument < next || argument > arguments ||
        (argument == arguments && !isEnd))
      return fail("parameter", place);
    for (; next < argument; ++next)
      if (!isBound(variant, next))
        return fail("parameter", place);
    ++next;
  }
  return true;
}

bool IndexChecker::checkImages(const VariantRecord &variant) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < variant.images.count; ++i) {
    uint32_t place = variant.images.first + i;
    auto image = read<ImageRecord>(layout.images, place);
    if (image.target < next || image.target >= counts.targets ||
        !hasBlob(image.blob) || !hasBlob(image.metadata) ||
        !has(image.compiler) || !has(image.stage) || !has(image.kind) ||
        !has(image.extension))
      return fail("image", place);
    next = image.target + 1;
  }
  return true;
}

bool IndexChecker::checkVariants(const KernelRecord &kernel) {
  for (uint32_t i = 0; i < kernel.variants.count; ++i) {
    uint32_t place = kernel.variants.first + i;
    auto variant = read<VariantRecord>(layout.variants, place);
    bool isLast = i + 1 == kernel.variants.count;
    if (!follows(variant.conditions, nextCondition, counts.conditions) ||
        !follows(variant.parameters, nextParameter, counts.parameters) ||
        !follows(variant.images, nextImage, counts.images) ||
        !has(variant.options) ||
        (variant.ttir != noBlob && !hasBlob(variant.ttir)) ||
        (isLast && variant.conditions.count))
      return fail("variant", place);
    uint32_t arguments = kernel.arguments.count;
    if (!checkConditions(variant, arguments) ||
        !checkParameters(variant, arguments) || !checkImages(variant))
      return false;
  }
  return true;
}

bool IndexChecker::checkKernels() {
  std::string_view previous;
  for (uint32_t i = 0; i < counts.kernels; ++i) {
    auto kernel = read<KernelRecord>(layout.kernels, i);
    if (!has(kernel.name) || !has(kernel.group) || !kernel.name.size ||
        (i && !(previous < text(kernel.name))) ||
        !follows(kernel.arguments, nextArgument, counts.arguments) ||
        !follows(kernel.constants, nextConstant, counts.constants) ||
        !follows(kernel.variants, nextVariant, counts.variants) ||
        !kernel.variants.count)
      return fail("kernel", i);
    if (!checkArguments(kernel) || !checkVariants(kernel))
      return false;
    previous = text(kernel.name);
  }
  bool isComplete =
      nextArgument == counts.arguments && nextConstant == counts.constants &&
      nextVariant == counts.variants && nextCondition == counts.conditions &&
      nextParameter == counts.parameters && nextImage == counts.images;
  return isComplete || fail("kernel", counts.kernels);
}

// Blobs follow each other to the end of the file.
bool IndexChecker::checkBlobs() {
  uint64_t end = archiveHeaderSize + index.size();
  for (uint32_t i = 0; i < counts.blobs; ++i) {
    auto blob = read<BlobRecord>(layout.blobs, i);
    bool isKnown = blob.compression == Compression::Zstd ||
                   (blob.compression == Compression::None &&
                    blob.plainSize == blob.storedSize);
    if (blob.offset < end || blob.offset - end >= imageAlignment ||
        blob.offset % blobAlignment || blob.offset > totalSize ||
        blob.storedSize > totalSize - blob.offset ||
        blob.plainSize > largestBlob || !isKnown)
      return fail("blob", i);
    end = blob.offset + blob.storedSize;
  }
  return end == totalSize || fail("blob", counts.blobs);
}

bool IndexChecker::checkFiles() {
  std::string_view previous;
  for (uint32_t i = 0; i < counts.files; ++i) {
    auto file = read<FileRecord>(layout.files, i);
    if (!has(file.name) || !file.name.size || !hasBlob(file.blob) ||
        (i && !(previous < text(file.name))))
      return fail("file", i);
    previous = text(file.name);
  }
  return true;
}

// Only the table of parameters may end within eight bytes.
bool IndexChecker::checkPadding() const {
  uint64_t end =
      layout.parameters + uint64_t{counts.parameters} * ParameterRecord::size;
  return index.substr(end, layout.images - end).find_first_not_of('\0') ==
         index.npos;
}

Failure IndexChecker::malformed() const {
  return {NEREID_IO_ERROR, std::string("malformed archive: ") + wrongTable +
                               " " + std::to_string(wrongPlace) +
                               " of its index contradicts the rest"};
}

Outcome IndexChecker::check() {
  if (!checkTargets() || !checkKernels() || !checkBlobs() || !checkFiles())
    return malformed();
  if (!isReservedZero || !checkPadding())
    return Failure{NEREID_IO_ERROR,
                   "malformed archive: reserved bytes are not zero"};
  return {};
}

Outcome checkArchiveIndex(std::string_view index, const IndexCounts &counts,
                          uint64_t totalSize) {
  return IndexChecker(index, counts, totalSize).check();
}

} // namespace nereid::host
