// LoadReport.h - the outcome for every file and table considered as a
// plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_LOAD_REPORT_H
#define NEREID_HOST_PLUGIN_LOAD_REPORT_H

#include "support/JsonFwd.h"
#include "support/Result.h"

#include <span>
#include <string>
#include <string_view>

namespace nereid::host {

/// Why a candidate is or is not a backend. Each has a stable code; the table
/// in docs/load-report.md is compared with reasonTable() by a test.
enum class Reason {
  Loaded,
  Unregistered,
  // Directories.
  RelativeDirectory,
  MissingDirectory,
  NotADirectory,
  // The file, before a byte of it is trusted.
  MissingFile,
  DanglingLink,
  NotAFile,
  EmptyFile,
  Unreadable,
  WritableByOthers,
  ForeignOwner,
  // The file's note, before its code runs.
  NotElf,
  TruncatedElf,
  BadElf,
  WrongMachine,
  NoNote,
  TwoNotes,
  BadNote,
  AbiMajor,
  AbiRevision,
  HostTooOld,
  WrongSanitizer,
  // Choices.
  OutsideBackend,
  Denied,
  DuplicateFile,
  DuplicateId,
  // Its code.
  OtherBuildMapped,
  UndefinedSymbol,
  CannotLoad,
  EntryMissing,
  EntryFailed,
  EntryThrew,
  EntryCrashed,
  BadTable,
  MissingSlots,
  CreateFailed,
  ProbeCrashed,
  ProbeTimeout,
  ProbeUnavailable,
};

struct ReasonInfo {
  Reason reason;
  std::string_view code;    // "no-note"
  std::string_view meaning; // one line of the table in docs/load-report.md
  std::string_view remedy;  // empty if there is nothing to do
  nereid_status_t status;   // of an explicit load that ends like this
};

/// Every reason, in the order of the enumeration.
std::span<const ReasonInfo> reasonTable();
const ReasonInfo &infoOf(Reason reason);

/// Why a file is not loaded.
struct Rejection {
  Reason reason = Reason::Unreadable;
  std::string detail; // what was found and what was expected
  std::string winner; // of a duplicate: path or id of the plugin loaded instead
};

/// One line of the report. Immutable once it is in the report.
struct Candidate {
  Reason reason = Reason::Loaded;
  std::string path;     // as found; empty for a table in process
  std::string resolved; // without links; empty if that failed
  std::string id;       // empty if unknown
  std::string name;     // of the vendor's checkout that the file is in
  std::string detail;
  std::string winner;

  bool loaded() const { return reason == Reason::Loaded; }
  std::string_view code() const { return infoOf(reason).code; }
  std::string_view remedy() const { return infoOf(reason).remedy; }
  /// "path: detail", with the id if there is no path.
  std::string text() const;
  /// The same and the remedy.
  std::string advice() const;
  Json json() const;
};

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_LOAD_REPORT_H
