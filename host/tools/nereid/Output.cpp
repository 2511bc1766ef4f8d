// Output.cpp - keeps stdout pure and maps statuses to exit codes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Output.h"

#include "Files.h"
#include "text/EscapeForTerminal.h"

#include <cstdio>
#include <unistd.h>

namespace nereid::tool {

int exitCodeOf(nereid_status_t status) {
  switch (status) {
  case NEREID_OK:
    return exitOk;
  case workFailed:
    return exitFailed;
  case NEREID_INVALID_ARGUMENT:
    return exitUsage;
  case NEREID_NOT_FOUND:
    return exitNotFound;
  case NEREID_UNIMPLEMENTED:
  case NEREID_UNAVAILABLE:
  case NEREID_OUT_OF_RESOURCES:
  case NEREID_INCOMPATIBLE:
    return exitUnavailable;
  case NEREID_DEVICE_FAULT:
    return exitFault;
  case NEREID_IO_ERROR:
    return exitIo;
  case NEREID_CANCELLED:
    return exitInterrupted;
  default:
    return exitInternal;
  }
}

std::string_view statusNameOf(nereid_status_t status) {
  if (status == workFailed)
    return "failed";
  return detail::view(nereid_status_name(status));
}

void Output::useJson() {
  json = true;
  claimStdout();
}

void Output::claimStdout() {
  file = dup(1);
  dup2(2, 1);
}

void Output::raw(std::string_view bytes) {
  if (!writeError)
    writeError = writeAll(file, bytes);
}

void Output::text(std::string_view text) {
  if (!json)
    raw(escapeForTerminal(text));
}

static std::string documentText(const Json &value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void Output::document(const Json &value) {
  if (!json)
    return;
  wroteDocument = true;
  raw(documentText(value));
}

PreparedError Output::prepare(const Error &error) const {
  std::string text = error.text;
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  if (text.empty())
    text = "error: " + std::string(statusNameOf(error.status));
  PreparedError prepared = {{}, {}, file};
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    prepared.lines +=
        "nereid: " + escapeForTerminal(text.substr(start, end - start)) + '\n';
    start = end + 1;
  }
  if (json && !wroteDocument)
    prepared.document = documentText({{"error",
                                       {{"code", statusNameOf(error.status)},
                                        {"exit", exitCodeOf(error.status)},
                                        {"message", text}}}});
  return prepared;
}

void Output::error(const Error &error) {
  PreparedError prepared = prepare(error);
  std::fputs(prepared.lines.c_str(), stderr);
  raw(prepared.document);
}

void Output::message(const Error &error) {
  std::fputs(prepare(error).lines.c_str(), stderr);
}

Expected<void> Output::finish() {
  if (writeError)
    return systemError("stdout", writeError);
  return {};
}

Expected<Json> takeJson(nereid_status_t status, nereid_buffer_t *buffer) {
  Expected<std::string> text = detail::take(status, buffer);
  if (!text)
    return text.error();
  Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded())
    return failure(NEREID_INTERNAL, "libnereid gave malformed JSON");
  return json;
}

} // namespace nereid::tool
