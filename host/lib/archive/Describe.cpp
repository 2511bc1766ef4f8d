// Describe.cpp - an archive as JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/Describe.h"

#include "archive/ArchiveTarget.h"
#include "support/Json.h"

namespace nereid::host {

static std::string string(const Archive &archive, TextRef ref) {
  return std::string(archive.text(ref));
}

Json describeArchive(const Archive &archive) {
  const IndexCounts &counts = archive.counts();
  Json targets = Json::array();
  for (uint32_t i = 0; i < counts.targets; ++i) {
    targets.push_back(targetOf(archive, i).text());
  }
  Json kernels = Json::array();
  for (uint32_t i = 0; i < counts.kernels; ++i) {
    KernelRecord kernel = archive.kernel(i);
    uint64_t images = 0;
    for (uint32_t v = 0; v < kernel.variants.count; ++v)
      images += archive.variant(kernel.variants.first + v).images.count;
    kernels.push_back({{"name", string(archive, kernel.name)},
                       {"group", string(archive, kernel.group)},
                       {"arguments", kernel.arguments.count},
                       {"variants", kernel.variants.count},
                       {"images", images}});
  }
  Json files = Json::array();
  for (uint32_t i = 0; i < counts.files; ++i) {
    FileRecord file = archive.file(i);
    files.push_back({{"name", string(archive, file.name)},
                     {"bytes", archive.blob(file.blob).plainSize}});
  }
  return {{"file", archive.name()},
          {"format", std::to_string(archiveMajor) + "." +
                         std::to_string(archive.header().minor)},
          {"bytes", archive.header().totalSize},
          {"contract", hexText(archive.header().contract)},
          {"targets", std::move(targets)},
          {"kernels", std::move(kernels)},
          {"files", std::move(files)}};
}

static Json constantJson(const Archive &archive, const ConstantRecord &record) {
  std::string value = string(archive, record.value);
  Json parsed = Json::parse(value, nullptr, false);
  return {{"name", string(archive, record.name)},
          {"value", parsed.is_discarded() ? Json(value) : parsed}};
}

static Json variantJson(const Archive &archive, const ArgumentLayout &layout,
                        uint32_t place) {
  VariantRecord record = archive.variant(place);
  Json conditions = Json::array();
  for (uint32_t i = 0; i < record.conditions.count; ++i) {
    ConditionRecord each = archive.condition(record.conditions.first + i);
    bool isEqual = each.kind == ConditionKind::EqualTo;
    conditions.push_back({{"argument", layout.arguments[each.argument].name},
                          {isEqual ? "equals" : "divisible_by", each.value}});
  }
  Json parameters = Json::array();
  for (uint32_t i = 0; i < record.parameters.count; ++i)
    parameters.push_back(
        layout.arguments[archive.parameter(record.parameters.first + i)].name);
  Json images = Json::array();
  for (uint32_t i = 0; i < record.images.count; ++i) {
    ImageRecord image = archive.image(record.images.first + i);
    BlobRecord blob = archive.blob(image.blob);
    images.push_back({{"target", targetOf(archive, image.target).text()},
                      {"compiler", string(archive, image.compiler)},
                      {"kind", string(archive, image.kind)},
                      {"extension", string(archive, image.extension)},
                      {"bytes", blob.plainSize},
                      {"stored_bytes", blob.storedSize},
                      {"offset", blob.offset}});
  }
  return {{"conditions", std::move(conditions)},
          {"parameters", std::move(parameters)},
          {"options", string(archive, record.options)},
          {"ttir_sha256", record.ttirDigest.hex()},
          {"embeds_ttir", record.ttir != noBlob},
          {"images", std::move(images)}};
}

Result<Json> describeKernelOf(const Archive &archive, uint32_t place) {
  if (place >= archive.counts().kernels)
    return Failure{NEREID_NOT_FOUND,
                   archive.name() + ": no kernel " + std::to_string(place) +
                       ", it has " + std::to_string(archive.counts().kernels)};
  Result<ArgumentLayout> layout = archive.argumentsOf(place);
  if (!layout)
    return layout.failure();
  KernelRecord kernel = archive.kernel(place);
  Json arguments = Json::array();
  for (const Argument &each : layout->arguments)
    arguments.push_back({{"name", each.name},
                         {"type", each.type},
                         {"offset", each.offset},
                         {"size", each.size}});
  Json constants = Json::array();
  for (uint32_t i = 0; i < kernel.constants.count; ++i)
    constants.push_back(
        constantJson(archive, archive.constant(kernel.constants.first + i)));
  Json variants = Json::array();
  for (uint32_t v = 0; v < kernel.variants.count; ++v)
    variants.push_back(
        variantJson(archive, *layout, kernel.variants.first + v));
  Json json = {{"name", string(archive, kernel.name)},
               {"group", string(archive, kernel.group)},
               {"arguments", std::move(arguments)},
               {"arguments_size", layout->size},
               {"constants", std::move(constants)},
               {"variants", std::move(variants)}};
  if (kernel.grid[0])
    json["grid"] = {kernel.grid[0], kernel.grid[1], kernel.grid[2]};
  return json;
}

} // namespace nereid::host
