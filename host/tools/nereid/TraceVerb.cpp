// TraceVerb.cpp - `nereid trace`: records what a Python program launches, for
// `nereid build`.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Files.h"
#include "Text.h"
#include "Verb.h"
#include "build/PythonKernels.h"

#include <filesystem>

namespace nereid::tool {

namespace {
struct Options {
  std::vector<std::string> words;
  std::string output, python;
};
} // namespace

static Expected<void> writeRecording(const std::string &folder,
                                     const Recording &recording) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return systemError(folder, error.value());
  for (const auto &[name, ttir] : recording.files)
    if (Expected<void> written = writeFile(folder + '/' + name, {ttir});
        !written)
      return written;
  return writeFile(folder + "/kernels.json", {recording.list});
}

static Expected<int> trace(Session &session, const Options &options) {
  if (options.output.empty())
    return invalid("-o is missing: expected the folder to write");
  Expected<Recording> recording =
      recordProgram(options.words, options.python, !session.output.isJson());
  if (!recording)
    return recording.error();
  if (Expected<void> written = writeRecording(options.output, *recording);
      !written)
    return written.error();
  Json list = Json::parse(recording->list, nullptr, false);
  Json kernels = Json::array();
  for (const Json &kernel : list["kernels"])
    kernels.push_back(
        {{"name", kernel["name"]}, {"variants", kernel["variants"].size()}});
  for (const Json &each : list["failures"])
    session.output.message({workFailed, each.value("text", "")});
  if (recording->code)
    session.output.message(
        failure(workFailed, options.words[0] + ": ended with code " +
                                std::to_string(recording->code) +
                                "; what it launched before is recorded"));
  std::string file = options.output + "/kernels.json";
  session.output.document({{"recording", file},
                           {"kernels", kernels},
                           {"failures", list["failures"]},
                           {"code", recording->code}});
  std::string found = kernels.empty()
                          ? std::string("no kernel was launched")
                          : tools::countText(kernels.size(), "kernel") +
                                "; compile with 'nereid build " + file +
                                " -o FILE.nra'";
  session.output.text(file + ": " + found + '\n');
  return recording->code || !list["failures"].empty() ? exitFailed : exitOk;
}

Verb traceVerb() {
  auto options = std::make_shared<Options>();
  return {
      "trace",
      "record what a Python program launches, for 'build'",
      "trace -o FOLDER [options] [--] PROGRAM.py ARG...",
      "Writes kernels.json and TTIR, each kernel with and without what its\n"
      "launches had in common. Example:\n"
      "  nereid trace -o recording -- train.py --steps 1\n"
      "  nereid build recording/kernels.json -o train.nra\n",
      {{"PROGRAM", &options->words, "", "", true},
       {"-o", &options->output, "FOLDER", "where to write the recording"},
       {"--python", &options->python, "PATH",
        "run the program with this Python, which has Triton"}},
      [options](Session &session) { return trace(session, *options); }};
}

} // namespace nereid::tool
