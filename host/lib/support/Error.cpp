// Error.cpp - the record of each thread's last failure.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/Error.h"

#include <exception>
#include <new>
#include <string>

namespace nereid::host {

namespace {
/// `fixed` is used when there is no memory for `text`.
struct ErrorRecord {
  std::string text;
  std::string_view fixed;
};
} // namespace

static ErrorRecord &record() {
  thread_local ErrorRecord record;
  return record;
}

// "error: " before each line that is not a note.
static std::string withSeverity(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!line.starts_with("note: "))
      text += "error: ";
    text += line;
    if (!lines.empty())
      text += '\n';
  }
  return text;
}

nereid_status_t fail(const Failure &failure) noexcept {
  ErrorRecord &kept = record();
  try {
    kept.text = withSeverity(failure.text);
    kept.fixed = {};
  } catch (...) {
    kept.fixed = "error: out of memory";
  }
  return failure.status == NEREID_OK ? NEREID_INTERNAL : failure.status;
}

std::string_view lastError() noexcept {
  const ErrorRecord &kept = record();
  return kept.fixed.empty() ? std::string_view(kept.text) : kept.fixed;
}

nereid_status_t failFromException() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc &) {
      return fail({NEREID_OUT_OF_RESOURCES, "out of memory"});
    } catch (const std::exception &error) {
      return fail({NEREID_INTERNAL, std::string("libnereid: unexpected "
                                                "exception: ") +
                                        error.what()});
    } catch (...) {
      return fail({NEREID_INTERNAL, "libnereid: unexpected exception"});
    }
  } catch (...) {
    record().fixed = "error: out of memory";
    return NEREID_OUT_OF_RESOURCES;
  }
}

} // namespace nereid::host
