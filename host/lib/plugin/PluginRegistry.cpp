// PluginRegistry.cpp - finds, loads and registers the plugins of a runtime.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/PluginRegistry.h"

#include "plugin/PluginTable.h"
#include "process/HelperProcess.h"
#include "runtime/Log.h"
#include "runtime/Trace.h"
#include "support/File.h"
#include "support/Glob.h"
#include "support/Json.h"
#include "text/Suggestions.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>

namespace nereid::host {

/// What one discovery remembers.
struct PluginRegistry::Discovery {
  PathSafety safety;
  std::map<FileIdentity, std::string> seen; // the path it was first found under
};

static LoaderOptions withHelper(LoaderOptions options,
                                const std::string &libraryDir) {
  if (options.probeHelper.empty())
    options.probeHelper = probeHelperIn(libraryDir);
  return options;
}

PluginRegistry::PluginRegistry(RegistryOptions given, const Log *log,
                               Trace *trace)
    : options(std::move(given)),
      libraryDir(options.libraryDir.empty() ? ownDirectory()
                                            : options.libraryDir),
      log(log), trace(trace),
      loader(withHelper(options.loader, libraryDir), log) {}

PluginRegistry::~PluginRegistry() {
  while (!plugins.empty())
    plugins.pop_back();
}

// ---- Discovery

/// A process with more rights than the user who started it must not load what
/// that user names.
void PluginRegistry::warnIfPrivileged() const {
  const char *dirs = std::getenv("NEREID_PLUGIN_DIRS");
  if (dirs && *dirs && getauxval(AT_SECURE))
    log->warning("NEREID_PLUGIN_DIRS is ignored because this process has more "
                 "rights than the user who started it");
}

void PluginRegistry::discover() {
  std::lock_guard lock(loading);
  warnIfPrivileged();
  Discovery discovery{PathSafety(libraryDir), {}};
  PluginDirs found = findPluginDirs(options.pluginDirs);
  for (Candidate &refused : found.refused)
    logDiscovered(record(std::move(refused)));
  for (const PluginDir &directory : found.dirs)
    considerDirectory(directory, discovery);
  if (options.usesDefaultDirs)
    for (const PluginDir &directory : defaultPluginDirs(libraryDir))
      considerDirectory(directory, discovery);
}

void PluginRegistry::considerDirectory(const PluginDir &directory,
                                       Discovery &discovery) {
  std::string resolved = resolvePath(directory.path);
  if (!options.loader.allowsWritable)
    if (std::optional<PathDanger> danger =
            discovery.safety.checkDirectory(resolved)) {
      Rejection bad = rejectionOf(std::move(*danger));
      Candidate candidate;
      candidate.reason = bad.reason;
      candidate.path = directory.path;
      candidate.resolved = std::move(resolved);
      candidate.name = directory.name;
      candidate.detail = std::move(bad.detail);
      logDiscovered(record(std::move(candidate)));
      return;
    }
  {
    std::unique_lock lock(mutex);
    searched.push_back(directory.path);
  }
  for (const std::string &path : listPluginFiles(directory.path))
    logDiscovered(record(considerFile(path, directory.name, discovery)));
  if (!directory.checkout.empty())
    reportOutside(directory, discovery);
}

/// Reports the plugins that a vendor has copied one folder too high. A
/// checkout may hold other libraries, so only files with a note count.
void PluginRegistry::reportOutside(const PluginDir &directory,
                                   const Discovery &discovery) {
  for (const std::string &path : listPluginFiles(directory.checkout)) {
    OpenedPlugin opened;
    if (openPlugin(path, opened) || discovery.seen.contains(opened.identity))
      continue;
    NoteResult note = readNote(opened.file.get());
    const PluginNote *found = std::get_if<PluginNote>(&note);
    if (!found)
      continue;
    Candidate candidate;
    candidate.reason = Reason::OutsideBackend;
    candidate.path = path;
    candidate.resolved = opened.resolved;
    candidate.id = found->id;
    candidate.name = directory.name;
    candidate.detail =
        "plugins of this checkout are looked for in '" + directory.path + "'";
    logDiscovered(record(std::move(candidate)));
  }
}

static void refuse(Candidate &candidate, Rejection rejection) {
  candidate.reason = rejection.reason;
  candidate.detail = std::move(rejection.detail);
  candidate.winner = std::move(rejection.winner);
}

Candidate PluginRegistry::considerFile(const std::string &path,
                                       const std::string &name,
                                       Discovery &discovery) {
  Candidate candidate;
  candidate.path = path;
  candidate.name = name;
  OpenedPlugin opened;
  std::optional<Rejection> bad = openPlugin(path, opened);
  candidate.resolved = opened.resolved;
  if (!bad) {
    auto [first, isNew] = discovery.seen.emplace(opened.identity, path);
    if (!isNew)
      bad = Rejection{Reason::DuplicateFile,
                      "it is the same file as one considered before",
                      first->second};
  }
  if (!bad)
    bad = preflight(opened, options.loader.allowsWritable ? nullptr
                                                          : &discovery.safety);
  candidate.id = opened.note.id;
  if (bad)
    refuse(candidate, std::move(*bad));
  else
    loadOpened(opened, true, candidate);
  return candidate;
}

/// Whether a plugin \p id is wanted and not there yet.
std::optional<Rejection>
PluginRegistry::checkChosen(const std::string &id, bool isBoundByGlobs) const {
  if (isBoundByGlobs && !options.allow.empty() &&
      firstMatch(options.allow, id).empty())
    return Rejection{Reason::Denied,
                     "its id '" + id + "' matches none of the allowed '" +
                         options.allow + "'",
                     {}};
  if (isBoundByGlobs)
    if (std::string_view pattern = firstMatch(options.deny, id);
        !pattern.empty())
      return Rejection{Reason::Denied,
                       "its id '" + id + "' matches the denied '" +
                           std::string(pattern) + "'",
                       {}};
  for (const std::shared_ptr<Plugin> &plugin : plugins)
    if (plugin->info.id == id)
      return Rejection{Reason::DuplicateId,
                       "a plugin with id '" + id + "' is loaded already",
                       plugin->info.path.empty() ? id : plugin->info.path};
  return std::nullopt;
}

/// Loads a file that passed preflight; what becomes of it is in \p candidate.
std::shared_ptr<Plugin> PluginRegistry::loadOpened(const OpenedPlugin &opened,
                                                   bool isBoundByGlobs,
                                                   Candidate &candidate) {
  if (std::optional<Rejection> bad =
          checkChosen(opened.note.id, isBoundByGlobs)) {
    refuse(candidate, std::move(*bad));
    return nullptr;
  }
  TraceSpan span(trace, "load", opened.note.id);
  span.argument("path", opened.resolved);
  LoadResult result = loader.loadFile(opened.resolved, opened.note);
  if (!result.plugin) {
    refuse(candidate, std::move(result.rejection));
    return nullptr;
  }
  result.plugin->info.name = candidate.name;
  loadedFiles[opened.identity] = result.plugin;
  add(result.plugin);
  return result.plugin;
}

// ---- One at a time

Result<std::shared_ptr<Plugin>> PluginRegistry::load(std::string_view path) {
  std::lock_guard lock(loading);
  Candidate candidate;
  candidate.path = path;
  OpenedPlugin opened;
  PathSafety safety(libraryDir);
  std::optional<Rejection> bad = openPlugin(candidate.path, opened);
  candidate.resolved = opened.resolved;
  if (!bad)
    if (auto known = loadedFiles.find(opened.identity);
        known != loadedFiles.end())
      if (std::shared_ptr<Plugin> plugin = known->second.lock())
        if (std::find(plugins.begin(), plugins.end(), plugin) != plugins.end())
          return plugin;
  if (!bad)
    bad = preflight(opened, options.loader.allowsWritable ? nullptr : &safety);
  candidate.id = opened.note.id;
  std::shared_ptr<Plugin> plugin;
  if (bad)
    refuse(candidate, std::move(*bad));
  else
    plugin = loadOpened(opened, false, candidate);
  const Candidate &line = record(std::move(candidate));
  if (!plugin)
    return Failure{infoOf(line.reason).status, line.advice()};
  logDiscovered(line);
  return plugin;
}

Result<std::shared_ptr<Plugin>>
PluginRegistry::registerTable(const nereid_plugin_t *table) {
  std::lock_guard lock(loading);
  Candidate candidate;
  nereid_plugin_t copy = {};
  std::optional<Rejection> bad = readPluginTable(table, {}, copy);
  std::shared_ptr<Plugin> plugin;
  if (!bad) {
    candidate.id = view(copy.id);
    bad = checkChosen(candidate.id, false);
  }
  if (!bad) {
    TraceSpan span(trace, "load", candidate.id);
    LoadResult result = loader.loadTable(table);
    plugin = std::move(result.plugin);
    if (!plugin)
      bad = std::move(result.rejection);
  }
  if (bad)
    refuse(candidate, std::move(*bad));
  const Candidate &line = record(std::move(candidate));
  if (!plugin)
    return Failure{infoOf(line.reason).status, line.advice()};
  add(plugin);
  return plugin;
}

Outcome PluginRegistry::unregister(const Plugin &plugin) {
  std::lock_guard lock(loading);
  std::shared_ptr<Plugin> last; // its shutdown must not run under `mutex`
  std::unique_lock lists(mutex);
  auto found = std::find_if(plugins.begin(), plugins.end(),
                            [&](const auto &p) { return p.get() == &plugin; });
  if (found == plugins.end())
    return Failure{NEREID_NOT_FOUND,
                   "plugin '" + plugin.info.id + "' is not registered here"};
  last = std::move(*found);
  plugins.erase(found);
  for (std::unique_ptr<const Candidate> &line : candidates)
    if (line->loaded() && line->id == plugin.info.id) {
      auto ended = std::make_unique<Candidate>(*line);
      ended->reason = Reason::Unregistered;
      retired.push_back(std::exchange(line, std::move(ended)));
    }
  lists.unlock();
  std::erase_if(loadedFiles, [&](const auto &file) {
    return file.second.lock().get() == &plugin;
  });
  return {};
}

void PluginRegistry::add(const std::shared_ptr<Plugin> &plugin) {
  std::unique_lock lock(mutex);
  plugins.push_back(plugin);
}

// ---- The report

const Candidate &PluginRegistry::record(Candidate candidate) {
  auto line = std::make_unique<const Candidate>(std::move(candidate));
  std::unique_lock lock(mutex);
  candidates.push_back(std::move(line));
  return *candidates.back();
}

/// Duplicates, denials and files outside `backend` may be what the user
/// arranged; the rest is news.
void PluginRegistry::logDiscovered(const Candidate &candidate) const {
  switch (candidate.reason) {
  case Reason::Loaded:
    log->info(candidate.path + ": loaded as plugin '" + candidate.id + "'");
    return;
  case Reason::OutsideBackend:
  case Reason::Denied:
  case Reason::DuplicateFile:
  case Reason::DuplicateId:
    log->info(candidate.advice());
    return;
  default:
    log->warning(candidate.advice());
  }
}

size_t PluginRegistry::candidateCount() const {
  std::shared_lock lock(mutex);
  return candidates.size();
}

const Candidate *PluginRegistry::candidate(size_t index) const {
  std::shared_lock lock(mutex);
  return index < candidates.size() ? candidates[index].get() : nullptr;
}

std::string PluginRegistry::report() const {
  std::shared_lock lock(mutex);
  Json json;
  json["abi"] =
      std::to_string(NEREID_ABI_MAJOR) + "." + std::to_string(NEREID_ABI_MINOR);
  json["directories"] = searched;
  json["candidates"] = Json::array();
  for (const std::unique_ptr<const Candidate> &line : candidates)
    json["candidates"].push_back(line->json());
  return dumpJson(json);
}

// ---- Choice

PluginList PluginRegistry::backends() const {
  std::shared_lock lock(mutex);
  return plugins;
}

/// Why the candidate with \p id was refused; empty if there is none.
std::string PluginRegistry::refusalOf(std::string_view id) const {
  std::shared_lock lock(mutex);
  for (const std::unique_ptr<const Candidate> &line : candidates)
    if (line->id == id && !line->loaded())
      return line->advice();
  return {};
}

Result<std::shared_ptr<Plugin>>
PluginRegistry::backend(std::string_view name) const {
  PluginList known = backends();
  if (std::shared_ptr<Plugin> plugin = findPlugin(known, name))
    return plugin;
  return notFound(known, name, refusals());
}

Result<Choice> PluginRegistry::choose(std::string_view name) const {
  Result<Choice> choice =
      nereid::host::choose(backends(), name, options.target, refusals());
  if (choice && !choice->ties.empty() && !hasToldOfTies.exchange(true))
    log->warning("plugin '" + choice->plugin->info.id +
                 "' is chosen for its place alone; equal scores have " +
                 quotedList(choice->ties) + "; name one with NEREID_TARGET");
  return choice;
}

std::string PluginRegistry::explain(std::string_view name) const {
  return dumpJson(explainChoice(backends(), name, options.target, refusals()));
}

} // namespace nereid::host
