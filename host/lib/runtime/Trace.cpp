// Trace.cpp - writes Chrome trace JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Trace.h"

#include "support/File.h"
#include "support/Json.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::host {

static constexpr std::string_view opening =
    "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
static constexpr std::string_view closing = "\n]}\n";
static constexpr size_t bufferBytes = 64 * 1024;

namespace {
/// The traces of this process by file. Never destroyed, because runtimes may
/// be used until the last moment of the process.
struct OpenTraces {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Trace>, std::less<>> byPath;
};
} // namespace

static OpenTraces &openTraces() {
  static OpenTraces *traces = new OpenTraces;
  return *traces;
}

void Trace::flushAtExit() {
  static const Log standardError;
  std::lock_guard lock(openTraces().mutex);
  for (auto &[path, weak] : openTraces().byPath)
    if (std::shared_ptr<Trace> trace = weak.lock()) {
      {
        // The data of the other callbacks may be gone.
        std::lock_guard logsLock(trace->logsMutex);
        trace->logs = {&standardError};
      }
      trace->flush();
    }
}

int64_t traceNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static std::string expandPath(std::string_view path) {
  std::string expanded(path), process = std::to_string(getpid());
  for (size_t place = 0;
       (place = expanded.find("%p", place)) != std::string::npos;
       place += process.size())
    expanded.replace(place, 2, process);
  return expanded;
}

static Failure cannotWrite(const std::string &path, const std::string &why) {
  return {NEREID_IO_ERROR, path + ": cannot write the trace: " + why};
}

// Not emptied yet: it may be another process's. Neither waits for the reader of
// a FIFO.
static Result<FileDescriptor> openRegular(const std::string &path) {
  struct stat status = {};
  // Before it is opened: opening a device can have effects.
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return cannotWrite(path, "it is " + fileKind(status.st_mode) +
                                 ", expected a regular file");
  FileDescriptor file(
      ::open(path.c_str(),
             O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
  if (!file)
    return cannotWrite(path, errorText(errno));
  return file;
}

// Where locks do not work, assume no other writer.
static bool isTaken(const FileDescriptor &file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Result<std::shared_ptr<Trace>> Trace::open(std::string_view name,
                                           const Log &log) {
  std::string path = expandPath(name);
  std::string remark; // for the callback, which must find no lock held
  OpenTraces &traces = openTraces();
  std::unique_lock lock(traces.mutex);
  std::weak_ptr<Trace> &known = traces.byPath[path];
  std::shared_ptr<Trace> trace = known.lock();
  // A child never writes its parent's trace.
  if (!trace || trace->owner != getpid()) {
    Result<FileDescriptor> file = openRegular(path);
    if (!file)
      return file.failure();
    if (isTaken(*file)) {
      std::string other = path + '.' + std::to_string(getpid());
      remark =
          path +
          ": another process writes its trace there, so this one goes to " +
          other;
      path = std::move(other);
      file = openRegular(path);
      if (!file)
        return file.failure();
    }
    trace.reset(new Trace(std::move(*file), path));
    if (Outcome begun = trace->begin(); !begun)
      return begun.failure();
    static int isRegistered = std::atexit(flushAtExit);
    (void)isRegistered;
    known = trace;
  }
  {
    std::lock_guard logsLock(trace->logsMutex);
    trace->logs.push_back(&log);
  }
  lock.unlock();
  if (!remark.empty())
    log.warning(remark);
  return trace;
}

void Trace::leave(const Log &log) {
  flush();
  std::unique_lock lock(logsMutex);
  std::erase(logs, &log);
  isQuiet.wait(lock, [&] {
    return std::find(busy.begin(), busy.end(), &log) == busy.end();
  });
}

Trace::Trace(FileDescriptor file, std::string path)
    : file(std::move(file)), owner(getpid()), path(std::move(path)) {}

Outcome Trace::begin() {
  SizeSignalBlock block;
  std::string start = std::string(opening) + std::string(closing);
  int error = ::ftruncate(file.get(), 0) != 0
                  ? errno
                  : writeAllAt(file.get(), start, 0);
  if (error)
    return cannotWrite(path, errorText(error));
  end = static_cast<int64_t>(opening.size());
  append({{"name", "process_name"},
          {"ph", "M"},
          {"pid", getpid()},
          {"args", {{"name", "nereid"}}}});
  return {};
}

Trace::~Trace() {
  flush();
  // A child that was forked has the file as well, and would keep the lock.
  if (getpid() == owner)
    ::flock(file.get(), LOCK_UN);
}

void Trace::append(const Json &event) {
  pending += isFirst ? "\n" : ",\n";
  pending += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  isFirst = false;
}

void Trace::add(std::string_view category, std::string_view name, int64_t start,
                const Arguments &arguments, bool isBuffered) {
  Json shown = Json::object();
  for (const auto &[key, value] : arguments)
    shown[key] = value;
  int64_t duration = traceNow() - start;
  Json event = {{"name", std::string(name)},
                {"cat", std::string(category)},
                {"ph", "X"},
                {"ts", static_cast<double>(start) / 1000},
                {"dur", static_cast<double>(duration) / 1000},
                {"pid", getpid()},
                {"tid", gettid()},
                {"args", std::move(shown)}};
  Outcome flushed;
  {
    std::lock_guard lock(mutex);
    append(event);
    if (!isBuffered || pending.size() >= bufferBytes)
      flushed = flushLocked();
  }
  warn(flushed);
}

void Trace::flush() {
  Outcome flushed;
  {
    std::lock_guard lock(mutex);
    flushed = flushLocked();
  }
  warn(flushed);
}

Outcome Trace::flushLocked() {
  if (pending.empty() || getpid() != owner || isBroken)
    return {};
  SizeSignalBlock block;
  size_t eventBytes = pending.size();
  pending += closing;
  int error = writeAllAt(file.get(), pending, end);
  pending.clear();
  if (error)
    return abandon(error);
  end += static_cast<int64_t>(eventBytes);
  return {};
}

// After a failed write, of a full disk for instance: closes the JSON where it
// was whole and writes nothing more.
Failure Trace::abandon(int error) {
  isBroken = true;
  if (writeAllAt(file.get(), closing, end) == 0)
    (void)!::ftruncate(file.get(), end + static_cast<int64_t>(closing.size()));
  return cannotWrite(path, errorText(error) + "; it ends here");
}

// Without any lock: a log callback may make events, or open the same trace. The
// log stays alive because leave() waits for its callback.
void Trace::warn(const Outcome &outcome) {
  if (outcome)
    return;
  const Log *log;
  {
    std::lock_guard lock(logsMutex);
    if (logs.empty())
      return;
    log = logs.front();
    busy.push_back(log);
  }
  log->warning(outcome.failure().text);
  std::lock_guard lock(logsMutex);
  busy.erase(std::find(busy.begin(), busy.end(), log));
  isQuiet.notify_all();
}

TraceSpan::TraceSpan(Trace *trace, std::string_view category,
                     std::string_view name)
    : trace(trace) {
  if (!trace)
    return;
  this->category = category;
  this->name = name;
  start = traceNow();
}

TraceSpan::~TraceSpan() {
  if (!trace)
    return;
  try {
    trace->add(category, name, start, arguments);
  } catch (...) {
    // Out of memory: the event is lost.
  }
}

void TraceSpan::argument(const char *key, std::string_view value) {
  if (trace)
    arguments.emplace_back(key, value);
}

} // namespace nereid::host
