// plugin.cpp - the plugin "cpu": its entry, its start and its end.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/guard.h"
#include "affinity.h"
#include "compiler.h"
#include "driver.h"
#include "extensions.h"
#include "state.h"

#include <charconv>
#include <cstdlib>

nereid_state_t::nereid_state_t(const nereid_host_t *host, unsigned threads,
                               uint64_t keepMemory,
                               nereid::cpu::Printing printing,
                               bool poisonsScratch)
    : cpu(nereid::cpu::detectHostCpu()), features(cpu.targetFeatures()),
      printing(printing), poisonsScratch(poisonsScratch), memory(keepMemory),
      compiler(host, "cpu", sizeof(nereid_cpu_options_t)),
      pool(threads) {}

namespace nereid::cpu {

using namespace plugin;

/// Reads variable `name`, a number from 1 to 4096, to `out`, if it is set.
static nereid_status_t readCount(const char *name, unsigned &out,
                                 const nereid_call_t *call) {
  const char *given = std::getenv(name);
  if (!given || !*given)
    return NEREID_OK;
  std::string_view digits = given;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error == std::errc() && end == digits.data() + digits.size() &&
      out >= 1 && out <= 4096)
    return NEREID_OK;
  return fail(call, NEREID_INVALID_ARGUMENT,
              std::string(name) + " is '" + std::string(digits) +
                  "', a number from 1 to 4096 was expected");
}

/// NEREID_CPU_PRINTS, for host programs whose standard output is data.
static nereid_status_t readPrints(std::FILE *&out, const nereid_call_t *call) {
  const char *given = std::getenv("NEREID_CPU_PRINTS");
  std::string_view name = given && *given ? given : "stdout";
  out = name == "stdout" ? stdout : stderr;
  if (name == "stdout" || name == "stderr")
    return NEREID_OK;
  return fail(call, NEREID_INVALID_ARGUMENT,
              "NEREID_CPU_PRINTS is '" + std::string(name) +
                  "', stdout or stderr was expected");
}

/// NEREID_CPU_POISON_SCRATCH, 0 or 1.
static nereid_status_t readPoisons(bool &out, const nereid_call_t *call) {
  const char *given = std::getenv("NEREID_CPU_POISON_SCRATCH");
  std::string_view value = given && *given ? given : "0";
  out = value == "1";
  if (value == "0" || value == "1")
    return NEREID_OK;
  return fail(call, NEREID_INVALID_ARGUMENT,
              "NEREID_CPU_POISON_SCRATCH is '" + std::string(value) +
                  "', 0 or 1 was expected");
}

static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **outState,
                              const nereid_call_t *call) {
  // Freed blocks to cache: enough for the tensors of a few kernels.
  constexpr uint64_t kKeep = 512ull * 1024 * 1024;
  unsigned threads = usableCores();
  Printing printing;
  if (nereid_status_t status = readCount("NEREID_CPU_THREADS", threads, call))
    return status;
  if (nereid_status_t status = readPrints(printing.file, call))
    return status;
  if (nereid_status_t status = readCount("NEREID_CPU_SCALAR_PRINTS",
                                         printing.scalarLines, call))
    return status;
  bool poisons = false;
  if (nereid_status_t status = readPoisons(poisons, call))
    return status;
  *outState = new nereid_state_t(host, threads, kKeep, printing, poisons);
  return NEREID_OK;
}

static nereid_status_t shutdown(nereid_state_t *state, const nereid_call_t *) {
  delete state;
  return NEREID_OK;
}

static nereid_plugin_t makePlugin() {
  nereid_plugin_t plugin = {};
  plugin.struct_size = sizeof plugin;
  plugin.abi_major = NEREID_ABI_MAJOR;
  plugin.abi_minor = NEREID_ABI_MINOR;
  plugin.abi_revision = NEREID_ABI_REVISION;
  plugin.min_host_minor = NEREID_PLUGIN_MIN_HOST_MINOR;
  plugin.flags = NEREID_PLUGIN_FORK_SAFE;
  plugin.id = text(NEREID_PLUGIN_ID);
  plugin.device_type = text("cpu");
  plugin.version = text(NEREID_PLUGIN_VERSION);
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
  static const nereid_plugin_t plugin = nereid::cpu::makePlugin();
  *outPlugin = &plugin;
  return NEREID_OK;
}
