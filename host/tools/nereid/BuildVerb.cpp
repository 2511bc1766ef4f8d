// BuildVerb.cpp - `nereid build`: compiles kernels ahead of time, into an
// archive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Files.h"
#include "Text.h"
#include "Verb.h"
#include "build/Compile.h"
#include "build/Header.h"
#include "build/ObjectFile.h"
#include "build/PackKernels.h"
#include "build/PythonKernels.h"

#include "text/ShortTarget.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

namespace nereid::tool {

namespace {
struct Options {
  std::vector<std::string> inputs;
  std::string output, header, object, objectArch, name, progress, jobs;
  std::string compiler, depfile, python, shapes;
  std::string targetList;
  std::vector<std::string> targets, values;
  bool embedsTtir = false, zstd = false, check = false;
};

/// A kernel that could not be made; compiled for `target`, if it is given.
struct Failure {
  std::string kernel, target, text;
  auto operator<=>(const Failure &) const = default;
};

/// The kernels of a build, as they go into the archive.
class Build {
public:
  Build(Session &session, const Options &options)
      : session(session), options(options) {}
  Expected<int> run();

private:
  Expected<void> checkOptions();
  Expected<void> plan();
  Expected<void> addInput(const std::string &path);
  Expected<void> checkNames() const;
  Expected<std::vector<BuildJob>> compile(bool isFresh);
  Expected<std::string> assemble(const std::vector<BuildJob> &jobs);
  Expected<void> addKernel(nereid_archive_writer_t *writer, size_t kernel,
                           const std::vector<BuildJob> &jobs);
  Expected<void> addVariant(nereid_archive_writer_t *writer, size_t kernel,
                            size_t variant, uint32_t place,
                            const std::vector<const BuildJob *> &images);
  Expected<void> writeAll(const std::string &archive);
  Expected<void> checkAgain(const std::string &archive);
  std::string depfileText() const;
  void collectFailures(const std::vector<BuildJob> &jobs);
  std::string failedNames() const;
  void report(const std::vector<BuildJob> &jobs, size_t bytes);
  Expected<int> interrupted(const std::vector<BuildJob> &jobs);

  Session &session;
  const Options &options;
  Runtime *runtime = nullptr;
  std::string prefix;
  unsigned threads = 1;
  ProgressMode progressMode = ProgressMode::None;
  BuildPlan kernels;
  std::vector<BuildTarget> targets;
  std::set<Failure> failures;
  size_t built = 0; // kernels in the archive
  InterruptFlag interrupt;
};
} // namespace

static Expected<unsigned> parseJobs(const std::string &text) {
  unsigned count = 0;
  if (text.empty())
    return std::max(1u, std::thread::hardware_concurrency());
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || !count ||
      count > 1024)
    return invalid("--jobs '" + text + "': expected a number from 1 to 1024");
  return count;
}

Expected<void> Build::checkOptions() {
  if (options.output.empty())
    return invalid("-o is missing: expected the archive to write, as in "
                   "'-o kernels.nra'");
  if (!options.shapes.empty() && std::ranges::none_of(options.inputs, isPack))
    return invalid("--shapes belongs to the directory of a pack");
  if (!options.objectArch.empty() && options.object.empty())
    return invalid("--object-arch belongs to --object");
  Expected<unsigned> jobs = parseJobs(options.jobs);
  if (!jobs)
    return jobs.error();
  threads = *jobs;
  Expected<ProgressMode> mode = parseProgressMode(options.progress);
  if (!mode)
    return mode.error();
  progressMode = *mode;
  prefix = options.name.empty()
               ? std::filesystem::path(options.output).stem().string()
               : options.name;
  if (!options.name.empty() && identifierOf(prefix) != prefix)
    return invalid("--name '" + prefix + "': expected a C identifier");
  prefix = identifierOf(prefix);
  if (!options.object.empty())
    if (Expected<std::string> made = objectFile("", prefix, options.objectArch);
        !made)
      return made.error();
  for (const std::string &path :
       {options.output, options.header, options.object, options.depfile})
    if (!path.empty())
      if (Expected<void> writable = checkWritable(path); !writable)
        return writable;
  return {};
}

Expected<void> Build::addInput(const std::string &path) {
  if (isPack(path))
    return addPack(kernels, *runtime, targets, path, options.shapes,
                   options.python);
  std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".json")
    return addKernelList(kernels, path);
  if (extension == ".nra")
    return invalid(path +
                   ": is an archive, expected a TTIR file, a Python "
                   "file, a list of kernels or a pack; 'nereid archive merge' "
                   "joins archives");
  if (extension == ".py")
    return addPythonFile(kernels, path, options.python);
  return addTtirFile(kernels, *runtime, path);
}

