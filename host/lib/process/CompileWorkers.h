// CompileWorkers.h - runs the stages of a compiler in a process of its own,
// which may crash, hang or exit (NEREID_COMPILE=isolated, docs/workers.md).
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PROCESS_COMPILE_WORKERS_H
#define NEREID_HOST_PROCESS_COMPILE_WORKERS_H

#include "compile/CompilePlan.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace nereid::worker {
struct Exchange;
struct Message;
class Pool;
} // namespace nereid::worker

namespace nereid::host {

/// The workers of a runtime: a pool of `nereid-compile-worker` for each plugin.
/// Options, stages and keys stay in this process; they need no compiler part.
/// Every function may be called on any thread.
class CompileWorkers {
public:
  /// \p helper is the program; \p log outlives this object.
  CompileWorkers(std::string helper, std::chrono::milliseconds limit,
                 bool allowsWritable, const Log *log);
  ~CompileWorkers();

  /// As runPipeline(), with equal results.
  Result<PipelineResult> run(const CompilePlan &plan);
  /// As checkSession().
  Outcome check(const CompilePlan &plan);

private:
  Result<worker::Message> ask(const CompilePlan &plan, worker::Message request);
  worker::Pool &poolOf(const PluginInfo &plugin);
  void forward(const worker::Message &event) const;

  const std::string helper;
  const std::chrono::milliseconds limit;
  const bool allowsWritable;
  const Log *const log;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<worker::Pool>>
      pools; // by plugin's path
};

/// The program that is installed with the libnereid in \p libraryDir; empty if
/// that is empty.
std::string compileWorkerIn(const std::string &libraryDir);

/// What the program does: compiles with the plugin at \p path until its parent
/// closes the socket. Messages of at least \p level are passed on. Returns the
/// status to exit with.
int serveCompiler(const std::string &path, bool allowsWritable,
                  nereid_severity_t level);

} // namespace nereid::host

#endif // NEREID_HOST_PROCESS_COMPILE_WORKERS_H
