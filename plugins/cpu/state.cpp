// state.cpp - the state of the plugin between calls.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "state.h"

#include "options.h"

nereid_state_t::nereid_state_t(const nereid_host_t *host, unsigned threads,
                               uint64_t keepMemory,
                               nereid::cpu::Printing printing,
                               bool poisonsScratch)
    : cpu(nereid::cpu::detectHostCpu()), features(cpu.targetFeatures()),
      printing(printing), poisonsScratch(poisonsScratch), memory(keepMemory),
      compiler(host, "cpu", sizeof(nereid_cpu_options_t)), pool(threads) {}

const nereid::cpu::HostSizes &nereid_state_t::sizes() {
  std::lock_guard lock(sizesMutex);
  if (!knownSizes)
    knownSizes = nereid::cpu::detectHostSizes();
  return *knownSizes;
}
