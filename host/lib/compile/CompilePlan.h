// CompilePlan.h - the plan of a compilation, made before it starts.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_COMPILE_PLAN_H
#define NEREID_HOST_COMPILE_COMPILE_PLAN_H

#include "cache/Digest.h"
#include "compile/CompilerChoice.h"
#include "compile/KeyIngredients.h"
#include "compile/Pipeline.h"
#include "nereid/host/compile.h"

namespace nereid::host {

struct CompilePlan {
  /// Reads \p request for the chosen compiler. Borrows the
  /// strings and bytes of \p request.
  static Result<CompilePlan> make(const CompilerChoice &choice,
                                  const nereid_compile_request_t &request,
                                  const Log *log);

  const Plugin &plugin() const { return *compiler; }
  /// Whether the result may be cached under the key of the source: a complete
  /// run without replacements or dumps.
  bool isWhole() const;

  std::shared_ptr<Plugin> compiler;
  Target target;
  ParsedOptions options;
  std::vector<Stage> stages;
  PipelinePlan pipeline;
  KeyIngredients ingredients;
  Digest key;

private:
  CompilePlan(std::shared_ptr<Plugin> compiler, Target target,
              ParsedOptions options)
      : compiler(std::move(compiler)), target(std::move(target)),
        options(std::move(options)) {}
  Outcome readPipeline(const nereid_compile_request_t &request);
  Outcome readReplacements(const nereid_compile_request_t &request);
  Outcome readIngredients(const Log *log);
};

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILE_PLAN_H
