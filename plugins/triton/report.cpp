// report.cpp - what went wrong in a worker, as diagnostics.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report.h"

#include "common/text.h"

#include <charconv>
#include <optional>

namespace nereid::triton {

using plugin::text;
using worker::End;
using worker::Json;

static void report(const nereid_call_t *call, const Diagnostic &diagnostic) {
  nereid_diagnostic_t out = {};
  out.struct_size = sizeof out;
  out.severity = diagnostic.severity;
  out.message = text(diagnostic.message);
  out.file = text(diagnostic.file);
  out.line = diagnostic.line;
  out.column = diagnostic.column;
  call->report(call, &out);
}

// ---------------------------------------------------------------- MLIR's text
static bool takeNumber(std::string_view &from, uint32_t &out) {
  if (!from.starts_with(':'))
    return false;
  auto [end, error] =
      std::from_chars(from.data() + 1, from.data() + from.size(), out);
  if (error != std::errc())
    return false;
  from.remove_prefix(static_cast<size_t>(end - from.data()));
  return true;
}

static bool takePrefix(std::string_view &from, std::string_view prefix) {
  if (!from.starts_with(prefix))
    return false;
  from.remove_prefix(prefix.size());
  return true;
}

// "file":1:2 or file:1:2
static bool takeLocation(std::string_view &from, Diagnostic &out) {
  std::string_view rest = from;
  if (takePrefix(rest, "\"")) {
    size_t quote = rest.find('"');
    if (quote == std::string_view::npos)
      return false;
    out.file = rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!takeNumber(rest, out.line) || !takeNumber(rest, out.column))
      return false;
    from = rest;
    return true;
  }
  // A path may have colons: the first that two numbers follow ends it.
  for (size_t colon = rest.find(':'); colon != std::string_view::npos && colon;
       colon = rest.find(':', colon + 1)) {
    std::string_view after = rest.substr(colon);
    if (!takeNumber(after, out.line) || !takeNumber(after, out.column))
      continue;
    out.file = rest.substr(0, colon);
    from = after;
    return true;
  }
  return false;
}

static std::optional<Diagnostic> parseLine(std::string_view line) {
  Diagnostic result;
  bool isWrapped = takePrefix(line, "loc(");
  if (takeLocation(line, result)) {
    if (isWrapped && !takePrefix(line, ")"))
      return std::nullopt;
    if (!takePrefix(line, ": "))
      return std::nullopt;
  } else if (isWrapped && !takePrefix(line, "unknown): ")) {
    return std::nullopt;
  }
  if (takePrefix(line, "error: "))
    result.severity = NEREID_SEVERITY_ERROR;
  else if (takePrefix(line, "warning: "))
    result.severity = NEREID_SEVERITY_WARNING;
  else if (takePrefix(line, "note: ") || takePrefix(line, "remark: "))
    result.severity = NEREID_SEVERITY_NOTE;
  else
    return std::nullopt;
  result.message = line;
  // What the worker calls its input.
  if (result.file == "input.ttir" || result.file == "input.ttgir")
    result.file.clear();
  return result;
}