Expected<void> Build::checkNames() const {
  std::set<std::string> names;
  for (const std::string &name : kernels.names())
    if (!names.insert(name).second)
      return invalid("two kernels are called '" + name + "'");
  if (names.empty() && kernels.files.empty())
    return invalid("the inputs have no kernels");
  return {};
}

Expected<void> Build::plan() {
  for (const std::string &input : options.inputs)
    if (Expected<void> added = addInput(input); !added)
      return added;
  std::sort(kernels.kernels.begin(), kernels.kernels.end(),
            [](const PlannedKernel &a, const PlannedKernel &b) {
              return a.name < b.name;
            });
  for (const PlanFailure &each : kernels.failures)
    failures.insert({each.name, {}, each.text});
  return checkNames();
}

Expected<std::vector<BuildJob>> Build::compile(bool isFresh) {
  size_t variants = 0;
  for (const PlannedKernel &kernel : kernels.kernels)
    variants += kernel.variants.size();
  BuildProgress progress(progressMode, variants * targets.size());
  return compilePlan(kernels, targets, {&options.values, threads, isFresh},
                     progress, interrupt);
}

static Expected<void> check(nereid_status_t status) {
  return detail::check(status);
}

Expected<void> Build::addVariant(nereid_archive_writer_t *writer, size_t k,
                                 size_t v, uint32_t place,
                                 const std::vector<const BuildJob *> &images) {
  const PlannedKernel &kernel = kernels.kernels[k];
  const PlannedVariant &variant = kernel.variants[v];
  auto more = parseOptionTexts(options.values);
  if (!more)
    return more.error();
  // Those of the kernel that some compiler has, and those of the command line.
  std::set<std::string> known;
  for (const BuildTarget &target : targets)
    known.insert(target.options.begin(), target.options.end());
  std::vector<nereid_value_t> values = optionsFor(kernel, &known, *more);
  auto request = detail::sized<nereid_archive_new_variant_t>();
  request.embeds_ttir = options.embedsTtir;
  request.kernel = detail::borrow(kernel.name);
  request.conditions = variant.conditions.data();
  request.condition_count = variant.conditions.size();
  request.parameters = variant.parameters.data();
  request.parameter_count = variant.parameters.size();
  request.options = values.data();
  request.option_count = values.size();
  request.ttir = {variant.ttir.data(), variant.ttir.size()};
  if (Expected<void> added =
          check(nereid_archive_writer_add_variant(writer, &request));
      !added)
    return added;
  for (const BuildJob *job : images) {
    nereid_status_t status = nereid_archive_writer_add_image(
        writer, request.kernel, place, &targets[job->target].target,
        job->artifact->get());
    if (status != NEREID_OK)
      return detail::lastError(status);
  }
  return {};
}

// A variant without any image is left out, and a kernel whose general variant
// has none.
Expected<void> Build::addKernel(nereid_archive_writer_t *writer, size_t k,
                                const std::vector<BuildJob> &jobs) {
  const PlannedKernel &kernel = kernels.kernels[k];
  std::vector<std::vector<const BuildJob *>> images(kernel.variants.size());
  for (const BuildJob &job : jobs)
    if (job.kernel == k && job.artifact)
      images[job.variant].push_back(&job);
  if (images.empty() || images.back().empty())
    return {};
  std::vector<nereid_argument_t> arguments;
  for (const auto &[name, type] : kernel.arguments)
    arguments.push_back({sizeof(nereid_argument_t), 0, 0, 0,
                         detail::borrow(name), detail::borrow(type)});
  std::vector<nereid_archive_constant_t> constants;
  for (const auto &[name, value] : kernel.constants)
    constants.push_back({sizeof(nereid_archive_constant_t), 0,
                         detail::borrow(name), detail::borrow(value)});
  auto request = detail::sized<nereid_archive_new_kernel_t>();
  std::copy_n(kernel.grid, 3, request.grid);
  request.name = detail::borrow(kernel.name);
  request.group = detail::borrow(kernel.group);
  request.arguments = arguments.data();
  request.argument_count = arguments.size();
  request.constants = constants.data();
  request.constant_count = constants.size();
  Expected<void> added =
      check(nereid_archive_writer_add_kernel(writer, &request));
  uint32_t place = 0;
  for (size_t v = 0; v < images.size() && added; ++v)
    if (!images[v].empty())
      added = addVariant(writer, k, v, place++, images[v]);
  ++built;
  return added;
}

