// Call.h - one call into a plugin: collects what it reports and turns a failing
// status into a Failure that names the plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ABI_CALL_H
#define NEREID_HOST_ABI_CALL_H

#include "plugin/PluginInfo.h"
#include "support/Cancellation.h"
#include "support/Result.h"

#include <mutex>
#include <string>
#include <string_view>

namespace nereid::host {

class Log;

/// The host's side of a nereid_call_t, and of the sinks that go with it.
/// Creating one does not allocate, so that a launch may use it.
///
///   Call call(&log, plugin.info);
///   nereid_status_t status = call.run([&] { return slot(..., call.get()); });
///   if (status != NEREID_OK)
///     return call.failure(status, "parse_options");
class Call {
public:
  /// Warnings and notes go to \p log, if any, under the name \p plugin, which
  /// outlives the call.
  Call(const Log *log, std::string_view plugin)
      : record{sizeof(nereid_call_t), 0, this, report, nullptr}, log(log),
        plugin(plugin) {}
  /// A call of a loaded plugin, which a forked child may not be allowed.
  Call(const Log *log, const PluginInfo &info) : Call(log, info.id) {
    isAllowed = info.isUsableHere();
  }
  /// A call that the plugin may end early. \p cancellation outlives it.
  Call(const Log *log, const PluginInfo &info, const Cancellation &cancellation)
      : Call(log, info) {
    this->cancellation = &cancellation;
    if (cancellation.isPossible())
      record.cancelled = isCancelled;
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  const nereid_call_t *get() const { return &record; }

  /// The call that \p record, which is of the host's making, belongs to.
  static Call &of(const nereid_call_t *record) {
    return *static_cast<Call *>(record->user);
  }

  /// What messages call the call's input, for a plugin that gives a line of it
  /// and no file. \p name outlives the call.
  void nameInput(std::string_view name) { input = name; }

  /// Runs \p slot; what it throws becomes a diagnostic and NEREID_INTERNAL.
  /// It has also failed if a sink refused a value.
  template <typename Slot> nereid_status_t run(Slot &&slot) {
    if (!isAllowed) [[unlikely]]
      return refuseInChild();
    try {
      nereid_status_t status = slot();
      return refusal == NEREID_OK ? status : refusal;
    } catch (...) {
      return caught();
    }
  }

  /// For a sink: the plugin's value contradicts itself. The sink returns the
  /// status.
  nereid_status_t refuseMalformed(std::string problem);
  /// For a sink: out of memory for the plugin's value.
  nereid_status_t refuseForMemory() noexcept;

  /// What a sink refused, else the reasons that were reported, else one that
  /// blames the plugin for giving none; \p slot names what failed.
  Failure failure(nereid_status_t status, std::string_view slot);

  /// Logs the failure as a warning, for a call whose caller cannot fail.
  void warn(nereid_status_t status, std::string_view slot) noexcept;

  /// Whether an error was reported.
  bool hasReason() {
    std::lock_guard lock(mutex);
    return !errors.empty();
  }

private:
  static void report(const nereid_call_t *call,
                     const nereid_diagnostic_t *diagnostic);
  static int32_t isCancelled(const nereid_call_t *call);
  nereid_status_t caught();
  nereid_status_t refuseInChild();

  nereid_call_t record;
  const Log *log;
  const Cancellation *cancellation = nullptr; // null: never
  std::string_view plugin, input;
  std::mutex mutex; // a plugin may report from several threads
  std::string errors;
  bool lastWasError = false;
  bool isAllowed = true;
  nereid_status_t refusal = NEREID_OK; // what a sink returned; sinks are serial
  std::string malformed;
};

/// "file:line:column: message", as far as the location is known.
std::string diagnosticText(const nereid_diagnostic_t &diagnostic);

/// The name of \p status as users see it: "invalid-argument".
std::string_view statusName(nereid_status_t status);

/// A writer that appends to a string, for slots that write text or bytes.
class StringWriter {
public:
  StringWriter(std::string &text, Call &call)
      : writer{sizeof(nereid_writer_t), 0, this, write}, text(text),
        call(call) {}
  StringWriter(const StringWriter &) = delete;
  StringWriter &operator=(const StringWriter &) = delete;

  const nereid_writer_t *get() const { return &writer; }

private:
  static nereid_status_t write(const nereid_writer_t *writer, const void *data,
                               uint64_t size) noexcept;
  nereid_writer_t writer;
  std::string &text;
  Call &call;
};

} // namespace nereid::host

#endif // NEREID_HOST_ABI_CALL_H
