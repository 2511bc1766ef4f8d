// compiler_functions.h - what the compiler part of a plugin exports.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin and its compiler part are built together, but the plugin compares
// sizes, since they may be installed separately.

#ifndef NEREID_PLUGINS_COMMON_COMPILER_FUNCTIONS_H
#define NEREID_PLUGINS_COMMON_COMPILER_FUNCTIONS_H

#include "nereid/plugin.h"

namespace nereid::plugin {

/// The functions of a compiler part. A session is an object of the part.
struct CompilerFunctions {
  uint32_t size;        ///< of this struct
  uint32_t optionsSize; ///< of the struct that `begin` reads
  /// `options` is the plugin's own struct for its part, borrowed until `end`.
  /// [any-thread]
  nereid_status_t (*begin)(const void *options, nereid_session_t **outSession,
                           const nereid_call_t *call);
  /// Accepts null. [serial]
  void (*end)(nereid_session_t *session);
  /// As in nereid_compiler_t. [serial]
  nereid_status_t (*runStage)(nereid_session_t *session, uint32_t stage,
                              nereid_bytes_t input,
                              const nereid_writer_t *output,
                              const nereid_value_sink_t *metadata,
                              const nereid_call_t *call);
  /// Before and after a fork(), by the thread that forks: locks and unlocks all
  /// mutexes of the part, so that they are unlocked in the child.
  void (*lockForFork)();
  void (*unlockAfterFork)();
};

/// The function that the part exports.
inline constexpr char kCompilerPartSymbol[] = "nereid_compiler_part";
using CompilerPartEntry = const CompilerFunctions *(*)();

} // namespace nereid::plugin

/// Only a compiler part defines it.
extern "C" NEREID_EXPORT const nereid::plugin::CompilerFunctions *
nereid_compiler_part();

#endif // NEREID_PLUGINS_COMMON_COMPILER_FUNCTIONS_H
