// archive_writer.cpp - making archives, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Struct.h"
#include "capi/ArchiveHandles.h"
#include "runtime/Runtime.h"
#include "support/Error.h"

using namespace nereid::host;

nereid_status_t
nereid_archive_writer_create(nereid_archive_writer_t **out_writer) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(out_writer, "out_writer"); !given)
      return given;
    *out_writer = new nereid_archive_writer_t;
    return {};
  });
}

void nereid_archive_writer_destroy(nereid_archive_writer_t *writer) {
  delete writer;
}

// Refuses an array that is null although it has items.
static Outcome requireItems(const void *items, uint64_t count,
                            std::string_view name) {
  return count ? require(items, name) : Outcome();
}

nereid_status_t
nereid_archive_writer_add_kernel(nereid_archive_writer_t *writer,
                                 const nereid_archive_new_kernel_t *kernel) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(writer, "writer"), require(kernel, "kernel")})
      if (!given)
        return given;
    nereid_archive_new_kernel_t given = readStruct(*kernel);
    for (Outcome items :
         {requireItems(given.arguments, given.argument_count, "arguments"),
          requireItems(given.constants, given.constant_count, "constants")})
      if (!items)
        return items;
    NewKernel made;
    made.name = view(given.name);
    made.group = view(given.group);
    std::copy_n(given.grid, 3, made.grid);
    for (uint64_t i = 0; i < given.argument_count; ++i) {
      nereid_argument_t argument = readItem(given.arguments, i);
      made.arguments.emplace_back(view(argument.name), view(argument.type));
    }
    for (uint64_t i = 0; i < given.constant_count; ++i) {
      nereid_archive_constant_t constant = readItem(given.constants, i);
      made.constants.emplace_back(view(constant.name), view(constant.value));
    }
    return writer->writer.add(std::move(made));
  });
}

// One "name=value" a line; a line break cannot be in a value.
static Result<std::string> optionText(const nereid_value_t *options,
                                      uint64_t count) {
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view name = view(options[i].name);
    std::string_view value = view(options[i].text);
    if (options[i].type != NEREID_TYPE_STRING || name.empty() ||
        name.find_first_of("=\n") != name.npos ||
        value.find('\n') != value.npos)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "option '" + std::string(name) +
                         "' of a variant is not a text on one line"};
    text += std::string(name) + '=' + std::string(value) + '\n';
  }
  return text;
}

nereid_status_t
nereid_archive_writer_add_variant(nereid_archive_writer_t *writer,
                                  const nereid_archive_new_variant_t *variant) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(writer, "writer"), require(variant, "variant")})
      if (!given)
        return given;
    nereid_archive_new_variant_t given = readStruct(*variant);
    for (Outcome items :
         {requireItems(given.conditions, given.condition_count, "conditions"),
          requireItems(given.parameters, given.parameter_count, "parameters"),
          requireItems(given.options, given.option_count, "options"),
          requireItems(given.ttir.data, given.ttir.size, "ttir")})
      if (!items)
        return items;
    NewVariant made;
    for (uint64_t i = 0; i < given.condition_count; ++i) {
      nereid_archive_condition_t condition = readItem(given.conditions, i);
      made.conditions.push_back({condition.argument,
                                 static_cast<ConditionKind>(condition.kind),
                                 condition.value});
    }
    if (given.parameter_count)
      made.parameters.assign(given.parameters,
                             given.parameters + given.parameter_count);
    Result<std::string> options = optionText(given.options, given.option_count);
    if (!options)
      return options.failure();
    made.options = std::move(*options);
    std::string_view ttir(static_cast<const char *>(given.ttir.data),
                          given.ttir.size);
    made.ttirDigest = sha256(ttir);
    if (given.embeds_ttir)
      made.ttir = ttir;
    return writer->writer.addVariant(view(given.kernel), std::move(made));
  });
}

nereid_status_t nereid_archive_writer_add_image(
    nereid_archive_writer_t *writer, nereid_string_t kernel, uint32_t variant,
    const nereid_target_t *target, const nereid_artifact_t *artifact) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(writer, "writer"), require(target, "target"),
                          require(artifact, "artifact")})
      if (!given)
        return given;
    const Artifact &made = *artifact->artifact;
    if (!made.isImage)
      return Failure{NEREID_INVALID_ARGUMENT,
                     made.sourceName + ": stage '" + made.lastStage +
                         "' makes '" + made.kind +
                         "' and not an image, so it cannot be launched"};
    NewImage image;
    image.target = Target::copy(*target);
    image.bytes = made.output;
    image.metadata = made.metadata.encode();
    image.compiler = made.pluginId;
    image.stage = made.lastStage;
    image.kind = made.kind;
    image.extension = made.extension;
    return writer->writer.addImage(view(kernel), variant, std::move(image));
  });
}

nereid_status_t nereid_archive_writer_add_file(nereid_archive_writer_t *writer,
                                               nereid_string_t name,
                                               nereid_bytes_t bytes) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(writer, "writer"), require(bytes.data, "bytes")})
      if (!given)
        return given;
    return writer->writer.addFile(
        view(name), {static_cast<const char *>(bytes.data), bytes.size});
  });
}

nereid_status_t
nereid_archive_writer_add_archive(nereid_archive_writer_t *writer,
                                  const nereid_archive_t *archive) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(writer, "writer"), require(archive, "archive")})
      if (!given)
        return given;
    return writer->writer.addArchive(*archive->archive);
  });
}

nereid_status_t
nereid_archive_writer_finish(const nereid_archive_writer_t *writer,
                             uint32_t flags, nereid_buffer_t **out_archive) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(writer, "writer"), require(out_archive, "out_archive")})
      if (!given)
        return given;
    if (flags & ~NEREID_ARCHIVE_ZSTD)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "unknown flags " + std::to_string(flags)};
    Result<std::string> bytes = writer->writer.finish(
        flags & NEREID_ARCHIVE_ZSTD ? Compression::Zstd : Compression::None);
    if (!bytes)
      return bytes.failure();
    return giveText(std::move(*bytes), out_archive);
  });
}
