// Trace.h - what the host did and how long it took, as Chrome trace JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The file opens in Perfetto (ui.perfetto.dev) and in chrome://tracing. It is
// valid JSON at every moment: each write replaces the closing brackets by more
// events and the brackets again, so that a crash loses nothing but buffered
// launches.

#ifndef NEREID_HOST_RUNTIME_TRACE_H
#define NEREID_HOST_RUNTIME_TRACE_H

#include "runtime/Log.h"
#include "support/File.h"
#include "support/JsonFwd.h"
#include "support/Result.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid::host {

/// Nanoseconds on the clock of the trace.
int64_t traceNow();

/// A trace file. Every function may be called on any thread.
class Trace {
public:
  /// Overwrites \p path; "%p" in it is replaced by the process id. Runtimes of
  /// one process that name the same file share it. If another process writes
  /// there, the file is "<path>.<process id>". Warns through \p log of that,
  /// and once if writing fails later; \p log lives until leave().
  static Result<std::shared_ptr<Trace>> open(std::string_view path,
                                             const Log &log);
  /// Writes what is buffered, and stops using \p log.
  void leave(const Log &log);
  ~Trace();
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  /// Names and values that an event shows.
  using Arguments = std::vector<std::pair<std::string, std::string>>;

  /// Adds an event that began at \p start and ends now. Rare events are
  /// written at once, launches are buffered.
  void add(std::string_view category, std::string_view name, int64_t start,
           const Arguments &arguments, bool isBuffered = false);
  void flush();

private:
  static void flushAtExit();
  Trace(FileDescriptor file, std::string path);
  Outcome begin();
  void append(const Json &event);
  Outcome flushLocked();
  Failure abandon(int error);
  void warn(const Outcome &outcome);

  std::mutex mutex;
  std::string pending; // events that are not in the file yet
  FileDescriptor file;
  int64_t end = 0; // where the closing brackets begin
  bool isFirst = true;
  bool isBroken = false; // a write has failed
  const int owner;       // the process that writes: not a child made by fork
  const std::string path;

  std::mutex logsMutex;
  std::vector<const Log *> logs; // of the runtimes that share it
  std::vector<const Log *> busy; // whose callbacks run now
  std::condition_variable isQuiet;
};

/// Records the time between its construction and its destruction as an event.
/// Does nothing without a trace.
class TraceSpan {
public:
  TraceSpan(Trace *trace, std::string_view category, std::string_view name);
  ~TraceSpan();
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;

  void argument(const char *key, std::string_view value);

private:
  Trace *trace;
  std::string category, name;
  Trace::Arguments arguments;
  int64_t start = 0;
};

} // namespace nereid::host

#endif // NEREID_HOST_RUNTIME_TRACE_H
