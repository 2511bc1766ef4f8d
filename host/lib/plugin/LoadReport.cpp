// LoadReport.cpp - the reasons of the load report.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/LoadReport.h"

#include "support/Json.h"

namespace nereid::host {

static constexpr ReasonInfo reasons[] = {
    {Reason::Loaded, "loaded", "it is a backend now", "", NEREID_OK},
    {Reason::Unregistered, "unregistered",
     "it was a backend until the host program removed it", "",
     NEREID_NOT_FOUND},
    {Reason::RelativeDirectory, "relative-directory",
     "an element of NEREID_PLUGIN_DIRS is not an absolute path",
     "write the full path; the current directory is never searched",
     NEREID_INVALID_ARGUMENT},
    {Reason::MissingDirectory, "missing-directory",
     "a directory of NEREID_PLUGIN_DIRS does not exist or cannot be read",
     "create it, correct the path or take it off the list", NEREID_NOT_FOUND},
    {Reason::NotADirectory, "not-a-directory",
     "an element of NEREID_PLUGIN_DIRS is not a directory",
     "name the directory that the plugin is in", NEREID_INVALID_ARGUMENT},
    {Reason::MissingFile, "missing-file",
     "an explicit load names a file that does not exist", "correct the path",
     NEREID_NOT_FOUND},
    {Reason::DanglingLink, "dangling-link",
     "the path is a link to nothing, or to itself",
     "remove the link or restore what it points to", NEREID_NOT_FOUND},
    {Reason::NotAFile, "not-a-file", "the path is not a regular file",
     "put the plugin's file there, or remove it", NEREID_INVALID_ARGUMENT},
    {Reason::EmptyFile, "empty-file", "the file has no bytes",
     "install the plugin again", NEREID_INVALID_ARGUMENT},
    {Reason::Unreadable, "unreadable", "the file cannot be opened or read",
     "check the path and its permissions", NEREID_IO_ERROR},
    {Reason::WritableByOthers, "writable-by-others",
     "another user could change the file or replace it",
     "remove the write permission (chmod go-w), or allow such files "
     "(NEREID_RUNTIME_ALLOW_WRITABLE)",
     NEREID_IO_ERROR},
    {Reason::ForeignOwner, "foreign-owner",
     "the file or a directory above it belongs to another user",
     "change the owner (chown), or allow such files "
     "(NEREID_RUNTIME_ALLOW_WRITABLE)",
     NEREID_IO_ERROR},
    {Reason::NotElf, "not-elf", "the file is not an ELF file",
     "remove it, or install the plugin again", NEREID_INVALID_ARGUMENT},
    {Reason::TruncatedElf, "truncated-elf",
     "the file ends before what its headers declare",
     "install the plugin again: it was not copied whole",
     NEREID_INVALID_ARGUMENT},
    {Reason::BadElf, "bad-elf",
     "the ELF headers make no sense for a shared object",
     "build the plugin as a shared object (-shared)", NEREID_INVALID_ARGUMENT},
    {Reason::WrongMachine, "wrong-machine", "the file is for another processor",
     "install the plugin's build for this machine", NEREID_INCOMPATIBLE},
    {Reason::NoNote, "no-note",
     "the file is a shared object, but not a Nereid plugin",
     "build plugins with nereid_add_plugin() or NEREID_PLUGIN_NOTE; put "
     "libraries that a plugin uses in a folder of their own",
     NEREID_INVALID_ARGUMENT},
    {Reason::TwoNotes, "two-notes", "the file has several plugin notes",
     "link one plugin into a file, with one note", NEREID_INVALID_ARGUMENT},
    {Reason::BadNote, "bad-note", "the plugin note is malformed",
     "write the note with nereid_add_plugin() or NEREID_PLUGIN_NOTE",
     NEREID_INVALID_ARGUMENT},
    {Reason::AbiMajor, "abi-major",
     "the plugin is built for another major version of the ABI",
     "get a build of the plugin for this host's ABI", NEREID_INCOMPATIBLE},
    {Reason::AbiRevision, "abi-revision",
     "the plugin is built for another revision of an ABI that is provisional",
     "build the plugin with this host's headers, or get such a build",
     NEREID_INCOMPATIBLE},
    {Reason::HostTooOld, "host-too-old",
     "the plugin needs a later minor version of the ABI",
     "update Nereid, or get an older release of the plugin",
     NEREID_INCOMPATIBLE},
    {Reason::WrongSanitizer, "wrong-sanitizer",
     "the plugin is built with a sanitizer that this host lacks",
     "build both with the same sanitizer, or the plugin without",
     NEREID_INCOMPATIBLE},
    {Reason::OutsideBackend, "outside-backend",
     "the plugin is in a vendor's checkout, beside the folder `backend`",
     "move it into `backend`: only that folder of a checkout is searched",
     NEREID_NOT_FOUND},
    {Reason::Denied, "denied",
     "the host program's patterns of plugin ids exclude it",
     "change the patterns, or load it by its path", NEREID_UNAVAILABLE},
    {Reason::DuplicateFile, "duplicate-file",
     "the file was considered already, under another path", "",
     NEREID_INVALID_ARGUMENT},
    {Reason::DuplicateId, "duplicate-id",
     "a plugin with the same id was loaded before",
     "keep one of them, or change the order of directories: the first wins",
     NEREID_INVALID_ARGUMENT},
    {Reason::OtherBuildMapped, "other-build-mapped",
     "the file was replaced, and this process has the previous build mapped",
     "start the program again", NEREID_UNAVAILABLE},
    {Reason::UndefinedSymbol, "undefined-symbol",
     "a symbol or a library that it uses cannot be found",
     "install the missing library; link plugins with -z defs",
     NEREID_INCOMPATIBLE},
    {Reason::CannotLoad, "cannot-load",
     "the dynamic loader refuses the file for another reason",
     "see the loader's message", NEREID_INCOMPATIBLE},
    {Reason::EntryMissing, "entry-missing",
     "the file does not export the plugin entry",
     "export nereid_plugin_entry_1 with default visibility",
     NEREID_INCOMPATIBLE},
    {Reason::EntryFailed, "entry-failed",
     "the plugin's entry returned an error or no table",
     "see the plugin's message", NEREID_UNAVAILABLE},
    {Reason::EntryThrew, "entry-threw", "an exception left the plugin's entry",
     "report it to the plugin's vendor: no exception may cross",
     NEREID_INTERNAL},
    {Reason::EntryCrashed, "entry-crashed",
     "the child process of an isolated probe ended while it loaded the plugin",
     "report it to the plugin's vendor", NEREID_INTERNAL},
    {Reason::BadTable, "bad-table",
     "the plugin's table contradicts itself, its note or the ABI",
     "report it to the plugin's vendor", NEREID_INCOMPATIBLE},
    {Reason::MissingSlots, "missing-slots",
     "slots that the ABI requires are missing",
     "report it to the plugin's vendor", NEREID_INCOMPATIBLE},
    {Reason::CreateFailed, "create-failed", "the plugin could not start",
     "see the plugin's message", NEREID_UNAVAILABLE},
    {Reason::ProbeCrashed, "probe-crashed",
     "the child process of an isolated probe ended in the plugin's create, "
     "probe, shutdown or destructors",
     "report it to the plugin's vendor", NEREID_INTERNAL},
    {Reason::ProbeTimeout, "probe-timeout",
     "the isolated probe did not end in time",
     "report it to the plugin's vendor, or allow more time "
     "(NEREID_PROBE_TIMEOUT)",
     NEREID_UNAVAILABLE},
    {Reason::ProbeUnavailable, "probe-unavailable",
     "the helper program `nereid-probe` of the isolated probe is missing or "
     "cannot be started",
     "install it with libnereid, free memory or processes, or load without the "
     "isolated probe",
     NEREID_UNAVAILABLE},
};

static constexpr bool isInOrder() {
  for (size_t i = 0; i < std::size(reasons); ++i)
    if (static_cast<size_t>(reasons[i].reason) != i)
      return false;
  return std::size(reasons) ==
         static_cast<size_t>(Reason::ProbeUnavailable) + 1;
}
static_assert(isInOrder(), "the table is indexed by reason");

std::span<const ReasonInfo> reasonTable() { return reasons; }

const ReasonInfo &infoOf(Reason reason) {
  return reasons[static_cast<size_t>(reason)];
}

std::string Candidate::text() const {
  std::string text = path.empty() ? "plugin '" + id + "'" : path;
  text += ": ";
  text += detail.empty() ? infoOf(reason).meaning : std::string_view(detail);
  if (!winner.empty())
    text += "; '" + winner + "' is used";
  return text;
}

std::string Candidate::advice() const {
  std::string advice = text();
  if (!remedy().empty())
    advice += "; " + std::string(remedy());
  return advice;
}

Json Candidate::json() const {
  Json json;
  json["path"] = path;
  json["resolved"] = resolved;
  json["id"] = id;
  json["name"] = name;
  json["loaded"] = loaded();
  json["reason"] = code();
  json["detail"] = detail;
  json["remedy"] = remedy();
  json["winner"] = winner;
  return json;
}

} // namespace nereid::host
