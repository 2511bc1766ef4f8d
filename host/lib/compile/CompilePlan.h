// CompilePlan.h - all that is known of a compilation before it starts.
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
  /// Reads what \p request asks of the compiler that was chosen. Borrows the
  /// strings and bytes of \p request.
  static Result<CompilePlan> make(const CompilerChoice &choice,
                                  const nereid_compile_request_t &request,
                                  const Log *log);

  const Plugin &plugin() const { return *compiler; }
  /// Whether the result is what the source stands for: all stages ran, none was
  /// replaced, and nobody wants to see them run.
  bool isWhole() const;

  std::shared_ptr<Plugin> compiler;
  ParsedOptions options;
  std::vector<Stage> stages;
  PipelinePlan pipeline;
  KeyIngredients ingredients;
  Digest key;

private:
  CompilePlan(std::shared_ptr<Plugin> compiler, ParsedOptions options)
      : compiler(std::move(compiler)), options(std::move(options)) {}
  Outcome readPipeline(const nereid_compile_request_t &request);
  Outcome readReplacements(const nereid_compile_request_t &request);
  Outcome readIngredients(const Target &target, const Log *log);
};

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILE_PLAN_H
