// Trace.cpp - writes Chrome trace JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Trace.h"

#include "Json.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <unistd.h>

namespace nereid {

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

static void flushAtExit() {
  std::lock_guard lock(openTraces().mutex);
  for (auto &[path, weak] : openTraces().byPath)
    if (std::shared_ptr<Trace> trace = weak.lock())
      trace->flush();
}

int64_t traceNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static std::string expandPath(std::string_view path) {
  std::string expanded(path);
  if (size_t place = expanded.find("%p"); place != std::string::npos)
    expanded.replace(place, 2, std::to_string(getpid()));
  return expanded;
}

Result<std::shared_ptr<Trace>> Trace::open(std::string_view name) {
  std::string path = expandPath(name);
  OpenTraces &traces = openTraces();
  std::lock_guard lock(traces.mutex);
  if (auto found = traces.byPath.find(path); found != traces.byPath.end())
    if (std::shared_ptr<Trace> trace = found->second.lock())
      return trace;
  int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return Failure{NEREID_IO_ERROR,
                   path + ": cannot write the trace: " + std::strerror(errno)};
  static int isRegistered = std::atexit(flushAtExit);
  (void)isRegistered;
  std::shared_ptr<Trace> trace(new Trace(file, path));
  traces.byPath[path] = trace;
  return trace;
}

Trace::Trace(int file, std::string path)
    : file(file), owner(getpid()), path(std::move(path)) {
  std::string start = std::string(opening) + std::string(closing);
  if (::pwrite(file, start.data(), start.size(), 0) < 0)
    owner = -1;
  end = static_cast<int64_t>(opening.size());
  append({{"name", "process_name"},
          {"ph", "M"},
          {"pid", getpid()},
          {"args", {{"name", "nereid"}}}});
}

Trace::~Trace() {
  flush();
  ::close(file);
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
  std::lock_guard lock(mutex);
  append(event);
  if (!isBuffered || pending.size() >= bufferBytes)
    flushLocked();
}

void Trace::flush() {
  std::lock_guard lock(mutex);
  flushLocked();
}

void Trace::flushLocked() {
  if (pending.empty() || getpid() != owner)
    return;
  size_t eventBytes = pending.size();
  pending += closing;
  ssize_t written = ::pwrite(file, pending.data(), pending.size(), end);
  if (written == static_cast<ssize_t>(pending.size()))
    end += static_cast<int64_t>(eventBytes);
  else
    abandon();
  pending.clear();
}

// After a failed write, of a full disk for instance: closes the JSON where it
// was whole and writes nothing more.
void Trace::abandon() {
  owner = -1;
  if (::pwrite(file, closing.data(), closing.size(), end) < 0)
    return;
  (void)!::ftruncate(file, end + static_cast<int64_t>(closing.size()));
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

} // namespace nereid
