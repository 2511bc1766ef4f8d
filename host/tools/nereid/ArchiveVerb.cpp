// ArchiveVerb.cpp - `nereid archive`: shows, checks, extracts and merges
// archives.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Files.h"
#include "Target.h"
#include "Text.h"
#include "Verb.h"

#include "nereid/host/archive.hpp"
#include "text/ShortTarget.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <charconv>

namespace nereid::tool {

namespace {
struct Options {
  std::string action;
  std::vector<std::string> words;
  std::string target, output, variant;
  bool isTtir = false, zstd = false;
};
} // namespace

static Expected<Json> describe(const Archive &archive) {
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_archive_describe(archive.get(), &buffer);
  return takeJson(status, buffer);
}

static Expected<Json> describe(const Archive &archive, uint32_t kernel) {
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_archive_describe_kernel(archive.get(), kernel, &buffer);
  return takeJson(status, buffer);
}

static Expected<int> list(Session &session, const Archive &archive) {
  Expected<Json> json = describe(archive);
  if (!json)
    return json.error();
  session.output.document(*json);
  Table table({"kernel", "group", "arguments", "variants", "images"});
  for (size_t column : {2, 3, 4})
    table.alignRight(column);
  for (const Json &kernel : (*json)["kernels"])
    table.add({kernel.value("name", ""), kernel.value("group", ""),
               kernel["arguments"].dump(), kernel["variants"].dump(),
               kernel["images"].dump()});
  std::string targets;
  for (const Json &target : (*json)["targets"])
    targets +=
        "target  " + printable(shortTarget(target.get<std::string>())) + '\n';
  session.output.text(table.text() + '\n' + targets + "format  " +
                      json->value("format", "") + ", " +
                      tools::bytesText(json->value("bytes", uint64_t{})) +
                      "\ncontract  " + json->value("contract", "") + '\n');
  return exitOk;
}

static std::string conditionText(const Json &condition) {
  std::string name = condition.value("argument", "");
  return condition.contains("equals")
             ? name + " = " + condition["equals"].dump()
             : name + " % " + condition["divisible_by"].dump() + " = 0";
}

static std::string variantText(const Json &variant, size_t place) {
  std::string conditions;
  for (const Json &condition : variant["conditions"])
    conditions += (conditions.empty() ? "" : ", ") + conditionText(condition);
  std::string text = "\nvariant " + std::to_string(place) + "  " +
                     (conditions.empty() ? "always" : conditions) + '\n';
  std::string options = variant.value("options", "");
  if (options.ends_with('\n'))
    options.pop_back();
  std::replace(options.begin(), options.end(), '\n', ' ');
  if (!options.empty())
    text += "  options  " + options + '\n';
  text += "  ttir     " + variant.value("ttir_sha256", "") +
          (variant.value("embeds_ttir", false) ? ", embedded\n" : "\n");
  for (const Json &image : variant["images"])
    text += "  image    " + shortTarget(image.value("target", "")) + ", " +
            image.value("kind", "") + ", " +
            tools::bytesText(image.value("bytes", uint64_t{})) + ", by " +
            image.value("compiler", "") + '\n';
  return text;
}

static Expected<int> show(Session &session, const Archive &archive,
                          uint32_t kernel) {
  Expected<Json> json = describe(archive, kernel);
  if (!json)
    return json.error();
  session.output.document(*json);
  std::string text = json->value("name", "");
  if (std::string group = json->value("group", ""); !group.empty())
    text += ", group " + group;
  text += "\n\n";
  Table table({"argument", "type", "offset"});
  table.alignRight(2);
  for (const Json &argument : (*json)["arguments"])
    table.add({argument.value("name", ""), argument.value("type", ""),
               argument["offset"].dump()});
  text += table.text();
  for (const Json &constant : (*json)["constants"])
    text +=
        constant.value("name", "") + " = " + constant["value"].dump() + '\n';
  size_t place = 0;
  for (const Json &variant : (*json)["variants"])
    text += variantText(variant, place++);
  session.output.text(text);
  return exitOk;
}

static Expected<int> verify(Session &session, const std::string &path) {
  Expected<Archive> archive = Archive::open(path);
  Expected<void> verified;
  if (archive)
    verified = archive->verify();
  const Error *problem = !archive    ? &archive.error()
                         : !verified ? &verified.error()
                                     : nullptr;
  // A file that is not there, or not an archive, is no verdict on one.
  if (problem && problem->status != NEREID_IO_ERROR)
    return *problem;
  Json json = {{"file", path}, {"intact", !problem}};
  if (problem)
    json["reason"] = problem->text;
  session.output.document(json);
  if (problem)
    session.output.message(*problem);
  else
    session.output.text(path + ": intact\n");
  return problem ? exitFailed : exitOk;
}

static Expected<uint32_t> variantNumber(const Options &options,
                                        const Json &kernel) {
  size_t count = kernel["variants"].size();
  if (options.variant.empty())
    return static_cast<uint32_t>(count - 1);
  uint32_t number = 0;
  const char *end = options.variant.data() + options.variant.size();
  auto [stop, error] = std::from_chars(options.variant.data(), end, number);
  if (error != std::errc() || stop != end || number >= count)
    return invalid("--variant '" + options.variant +
                   "': expected a number from 0 to " +
                   std::to_string(count - 1));
  return number;
}

// The only target, or the one that is given: in full, as a listing has it, or
// without its last fields.
static Expected<std::string> targetName(const Options &options,
                                        const Json &variant) {
  const std::string &given = options.target;
  std::vector<std::string> shown, matching;
  for (const Json &image : variant["images"]) {
    std::string target = image.value("target", "");
    if (target == given)
      return target;
    shown.push_back(shortTarget(target));
    if (given.empty() || shown.back() == given ||
        target.starts_with(given + ':'))
      matching.push_back(target);
  }
  if (matching.size() == 1)
    return matching[0];
  if (given.empty())
    return invalid("--target is missing, expected one of " + quotedList(shown));
  return failure(NEREID_NOT_FOUND, "--target '" + shortTarget(given) +
                                       "' means " +
                                       std::to_string(matching.size()) +
                                       " of " + quotedList(shown));
}

static Expected<int> extract(Session &session, const Archive &archive,
                             uint32_t kernel, const Options &options) {
  if (options.output.empty())
    return invalid("-o is missing: expected the file to write");
  Expected<Json> json = describe(archive, kernel);
  if (!json)
    return json.error();
  Expected<uint32_t> variant = variantNumber(options, *json);
  if (!variant)
    return variant.error();
  std::string bytes;
  if (options.isTtir) {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_archive_ttir(archive.get(), kernel, *variant, &buffer);
    Expected<std::string> ttir = detail::take(status, buffer);
    if (!ttir)
      return ttir.error();
    bytes = std::move(*ttir);
  } else {
    Expected<std::string> target =
        targetName(options, (*json)["variants"][*variant]);
    if (!target)
      return target.error();
    nereid_artifact_t *handle = nullptr;
    nereid_status_t status = nereid_archive_image(
        archive.get(), kernel, *variant, detail::borrow(*target), &handle);
    if (status != NEREID_OK)
      return detail::lastError(status);
    Artifact artifact(handle);
    nereid_artifact_info_t info = artifact.info();
    bytes.assign(static_cast<const char *>(info.output.data), info.output.size);
  }
  if (Expected<void> written = writeFile(options.output, {bytes}); !written)
    return written.error();
  session.output.document(
      {{"written", options.output}, {"bytes", bytes.size()}});
  session.output.text("wrote " + options.output + ", " +
                      tools::bytesText(bytes.size()) + '\n');
  return exitOk;
}

static Expected<int> explain(Session &session, const Archive &archive,
                             uint32_t kernel, const Options &options) {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  Expected<Runtime::Choice> choice = (*runtime)->choose(options.target);
  if (!choice)
    return choice.error();
  Expected<ArchiveDevice> device =
      archive.load(choice->backend, choice->device);
  if (!device)
    return device.error();
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_archive_explain(device->get(), kernel, &buffer);
  Expected<Json> json = takeJson(status, buffer);
  if (!json)
    return json.error();
  session.output.document(*json);
  std::string text = json->value("kernel", "") + " on " +
                     shortTarget(json->value("target", "")) + '\n';
  size_t place = 0;
  for (const Json &variant : (*json)["variants"]) {
    text += "\nvariant " + std::to_string(place++) + '\n';
    for (const Json &image : variant["images"])
      text += std::string(image.value("used", false) ? "* " : "  ") +
              shortTarget(image.value("target", "")) + ": " +
              image.value("reason", "") + '\n';
  }
  session.output.text(text);
  return json->value("launchable", false) ? exitOk : exitFailed;
}

static Expected<int> merge(Session &session, const Options &options) {
  if (options.output.empty())
    return invalid("-o is missing: expected the archive to write");
  nereid_archive_writer_t *handle = nullptr;
  if (nereid_status_t status = nereid_archive_writer_create(&handle))
    return detail::lastError(status);
  detail::Owner<nereid_archive_writer_t, nereid_archive_writer_destroy> writer(
      handle);
  for (const std::string &path : options.words) {
    Expected<Archive> archive = Archive::open(path);
    if (!archive)
      return archive.error();
    nereid_status_t status =
        nereid_archive_writer_add_archive(handle, archive->get());
    if (status != NEREID_OK)
      return detail::lastError(status);
  }
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_archive_writer_finish(
      handle, options.zstd ? NEREID_ARCHIVE_ZSTD : 0u, &buffer);
  Expected<std::string> bytes = detail::take(status, buffer);
  if (!bytes)
    return bytes.error();
  if (Expected<void> written = writeFile(options.output, {*bytes}); !written)
    return written.error();
  session.output.document(
      {{"written", options.output}, {"bytes", bytes->size()}});
  session.output.text("wrote " + options.output + ", " +
                      tools::bytesText(bytes->size()) + '\n');
  return exitOk;
}

static Expected<int> manage(Session &session, const Options &options) {
  static const std::vector<std::string> actions = {
      "list", "show", "verify", "extract", "explain", "merge"};
  if (std::find(actions.begin(), actions.end(), options.action) ==
      actions.end())
    return invalid("unknown action '" + options.action + "'" +
                   suggestNames(options.action, actions));
  bool isMerge = options.action == "merge";
  bool needsKernel = options.action == "show" || options.action == "extract" ||
                     options.action == "explain";
  size_t count = needsKernel ? 2 : 1;
  if (isMerge ? options.words.empty() : options.words.size() != count)
    return invalid("'archive " + options.action + "' takes " +
                   (isMerge       ? "FILE..."
                    : needsKernel ? "FILE KERNEL"
                                  : "FILE"));
  if (isMerge)
    return merge(session, options);
  if (options.action == "verify")
    return verify(session, options.words[0]);
  Expected<Archive> archive = Archive::open(options.words[0]);
  if (!archive)
    return archive.error();
  if (options.action == "list")
    return list(session, *archive);
  Expected<uint32_t> kernel = archive->find(options.words[1]);
  if (!kernel)
    return kernel.error();
  if (options.action == "show")
    return show(session, *archive, *kernel);
  if (options.action == "explain")
    return explain(session, *archive, *kernel, options);
  return extract(session, *archive, *kernel, options);
}

Verb archiveVerb() {
  auto options = std::make_shared<Options>();
  return {
      "archive",
      "look at, check, take apart or merge archives",
      "archive list|show|verify|extract|explain|merge FILE... [options]",
      "list FILE             its kernels and targets\n"
      "show FILE KERNEL      arguments, variants and images\n"
      "verify FILE           read and check every byte\n"
      "extract FILE KERNEL   write an image, or the TTIR, to a file\n"
      "explain FILE KERNEL   which image this machine takes, and why\n"
      "merge FILE...         the kernels and targets of all, in one\n",
      {{"ACTION", &options->action, "", "", true},
       {"WORD", &options->words, "", ""},
       {"--target", &options->target, "TARGET",
        "extract: the image's; explain: a device, as in cpu:1"},
       {"--variant", &options->variant, "N",
        "extract: of this variant; the last one by default"},
       {"--ttir", &options->isTtir, "", "extract: the TTIR, not an image"},
       {"-o", &options->output, "FILE", "extract, merge: the file to write"},
       {"--zstd", &options->zstd, "", "merge: compress the images"}},
      [options](Session &session) { return manage(session, *options); }};
}

} // namespace nereid::tool