Expected<std::string> Build::assemble(const std::vector<BuildJob> &jobs) {
  nereid_archive_writer_t *handle = nullptr;
  if (nereid_status_t status = nereid_archive_writer_create(&handle))
    return detail::lastError(status);
  detail::Owner<nereid_archive_writer_t, nereid_archive_writer_destroy> writer(
      handle);
  built = 0;
  for (const auto &[name, bytes] : kernels.files)
    if (nereid_status_t status = nereid_archive_writer_add_file(
            handle, detail::borrow(name), {bytes.data(), bytes.size()}))
      return detail::lastError(status);
  for (size_t k = 0; k < kernels.kernels.size(); ++k)
    if (Expected<void> added = addKernel(handle, k, jobs); !added)
      return added.error();
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_archive_writer_finish(
      handle, options.zstd ? NEREID_ARCHIVE_ZSTD : 0u, &buffer);
  return detail::take(status, buffer);
}

static std::string escapedForMake(const std::string &path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '#' || c == '\\')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

std::string Build::depfileText() const {
  std::set<std::string> files(kernels.dependencies.begin(),
                              kernels.dependencies.end());
  for (const BuildTarget &target : targets)
    if (std::string path(detail::view(target.choice.compiler.info().path));
        !path.empty())
      files.insert(path);
  std::string text = escapedForMake(options.output) + ":";
  for (const std::string &file : files)
    text +=
        " \\\n  " + escapedForMake(std::filesystem::absolute(file).string());
  return text + '\n';
}

Expected<void> Build::writeAll(const std::string &archive) {
  if (!options.object.empty()) {
    Expected<std::string> object =
        objectFile(archive, prefix, options.objectArch);
    if (!object)
      return object.error();
    if (options.object.ends_with(".a"))
      *object = staticLibrary(*object, prefix);
    if (Expected<void> done = writeFile(options.object, {*object}); !done)
      return done;
  }
  if (!options.header.empty()) {
    Expected<Archive> opened = Archive::openMemory(archive);
    if (!opened)
      return opened.error();
    Expected<std::string> text = headerText(*opened, prefix);
    if (!text)
      return text.error();
    if (Expected<void> done = writeFile(options.header, {*text}); !done)
      return done;
  }
  if (!options.depfile.empty())
    if (Expected<void> done = writeFile(options.depfile, {depfileText()});
        !done)
      return done;
  return writeFile(options.output, {archive});
}

// Compiles everything once more, without the cache.
Expected<void> Build::checkAgain(const std::string &archive) {
  Expected<std::vector<BuildJob>> jobs = compile(true);
  if (!jobs)
    return jobs.error();
  if (interrupt.isSet())
    return {};
  size_t before = built;
  Expected<std::string> again = assemble(*jobs);
  built = before;
  if (!again)
    return again.error();
  if (*again == archive)
    return {};
  return failure(workFailed,
                 "--check: a second build gave another archive; a compiler is "
                 "not deterministic, or an input changed meanwhile");
}

void Build::collectFailures(const std::vector<BuildJob> &jobs) {
  for (const BuildJob &job : jobs)
    if (!job.error.empty())
      failures.insert({kernels.kernels[job.kernel].name,
                       targets[job.target].name, job.error});
}

// The kernels that failed, those of each target in a line.
std::string Build::failedNames() const {
  std::map<std::string, std::set<std::string>> names;
  for (const Failure &each : failures)
    names[targets.size() > 1 ? each.target : std::string()].insert(each.kernel);
  std::string text;
  for (const auto &[target, failed] : names)
    text += "failed" + (target.empty() ? "" : " for " + shortTarget(target)) +
            ": " +
            quotedList(std::vector<std::string>(failed.begin(), failed.end())) +
            '\n';
  return text;
}

void Build::report(const std::vector<BuildJob> &jobs, size_t bytes) {
  Json list = Json::array();
  for (size_t k = 0; k < kernels.kernels.size(); ++k) {
    Json images = Json::array();
    for (const BuildJob &job : jobs)
      if (job.kernel == k && job.artifact)
        images.push_back({{"variant", job.variant},
                          {"target", targets[job.target].name},
                          {"from_cache", job.artifact->info().from_cache != 0},
                          {"nanoseconds", job.nanoseconds}});
    list.push_back({{"name", kernels.kernels[k].name},
                    {"group", kernels.kernels[k].group},
                    {"images", std::move(images)}});
  }
  Json failed = Json::array();
  for (const Failure &each : failures) {
    Json item = {{"kernel", each.kernel}, {"message", each.text}};
    if (!each.target.empty())
      item["target"] = each.target;
    failed.push_back(std::move(item));
  }
  std::set<size_t> served;
  for (const BuildJob &job : jobs)
    if (job.artifact)
      served.insert(job.target);
  Json document = {{"archive", options.output},
                   {"bytes", bytes},
                   {"built", built},
                   {"kernels", std::move(list)},
                   {"failures", std::move(failed)}};
  if (!options.header.empty())
    document["header"] = options.header;
  if (!options.object.empty())
    document["object"] = options.object;
  session.output.document(document);
  session.output.text(
      options.output + ": " + tools::countText(built, "kernel") + " for " +
      (served.size() < targets.size() ? std::to_string(served.size()) + " of "
                                      : "") +
      tools::countText(targets.size(), "target") + ", " +
      tools::bytesText(bytes) + '\n');
  session.output.text(failedNames());
}

