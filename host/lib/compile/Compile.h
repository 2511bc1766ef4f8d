// Compile.h - from a request to a result: plan, cache, pipeline.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_COMPILE_H
#define NEREID_HOST_COMPILE_COMPILE_H

#include "artifact/Artifact.h"
#include "compile/CompileHistory.h"
#include "compile/CompilerChoice.h"
#include "runtime/Settings.h"

#include <memory>

namespace nereid::host {

class Cache;
class CompileWorkers;

/// What compilations of one runtime share.
struct CompileContext {
  const Settings &settings;
  const Log *log;
  Trace *trace;
  Cache *cache; // null: none
  CompileHistory &history;
  CompileWorkers *workers; // null: compiles in this process
};

/// Compiles, or reads the cache.
Result<std::unique_ptr<Artifact>>
compile(const CompileContext &context, const CompilerChoice &choice,
        const nereid_compile_request_t &request);

/// Checks everything of \p request but its source.
Outcome checkRequest(const CompileContext &context,
                     const CompilerChoice &choice,
                     const nereid_compile_request_t &request);

/// {"key", "ingredients"} of what \p request would compile.
Result<Json> describeKey(const CompileContext &context,
                         const CompilerChoice &choice,
                         const nereid_compile_request_t &request);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILE_H
