// Call.cpp - collects what a plugin reports during one call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"

#include "abi/Struct.h"
#include "runtime/Log.h"

#include <exception>
#include <new>

namespace nereid::host {

// A plugin that reports without end must not eat the host's memory.
static constexpr size_t maxReportBytes = 1 << 20;

void Call::report(const nereid_call_t *call, const nereid_diagnostic_t *given) {
  if (!call || !given)
    return;
  Call &self = *static_cast<Call *>(call->user);
  nereid_diagnostic_t known = readStruct(*given);
  if (!known.file.size && known.line)
    known.file = borrow(self.input);
  try {
    std::lock_guard lock(self.mutex);
    bool isError = known.severity == NEREID_SEVERITY_ERROR;
    bool isNote = known.severity == NEREID_SEVERITY_NOTE;
    if (isError || (isNote && self.lastWasError)) {
      if (self.errors.size() < maxReportBytes) {
        if (!self.errors.empty())
          self.errors += '\n';
        self.errors += isNote ? "note: " : "";
        self.errors += diagnosticText(known);
      }
      self.lastWasError = true;
      return;
    }
    self.lastWasError = false;
    if (self.log)
      self.log->write(self.plugin, known);
  } catch (...) {
    // Out of memory while reporting: the status remains.
  }
}

int32_t Call::isCancelled(const nereid_call_t *call) {
  return of(call).cancellation->isRequested();
}

nereid_status_t Call::caught() {
  std::string what;
  try {
    throw;
  } catch (const std::bad_alloc &) {
    what = "ran out of memory (std::bad_alloc left the plugin)";
  } catch (const std::exception &error) {
    what =
        std::string("threw an exception across the boundary: ") + error.what();
  } catch (...) {
    what = "threw an exception of unknown type across the boundary";
  }
  std::lock_guard lock(mutex);
  if (!errors.empty())
    errors += '\n';
  errors += what;
  return NEREID_INTERNAL;
}

nereid_status_t Call::refuseInChild() {
  std::lock_guard lock(mutex);
  errors = "it was loaded before this process was forked and does not work in "
           "the child; load it in the child, or start a new process";
  return NEREID_UNAVAILABLE;
}

nereid_status_t Call::refuseMalformed(std::string problem) {
  refusal = NEREID_INVALID_ARGUMENT;
  malformed = std::move(problem);
  return refusal;
}

nereid_status_t Call::refuseForMemory() noexcept {
  return refusal = NEREID_OUT_OF_RESOURCES;
}

Failure Call::failure(nereid_status_t status, std::string_view slot) {
  std::lock_guard lock(mutex);
  std::string text = "plugin '" + std::string(plugin) + "': ";
  std::string name(slot);
  if (refusal == NEREID_OUT_OF_RESOURCES)
    return {refusal,
            text + "libnereid has no memory for the output of " + name};
  if (refusal != NEREID_OK)
    return {NEREID_INTERNAL,
            text + name + " returns malformed data: " + malformed};
  if (!errors.empty())
    text += errors;
  else if (status == NEREID_CANCELLED && record.cancelled)
    text += "the compilation was cancelled";
  else
    text += name + " failed with " + std::string(statusName(status)) +
            " and gave no reason, which is a fault of the plugin";
  // INVALID_ARGUMENT without a diagnostic is a fault of the plugin.
  bool isSilent = errors.empty() && status == NEREID_INVALID_ARGUMENT;
  if (status < NEREID_OK || status > NEREID_DEVICE_LOST || isSilent)
    status = NEREID_INTERNAL;
  return {status, std::move(text)};
}

void Call::warn(nereid_status_t status, std::string_view slot) noexcept {
  try {
    if (log)
      log->warning(failure(status, slot).text);
  } catch (...) {
    // Out of memory: the message is lost.
  }
}

std::string diagnosticText(const nereid_diagnostic_t &diagnostic) {
  std::string text;
  if (diagnostic.file.size) {
    text += view(diagnostic.file);
    if (diagnostic.line) {
      text += ':' + std::to_string(diagnostic.line);
      if (diagnostic.column)
        text += ':' + std::to_string(diagnostic.column);
    }
    text += ": ";
  }
  text += view(diagnostic.message);
  return text;
}

std::string_view statusName(nereid_status_t status) {
  switch (status) {
  case NEREID_OK:
    return "ok";
  case NEREID_INVALID_ARGUMENT:
    return "invalid-argument";
  case NEREID_UNIMPLEMENTED:
    return "unimplemented";
  case NEREID_UNAVAILABLE:
    return "unavailable";
  case NEREID_OUT_OF_RESOURCES:
    return "out-of-resources";
  case NEREID_NOT_FOUND:
    return "not-found";
  case NEREID_INCOMPATIBLE:
    return "incompatible";
  case NEREID_DEVICE_FAULT:
    return "device-fault";
  case NEREID_IO_ERROR:
    return "io-error";
  case NEREID_CANCELLED:
    return "cancelled";
  case NEREID_DEVICE_LOST:
    return "device-lost";
  default:
    return "internal";
  }
}

nereid_status_t StringWriter::write(const nereid_writer_t *writer,
                                    const void *data, uint64_t size) noexcept {
  StringWriter &self = *static_cast<StringWriter *>(writer->user);
  try {
    if (size && !data)
      return self.call.refuseMalformed("bytes with a size but no data");
    if (size)
      self.text.append(static_cast<const char *>(data), size);
    return NEREID_OK;
  } catch (...) {
    return self.call.refuseForMemory();
  }
}

} // namespace nereid::host
