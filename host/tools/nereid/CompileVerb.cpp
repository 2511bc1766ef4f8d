// CompileVerb.cpp - `nereid compile`: runs the stages and writes the result.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Files.h"
#include "KernelSource.h"
#include "Manifest.h"
#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

namespace {
struct Options : CompileOptions {
  std::string output;
};
} // namespace

static std::string stageTable(const CompiledKernel &kernel) {
  Table table({"stage", "time"});
  table.alignRight(1);
  for (const Json &stage : kernel.facts["stages"])
    table.add({stage.value("name", ""),
               durationText(stage.value("nanoseconds", 0.0))});
  return table.text();
}

static Expected<void> writeOutput(Session &session, const Options &options,
                                  const nereid_artifact_info_t &info) {
  if (options.output.empty())
    return {};
  std::string_view bytes(static_cast<const char *>(info.output.data),
                         info.output.size);
  if (options.output == "-") {
    session.output.raw(bytes);
    return {};
  }
  return writeFile(options.output, {bytes});
}

static Expected<int> compile(Session &session, Options options) {
  if (Manifest::isNamedBy(options.kernel)) {
    Expected<Manifest> manifest = Manifest::read(options.kernel);
    if (!manifest)
      return manifest.error();
    options.kernel = manifest->kernel;
  }
  if (options.output == "-" && session.output.isJson())
    return invalid("-o - and --json both need stdout");
  if (options.output == "-")
    session.output.claimStdout();
  Expected<CompiledKernel> kernel = compileKernel(session, options, false);
  if (!kernel)
    return kernel.error();
  nereid_artifact_info_t info = kernel->artifact.info();
  if (Expected<void> written = writeOutput(session, options, info); !written)
    return written.error();
  Json document = kernel->facts;
  document["target"] = kernel->choice.name();
  document["nanoseconds"] = kernel->nanoseconds;
  if (!options.output.empty())
    document["written"] = options.output;
  session.output.document(document);
  if (options.output == "-")
    return exitOk;
  std::string kind(detail::view(info.kind));
  session.output.text(document.value("source", "") + ": " +
                      compileSummary(*kernel) + "\n\n" + stageTable(*kernel) +
                      "\nresult  " + kind + ", " + bytesText(info.output.size) +
                      (info.is_image ? ""
                                     : ", no image: it cannot be "
                                       "launched") +
                      "\nkey     " + std::string(detail::view(info.key)) +
                      '\n');
  if (!options.output.empty())
    session.output.text("wrote   " + options.output + '\n');
  return exitOk;
}

Verb compileVerb() {
  auto options = std::make_shared<Options>();
  Verb verb = {
      "compile",
      "compile a kernel, stage by stage",
      "compile KERNEL [options]",
      "Examples:\n"
      "  nereid compile add.ttir --target cpu --dump stages/\n"
      "  nereid compile add.ttir --stop-after llir -o add.ll\n"
      "  nereid compile add.ll --start-at asm -o add.so\n",
      compileOptions(*options),
      [options](Session &session) { return compile(session, *options); }};
  addOptions(verb.options, inputOptions(*options));
  addOptions(verb.options, {{"--stop-after", &options->stopAfter, "STAGE",
                             "last stage to run"},
                            {"--dump", &options->dumpDir, "DIR",
                             "write the output of every stage there"},
                            {"-o", &options->output, "FILE",
                             "write the last stage's output; '-' is stdout"}});
  return verb;
}

} // namespace nereid::tool