Expected<int> Build::interrupted(const std::vector<BuildJob> &jobs) {
  auto done = std::count_if(jobs.begin(), jobs.end(),
                            [](const BuildJob &job) { return job.isDone; });
  session.output.error(failure(
      NEREID_CANCELLED,
      "interrupted: " + std::to_string(done) + " of " +
          std::to_string(jobs.size()) +
          " images are done; those that the cache keeps are not compiled "
          "again; nothing was written"));
  return exitInterrupted;
}

Expected<int> Build::run() {
  if (Expected<void> checked = checkOptions(); !checked)
    return checked.error();
  session.options.compiler = options.compiler;
  if (!options.python.empty())
    compileWithPython(options.python);
  Expected<Runtime *> made = session.runtime();
  if (!made)
    return made.error();
  runtime = *made;
  std::vector<std::string> names = splitTargets(options.targetList);
  names.insert(names.end(), options.targets.begin(), options.targets.end());
  if (names.empty())
    names.emplace_back();
  Expected<std::vector<BuildTarget>> resolved = resolveTargets(*runtime, names);
  if (!resolved)
    return resolved.error();
  targets = std::move(*resolved);
  // A Python file that is interrupted fails, but not by a fault of its own.
  Expected<void> planned = plan();
  if (interrupt.isSet())
    return interrupted({});
  if (!planned)
    return planned.error();
  Expected<std::vector<BuildJob>> jobs = compile(false);
  if (!jobs)
    return jobs.error();
  if (interrupt.isSet())
    return interrupted(*jobs);
  collectFailures(*jobs);
  Expected<std::string> archive = assemble(*jobs);
  if (!archive)
    return archive.error();
  if (options.check) {
    if (Expected<void> same = checkAgain(*archive); !same)
      return same.error();
    if (interrupt.isSet())
      return interrupted(*jobs);
  }
  std::set<std::string> reported;
  for (const Failure &each : failures)
    if (reported.insert(each.text).second)
      session.output.message({workFailed, each.text});
  if (!built && kernels.files.empty())
    return failure(workFailed, "no kernel could be built; " + options.output +
                                   " was not written");
  if (Expected<void> written = writeAll(*archive); !written)
    return written.error();
  report(*jobs, archive->size());
  return failures.empty() ? exitOk : exitFailed;
}

Verb buildVerb() {
  auto options = std::make_shared<Options>();
  return {
      "build",
      "compile kernels ahead of time, into an archive",
      "build INPUT... -o FILE.nra [options]",
      "INPUT is a TTIR or Python file, a list of kernels (.json) or a pack's "
      "directory\n",
      {{"INPUT", &options->inputs, "", "", true},
       {"-o", &options->output, "FILE", "the archive to write"},
       {"--targets", &options->targetList, "LIST",
        "what to compile for, with commas between"},
       {"--target", &options->targets, "TARGET",
        "one of them; may be repeated"},
       {"--compiler", &options->compiler, "ID", "compile with this plugin"},
       {"-O", &options->values, "NAME=VALUE",
        "set an option of the compilers ('nereid options')"},
       {"--shapes", &options->shapes, "FILE",
        "compile a pack's kernels for the calls in FILE"},
       {"--header", &options->header, "FILE",
        "write a C and C++ header with launch functions"},
       {"--object", &options->object, "FILE",
        "write an object (.o) or library (.a) with the archive"},
       {"--object-arch", &options->objectArch, "ARCH",
        "of the object: x86_64 or aarch64"},
       {"--name", &options->name, "NAME",
        "start of the names in header and object"},
       {"--embed-ttir", &options->embedsTtir, "",
        "keep the TTIR, to compile it for other devices"},
       {"--zstd", &options->zstd, "", "compress the images"},
       {"--check", &options->check, "", "build twice and compare the archives"},
       {"--jobs", &options->jobs, "N", "compile so many images at a time"},
       {"--python", &options->python, "PATH",
        "run Python files and Triton with this Python"},
       {"--depfile", &options->depfile, "FILE",
        "write the files that were read, for make and ninja"},
       {"--progress", &options->progress, "MODE",
        "auto, bar, plain, json or none; on stderr"}},
      [options](Session &session) { return Build(session, *options).run(); }};
}

} // namespace nereid::tool
