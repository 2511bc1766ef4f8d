// plugin.cpp - the plugin "cpu": its entry, its start and its end.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "affinity.h"
#include "common/environment.h"
#include "common/guard.h"
#include "common/plugin_table.h"
#include "compiler.h"
#include "driver.h"
#include "extensions.h"
#include "state.h"

namespace nereid::cpu {

using namespace plugin;

/// NEREID_CPU_PRINTS, for host programs whose standard output is data.
static std::FILE *readPrints() {
  constexpr char kName[] = "NEREID_CPU_PRINTS";
  std::string value = readVariable(kName);
  if (!value.empty() && value != "stdout" && value != "stderr")
    refuseVariable(kName, value, "stdout or stderr");
  return value == "stderr" ? stderr : stdout;
}

static unsigned readCount(const char *name, unsigned byDefault) {
  return static_cast<unsigned>(
      readNumber(name, "a number", 1, 4096, byDefault));
}

static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **outState,
                              const nereid_call_t *) {
  // Freed blocks to cache: enough for the tensors of a few kernels.
  constexpr uint64_t kKeep = 512ull * 1024 * 1024;
  unsigned threads = readCount("NEREID_CPU_THREADS", usableCores());
  Printing printing;
  printing.file = readPrints();
  printing.scalarLines = readCount("NEREID_CPU_SCALAR_PRINTS", 1);
  bool poisons = readSwitch("NEREID_CPU_POISON_SCRATCH", false);
  *outState = new nereid_state_t(host, threads, kKeep, printing, poisons);
  return NEREID_OK;
}

static nereid_status_t shutdown(nereid_state_t *state, const nereid_call_t *) {
  delete state;
  return NEREID_OK;
}

static constexpr nereid_plugin_t makePlugin() {
  nereid_plugin_t plugin = pluginOfThisBuild();
  plugin.flags = NEREID_PLUGIN_FORK_SAFE;
  plugin.device_type = text("cpu");
  plugin.description = text("this machine's cores, through LLVM");
  plugin.compiler = &kCompiler;
  plugin.driver = &kDriver;
  plugin.create = kGuarded<create>;
  plugin.shutdown = kGuarded<shutdown>;
  plugin.get_extension = findExtension;
  return plugin;
}

} // namespace nereid::cpu

extern "C" NEREID_EXPORT nereid_status_t
nereid_plugin_entry_1(const nereid_host_t *, const nereid_plugin_t **outPlugin,
                      const nereid_call_t *) {
  static constinit const nereid_plugin_t plugin = nereid::cpu::makePlugin();
  *outPlugin = &plugin;
  return NEREID_OK;
}
