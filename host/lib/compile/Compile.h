// Compile.h - from a request to a result: options, stages, key, cache,
// pipeline.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_COMPILE_H
#define NEREID_HOST_COMPILE_COMPILE_H

#include "artifact/Compiled.h"
#include "plugin/Target.h"
#include "runtime/Settings.h"

#include <map>
#include <memory>
#include <mutex>

namespace nereid::host {

class Cache;

/// Remembers what each source was last compiled from, to tell why a later
/// compile of it missed the cache. [any-thread]
class CompileHistory {
public:
  /// "changed since the last time: options, target", or nothing.
  std::string explain(const std::string &plugin, const std::string &source,
                      const KeyIngredients &ingredients);

private:
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, KeyIngredients> last;
};

/// What compilations of one runtime share.
struct CompileContext {
  const Settings &settings;
  const Log *log;
  Trace *trace;
  Cache *cache; // null: none
  CompileHistory &history;
};

/// Compiles, or takes from the cache.
Result<std::unique_ptr<Compiled>>
compile(const CompileContext &context, const Plugin &plugin,
        const nereid_compile_request_t &request);

/// {"key", "ingredients"} of what \p request would compile.
Result<Json> describeKey(const CompileContext &context, const Plugin &plugin,
                         const nereid_compile_request_t &request);

/// The options and the stages of \p plugin for \p target; null: the target of
/// device 0.
Result<std::vector<OptionSchema>> backendSchema(const Plugin &plugin,
                                                const nereid_target_t *target,
                                                const Log *log);
Result<std::vector<Stage>>
backendStages(const Plugin &plugin, const nereid_target_t *target,
              std::span<const nereid_value_t> options, const Log *log);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILE_H
