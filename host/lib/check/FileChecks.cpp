// FileChecks.cpp - conformance of the file, its entry and its life.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "check/Check.h"
#include "check/Exports.h"

#include <dlfcn.h>

namespace nereid::host {

static void checkNote(CheckedPlugin &subject) {
  NoteResult read = readNote(subject.path);
  if (const Rejection *rejection = std::get_if<Rejection>(&read))
    throw CheckFailed{rejection->detail};
  const PluginNote &note = std::get<PluginNote>(read);
  auto checked = checkNote(note);
  if (const Rejection *rejection = std::get_if<Rejection>(&checked))
    throw CheckFailed{rejection->detail};
  expect(!note.buildId.empty(),
         "no build id, neither in the note nor by the linker, so a cache "
         "cannot tell one build from the next");
}

static void checkExports(CheckedPlugin &subject) {
  std::vector<std::string> names = exportedSymbols(subject.path);
  std::string others;
  bool hasEntry = false;
  for (const std::string &name : names)
    if (name == NEREID_PLUGIN_ENTRY_NAME)
      hasEntry = true;
    else
      others += (others.empty() ? "" : ", ") + name;
  expect(hasEntry, "does not export " NEREID_PLUGIN_ENTRY_NAME);
  expect(others.empty(),
         "exports more than " NEREID_PLUGIN_ENTRY_NAME ": " + others);
}

static void checkLoads(CheckedPlugin &subject) { (void)subject.plugin(); }

static void checkEntryRepeatable(CheckedPlugin &subject) {
  (void)subject.plugin(); // its library stays mapped
  void *library =
      dlopen(subject.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  expect(library, "is not mapped after it was loaded");
  auto entry = reinterpret_cast<nereid_plugin_entry_1_t>(
      dlsym(library, NEREID_PLUGIN_ENTRY_NAME));
  nereid_host_t host = {};
  host.struct_size = sizeof host;
  host.abi_minor = NEREID_ABI_MINOR;
  host.name = borrow("nereid");
  host.plugin_path = borrow(subject.path);
  host.log = [](const nereid_host_t *, const nereid_diagnostic_t *) {};
  host.get_extension = [](const nereid_host_t *,
                          nereid_string_t) -> const void * { return nullptr; };
  const nereid_plugin_t *tables[2] = {};
  for (const nereid_plugin_t *&table : tables) {
    Call call(&subject.log, subject.path);
    nereid_status_t status =
        call.run([&] { return entry(&host, &table, call.get()); });
    if (status != NEREID_OK)
      throw CheckFailed{call.failure(status, "the entry").text};
  }
  expect(tables[0] == tables[1],
         "the entry returns another table when it is called again");
}

static void checkTwoHosts(CheckedPlugin &subject) {
  Plugin &first = subject.plugin();
  CheckedPlugin second(subject.request, subject.progress);
  Plugin &other = second.plugin();
  expect(!first.state || first.state != other.state,
         "two hosts of one process got the same state");
}

static void checkShutdown(CheckedPlugin &subject) {
  size_t before = ProcessCounts::now().threads;
  (void)subject.plugin();
  subject.unload();
  size_t after = ProcessCounts::now().threads;
  expect(after <= before, "shutdown left " + std::to_string(after - before) +
                              " threads running");
}

/// A process that has loaded the plugin ends, with its own exit status.
static void checkProcessEnds(CheckedPlugin &subject) {
  CheckedPlugin inChild(subject.request, subject.progress, true);
  (void)inChild.plugin();
}

std::span<const Check> fileChecks() {
  static constexpr Check checks[] = {
      {"note", checkNote,
       "The note is compatible with this host and has a build id."},
      {"one-exported-symbol", checkExports,
       "The file exports the entry and nothing else."},
      {"loads", checkLoads,
       "The plugin loads: constructors, entry, tables, `create` and `probe`."},
      {"entry-repeatable", checkEntryRepeatable,
       "The entry returns the same table when it is called again."},
      {"two-hosts", checkTwoHosts,
       "Two hosts in one process have separate states."},
      {"shutdown-joins-threads", checkShutdown,
       "`shutdown` leaves no thread running."},
      {"process-ends", checkProcessEnds,
       "A process that has loaded the plugin exits."},
  };
  return checks;
}

} // namespace nereid::host