std::vector<Diagnostic> printedDiagnostics(std::string_view output) {
  std::vector<Diagnostic> result;
  while (!output.empty()) {
    size_t end = std::min(output.find('\n'), output.size());
    if (std::optional<Diagnostic> found = parseLine(output.substr(0, end)))
      result.push_back(std::move(*found));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return result;
}

// ---------------------------------------------------------------- failures
static nereid_status_t statusOf(std::string_view name) {
  static constexpr std::pair<std::string_view, nereid_status_t> known[] = {
      {"invalid-argument", NEREID_INVALID_ARGUMENT},
      {"unimplemented", NEREID_UNIMPLEMENTED},
      {"unavailable", NEREID_UNAVAILABLE},
      {"out-of-resources", NEREID_OUT_OF_RESOURCES},
      {"not-found", NEREID_NOT_FOUND},
      {"incompatible", NEREID_INCOMPATIBLE},
      {"io-error", NEREID_IO_ERROR}};
  for (const auto &[each, status] : known)
    if (each == name)
      return status;
  return NEREID_INTERNAL;
}

template <typename T>
static T member(const Json &object, const char *name, T otherwise) {
  auto found = object.find(name);
  if (found == object.end())
    return otherwise;
  if constexpr (std::is_same_v<T, std::string>)
    return found->is_string() ? found->template get<T>() : otherwise;
  else
    return found->is_number_unsigned() ? found->template get<T>() : otherwise;
}

static Diagnostic readDiagnostic(const Json &json) {
  Diagnostic result;
  std::string severity = member<std::string>(json, "severity", "error");
  result.severity = severity == "note"      ? NEREID_SEVERITY_NOTE
                    : severity == "warning" ? NEREID_SEVERITY_WARNING
                                            : NEREID_SEVERITY_ERROR;
  result.message = member<std::string>(json, "message", "no reason given");
  result.file = member<std::string>(json, "file", "");
  result.line = member<uint32_t>(json, "line", 0);
  result.column = member<uint32_t>(json, "column", 0);
  return result;
}

// The last lines of what a worker printed, as notes.
static void reportOutput(std::string_view output, const nereid_call_t *call) {
  constexpr size_t most = 20;
  std::vector<std::string_view> lines;
  while (!output.empty()) {
    size_t end = std::min(output.find('\n'), output.size());
    if (end)
      lines.push_back(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  for (size_t i = lines.size() > most ? lines.size() - most : 0;
       i < lines.size(); ++i)
    report(call, {NEREID_SEVERITY_NOTE,
                  "it printed: " + std::string(lines[i].substr(0, 1000)),
                  {},
                  0,
                  0});
}

// Triton's releases are built with assertions, which often are the only reason
// that is given.
static void reportAssertions(std::string_view output,
                             const nereid_call_t *call) {
  for (size_t at = output.find(": Assertion `"); at != std::string_view::npos;
       at = output.find(": Assertion `", at + 1)) {
    size_t start = output.rfind('\n', at);
    start = start == std::string_view::npos ? 0 : start + 1;
    std::string_view line = output.substr(start, output.find('\n', at) - start);
    report(call, {NEREID_SEVERITY_NOTE,
                  "Triton printed: " + std::string(line.substr(0, 1000)),
                  {},
                  0,
                  0});
  }
}

// An error that the worker itself reports.
static nereid_status_t reportError(const Json &error, std::string_view output,
                                   const nereid_call_t *call) {
  std::vector<Diagnostic> printed = printedDiagnostics(output);
  bool hasErrors = false;
  for (const Diagnostic &diagnostic : printed) {
    hasErrors |= diagnostic.severity == NEREID_SEVERITY_ERROR;
    report(call, diagnostic);
  }
  reportAssertions(output, call);
  auto list = error.find("diagnostics");
  if (list != error.end() && list->is_array())
    for (const Json &json : *list) {
      if (!json.is_object())
        continue;
      Diagnostic diagnostic = readDiagnostic(json);
      // What MLIR printed is the reason.
      if (hasErrors && diagnostic.severity == NEREID_SEVERITY_ERROR)
        diagnostic.severity = NEREID_SEVERITY_NOTE;
      report(call, diagnostic);
    }
  else if (!hasErrors)
    report(call,
           {NEREID_SEVERITY_ERROR, "the worker gave no reason", {}, 0, 0});
  return statusOf(member<std::string>(error, "status", ""));
}

nereid_status_t reportExchange(const worker::Exchange &exchange,
                               const nereid_call_t *call) {
  if (exchange.end == End::Answered) {
    auto error = exchange.answer.header.find("error");
    return error == exchange.answer.header.end()
               ? NEREID_OK
               : reportError(*error, exchange.output, call);
  }
  nereid_status_t status = NEREID_INTERNAL;
  std::string what = "the compiler's process failed: " + exchange.problem;
  switch (exchange.end) {
  case End::NotStarted:
    status = NEREID_UNAVAILABLE;
    break;
  case End::Late:
    status = NEREID_OUT_OF_RESOURCES;
    what += "; NEREID_TRITON_TIME_LIMIT sets another limit";
    break;
  case End::Cancelled:
    status = NEREID_CANCELLED;
    what = "the compilation was cancelled";
    break;
  case End::Ended:
    // Only what it printed says whether it ran out of memory by itself.
    if (exchange.problem.find("memory") != std::string::npos ||
        exchange.output.find("bad_alloc") != std::string::npos ||
        exchange.output.find("out of memory") != std::string::npos)
      status = NEREID_OUT_OF_RESOURCES;
    break;
  default:
    break;
  }
  report(call, {NEREID_SEVERITY_ERROR, what, {}, 0, 0});
  if (exchange.end != End::Cancelled) {
    for (Diagnostic diagnostic : printedDiagnostics(exchange.output))
      report(call, diagnostic);
    reportOutput(exchange.output, call);
  }
  return status;
}

} // namespace nereid::triton
