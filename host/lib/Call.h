// Call.h - one call into a plugin: collects what it reports and turns a failing
// status into a Failure that names the plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CALL_H
#define NEREID_HOST_CALL_H

#include "Result.h"

#include <mutex>
#include <string>
#include <string_view>

namespace nereid {

class Log;

/// The host's side of a nereid_call_t. Making one allocates nothing, so that a
/// launch may carry it.
///
///   Call call(&log, plugin.info.id);
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
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  const nereid_call_t *get() const { return &record; }

  /// What messages call the call's input, for a plugin that gives a line of it
  /// and no file. \p name outlives the call.
  void nameInput(std::string_view name) { input = name; }

  /// Runs \p slot; what it throws becomes a diagnostic and NEREID_INTERNAL.
  template <typename Slot> nereid_status_t run(Slot &&slot) {
    try {
      return slot();
    } catch (...) {
      return caught();
    }
  }

  /// The reasons that were reported, or one that blames the plugin for giving
  /// none; \p slot names what failed.
  Failure failure(nereid_status_t status, std::string_view slot);

  /// Whether an error was reported.
  bool hasReason() {
    std::lock_guard lock(mutex);
    return !errors.empty();
  }

private:
  static void report(const nereid_call_t *call,
                     const nereid_diagnostic_t *diagnostic);
  nereid_status_t caught();

  nereid_call_t record;
  const Log *log;
  std::string_view plugin, input;
  std::mutex mutex; // a plugin may report from several threads
  std::string errors;
  bool lastWasError = false;
};

/// "file:line:column: message", with what is known of the place.
std::string diagnosticText(const nereid_diagnostic_t &diagnostic);

/// The name of \p status as users see it: "invalid-argument".
std::string_view statusName(nereid_status_t status);

/// A writer that appends to a string, for slots that write text or bytes.
class StringWriter {
public:
  const nereid_writer_t *get() const { return &writer; }
  std::string text;

  StringWriter() : writer{sizeof(nereid_writer_t), 0, this, write} {}
  StringWriter(const StringWriter &) = delete;
  StringWriter &operator=(const StringWriter &) = delete;

private:
  static nereid_status_t write(const nereid_writer_t *writer, const void *data,
                               uint64_t size) noexcept;
  nereid_writer_t writer;
};

} // namespace nereid

#endif // NEREID_HOST_CALL_H
