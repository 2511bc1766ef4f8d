// Output.h - what the tool says: text or one JSON document on stdout, messages
// on stderr.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_OUTPUT_H
#define NEREID_TOOL_OUTPUT_H

#include "Errors.h"

#include <nlohmann/json.hpp>

namespace nereid::tool {

using namespace nereid::tools;
using Json = nlohmann::ordered_json;

/// Exit codes of the command; docs/tool.md explains them.
enum ExitCode : int {
  exitOk = 0,
  exitFailed = 1, // the input was understood, the work on it failed
  exitUsage = 2,
  exitNotFound = 3,
  exitUnavailable = 4, // not here, not by this plugin, or not that large
  exitFault = 5,       // the kernel failed while it ran
  exitIo = 6,
  exitInternal = 7,
  exitInterrupted = 130
};

/// The status of an error that is not the fault of how the tool was called:
/// a kernel that does not compile, a result that does not match.
inline constexpr nereid_status_t workFailed = 1 << 16;

int exitCodeOf(nereid_status_t status);
std::string_view statusNameOf(nereid_status_t status);

/// What Output::error() writes, for a signal handler.
struct PreparedError {
  std::string lines; ///< for stderr
  std::string document;
  int file; ///< where the document goes
};

class Output {
public:
  void useJson();
  bool isJson() const { return json; }
  /// From here on, and with JSON, what others in this process write to stdout,
  /// a kernel's prints for instance, goes to stderr.
  void claimStdout();

  /// Text for a person, whose control characters are shown as "\x1b"; nothing
  /// with JSON.
  void text(std::string_view text);
  /// Bytes as they are, in both modes.
  void raw(std::string_view bytes);
  /// The document; nothing without JSON.
  void document(const Json &value);
  /// Messages on stderr, each line with the tool's name before it, and with
  /// JSON a document with the same, unless there was one.
  void error(const Error &error);
  PreparedError prepare(const Error &error) const;
  /// Its lines on stderr alone, for a failure that does not end the work.
  void message(const Error &error);

  /// Whether all could be written.
  Expected<void> finish();

private:
  int file = 1;
  bool json = false;
  bool wroteDocument = false;
  int writeError = 0;
};

/// \p buffer's JSON; \p status as the call gave it.
Expected<Json> takeJson(nereid_status_t status, nereid_buffer_t *buffer);

} // namespace nereid::tool

#endif // NEREID_TOOL_OUTPUT_H
