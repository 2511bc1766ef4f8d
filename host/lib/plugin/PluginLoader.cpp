// PluginLoader.cpp - opens a plugin's file, calls its entry, starts it and asks
// its driver.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/PluginLoader.h"

#include "abi/Call.h"
#include "abi/HostTable.h"
#include "plugin/BuildIdentity.h"
#include "plugin/PluginTable.h"
#include "process/IsolatedProbe.h"
#include "runtime/Log.h"

#include <dlfcn.h>
#include <locale.h>

#include <algorithm>

namespace nereid::host {

// No machine has that many; each one is queried and listed.

static Rejection reject(Reason reason, std::string detail) {
  return {reason, std::move(detail), {}};
}

static LoadResult refused(Rejection rejection) {
  return {nullptr, std::move(rejection)};
}

void PluginLoader::report(LoadStep step) const {
  if (options.progress)
    options.progress(step);
}

// dlerror() speaks the language of the program's locale; the words below are
// those of the C locale, and so is the report.
static std::string openError() {
  static const locale_t english = newlocale(LC_ALL_MASK, "C", nullptr);
  locale_t former = uselocale(english);
  const char *text = dlerror();
  std::string copy = text ? text : "the dynamic loader gave no reason";
  uselocale(former);
  return copy;
}

static Rejection openFailure() {
  std::string detail = openError();
  bool isMissing =
      detail.find("undefined symbol") != std::string::npos ||
      detail.find("cannot open shared object") != std::string::npos ||
      detail.find("' not found (required by") != std::string::npos;
  return reject(isMissing ? Reason::UndefinedSymbol : Reason::CannotLoad,
                std::move(detail));
}

/// Calls the exported entry of \p plugin, which must not throw but may.
std::optional<Rejection>
PluginLoader::callEntry(Plugin &plugin, void *entry,
                        const nereid_plugin_t **table) const {
  auto function = reinterpret_cast<nereid_plugin_entry_1_t>(entry);
  Call call(log, plugin.info);
  bool threw = false;
  nereid_status_t status = call.run([&] {
    try {
      return function(&plugin.host->table, table, call.get());
    } catch (...) {
      threw = true;
      throw;
    }
  });
  if (status != NEREID_OK)
    return reject(threw ? Reason::EntryThrew : Reason::EntryFailed,
                  call.failure(status, NEREID_PLUGIN_ENTRY_NAME).text);
  if (!*table)
    return reject(Reason::EntryFailed,
                  NEREID_PLUGIN_ENTRY_NAME " returned ok but no table");
  return std::nullopt;
}

/// The dynamic loader takes an object that it has mapped for a file of the same
/// name, whatever the file has become since. Its code would run under the note,
/// and fill the cache under the build id, of another build.
static std::optional<Rejection> checkMapped(const void *entry,
                                            const PluginNote &note) {
  NoteResult result = readMappedNote(entry);
  auto *mapped = std::get_if<PluginNote>(&result);
  if (mapped && mapped->id == note.id && mapped->buildId == note.buildId)
    return std::nullopt;
  return reject(
      Reason::OtherBuildMapped,
      "the file has build " + note.buildId + " of '" + note.id +
          "', this process has mapped " +
          (mapped ? "build " + mapped->buildId + " of '" + mapped->id + "'"
                  : "an object without a note"));
}

LoadResult PluginLoader::loadFile(const std::string &resolved,
                                  const PluginNote &note) const {
  // The last line of a process that the plugin ends.
  if (log)
    log->debug("loading " + resolved);
  if (options.isProbeIsolated)
    if (std::optional<Rejection> bad =
            probeInChild(resolved, options.probeHelper, options.probeTimeoutMs))
      return refused(std::move(*bad));

  auto plugin = std::make_shared<Plugin>();
  plugin->info.id = note.id;
  plugin->info.path = resolved;
  plugin->info.buildId =
      note.buildId.empty() ? fileIdentity(resolved) : note.buildId;
  report(LoadStep::Load);
  // Not closed if what follows fails: its constructors have run, and nothing
  // is known of what they left behind.
  plugin->library = dlopen(resolved.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!plugin->library)
    return refused(openFailure());
  void *entry = dlsym(plugin->library, NEREID_PLUGIN_ENTRY_NAME);
  if (!entry)
    return refused(reject(Reason::EntryMissing,
                          "it does not export " NEREID_PLUGIN_ENTRY_NAME));
  if (std::optional<Rejection> bad = checkMapped(entry, note))
    return refused(std::move(*bad));
  plugin->host = std::make_unique<HostTable>(options.hostName, resolved,
                                             note.id, options.extensions, log);
  const nereid_plugin_t *table = nullptr;
  report(LoadStep::Entry);
  if (std::optional<Rejection> bad = callEntry(*plugin, entry, &table))
    return refused(std::move(*bad));
  return start(std::move(plugin), table);
}

LoadResult PluginLoader::loadTable(const nereid_plugin_t *table) const {
  LoadResult result = start(std::make_shared<Plugin>(), table);
  // The table may be in memory of no file; its code is not.
  if (Plugin *plugin = result.plugin.get())
    plugin->info.buildId = objectIdentity(
        plugin->hasCompiler
            ? reinterpret_cast<const void *>(plugin->compiler.run_stage)
            : reinterpret_cast<const void *>(plugin->driver.launch));
  return result;
}

/// Common to a table from a file and one of this process.
LoadResult PluginLoader::start(std::shared_ptr<Plugin> plugin,
                               const nereid_plugin_t *given) const {
  std::string expectedId = plugin->info.id;
  if (std::optional<Rejection> bad =
          readPluginTable(given, expectedId, plugin->table))
    return refused(std::move(*bad));
  describePlugin(plugin->table, plugin->info);
  std::vector<std::string> missing = copyTables(*plugin, plugin->table);
  if (!missing.empty())
    return refused(reject(Reason::MissingSlots,
                          "required and missing: " + quotedSlots(missing)));
  if (!plugin->host)
    plugin->host =
        std::make_unique<HostTable>(options.hostName, plugin->info.path,
                                    plugin->info.id, options.extensions, log);
  plugin->log = log;
  plugin->info.forks = forkCount();
  if (std::optional<Rejection> bad = create(*plugin))
    return refused(std::move(*bad));
  plugin->usedExtensions = plugin->host->usedExtensions();
  missing = plugin->extensions.read(
      [&](nereid_string_t id) { return plugin->extension(id); });
  if (!missing.empty())
    return refused(reject(Reason::MissingSlots,
                          "required and missing: " + quotedSlots(missing)));
  auto *vendor = plugin->extension(borrow(NEREID_EXT_VENDOR));
  readVendor(static_cast<const nereid_vendor_t *>(vendor), plugin->info);
  if (options.probesAtOnce) {
    report(LoadStep::Probe);
    (void)plugin->probe();
  }
  return {std::move(plugin), {}};
}

std::optional<Rejection> PluginLoader::create(Plugin &plugin) const {
  report(LoadStep::Create);
  if (plugin.table.create) {
    Call call(log, plugin.info);
    nereid_state_t *state = nullptr;
    std::lock_guard lock(lifecycleMutex());
    nereid_status_t status = call.run([&] {
      return plugin.table.create(&plugin.host->table, &state, call.get());
    });
    if (status != NEREID_OK)
      return reject(Reason::CreateFailed, call.failure(status, "create").text);
    plugin.state = state;
  }
  plugin.isCreated = true;
  return std::nullopt;
}

} // namespace nereid::host
