// CacheDirectory.cpp - the layout of the cache directory, and who may write it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/CacheDirectory.h"

#include "cache/Cache.h"
#include "cache/CacheFile.h"
#include "support/File.h"
#include "support/PathSafety.h"

#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::host {

static constexpr std::string_view entrySuffix = ".entry";

// The value of a variable; empty if it is not set, or not to be trusted.
static std::string variable(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

Result<std::string> defaultCacheDirectory() {
  if (::getauxval(AT_SECURE))
    return Failure{NEREID_UNAVAILABLE,
                   "a process with raised privileges has no default cache "
                   "directory"};
  // The base directory specification: relative values are ignored.
  if (std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/'))
    return base + "/nereid";
  if (std::string home = variable("HOME"); home.starts_with('/'))
    return home + "/.cache/nereid";
  return Failure{NEREID_UNAVAILABLE,
                 "neither XDG_CACHE_HOME nor HOME is set to an absolute path"};
}

std::string CacheDirectory::folderOf(const Digest &key) const {
  return top + '/' + key.hex().substr(0, 2);
}

std::string CacheDirectory::pathOf(const Digest &key) const {
  return folderOf(key) + '/' + key.hex() + std::string(entrySuffix);
}

static Failure refused(const std::string &path, const std::string &reason) {
  return {NEREID_UNAVAILABLE, path + ": " + reason};
}

static Failure refused(const std::string &path, int error) {
  return {error == ENOENT ? NEREID_NOT_FOUND : NEREID_UNAVAILABLE,
          path + ": " + errorText(error)};
}

static int statPath(const std::string &path, struct stat &facts) {
  return withoutInterruption([&] { return ::stat(path.c_str(), &facts); });
}

static Outcome checkOwn(const std::string &path) {
  struct stat facts;
  if (statPath(path, facts) != 0)
    return refused(path, errno);
  if (!S_ISDIR(facts.st_mode))
    return refused(path, "not a directory");
  if (facts.st_uid != ::geteuid())
    return refused(path, "owned by user " + std::to_string(facts.st_uid) +
                             ", expected " + std::to_string(::geteuid()));
  if (facts.st_mode & (S_IWGRP | S_IWOTH))
    return refused(path, "others can write it, expected mode 0700");
  return {};
}

// Images are loaded from here by their paths, as plugins are.
static Outcome checkAbove(const std::string &path) {
  std::string resolved;
  auto resolve = [&] {
    return withoutInterruption([&] {
      resolved = resolvePath(path);
      return resolved.empty() ? -1 : 0;
    });
  };
  if (resolve() != 0)
    return refused(path, errno);
  PathSafety safety(ownDirectory());
  std::optional<PathDanger> bad = safety.checkParents(resolved);
  if (!bad)
    return {};
  // It may have vanished since.
  if (bad->kind == PathDanger::Unreadable && resolve() != 0)
    return refused(path, errno);
  return refused(path, "others can replace it: " + bad->text);
}

Outcome CacheDirectory::check() {
  if (isTrusted.load(std::memory_order_acquire))
    return {};
  if (!top.starts_with('/'))
    return refused("'" + top + "'", "not an absolute path");
  Outcome outcome = checkOwn(top);
  if (outcome)
    outcome = checkAbove(top);
  if (outcome)
    isTrusted.store(true, std::memory_order_release);
  // It need not be there yet, and may vanish at any moment.
  else if (outcome.failure().status == NEREID_NOT_FOUND)
    return {};
  return outcome;
}

// Makes the directory and what is missing above it.
static Outcome makeDirectory(const std::string &path) {
  auto make = [&] {
    return withoutInterruption([&] { return ::mkdir(path.c_str(), 0700); });
  };
  if (make() == 0)
    return {};
  size_t slash = path.rfind('/');
  bool hasParent = slash != 0 && slash != std::string::npos;
  if ((errno == ENOENT || errno == ENOTDIR) && hasParent) {
    if (Outcome parent = makeDirectory(path.substr(0, slash)); !parent)
      return parent;
    if (make() == 0)
      return {};
  }
  if (errno != EEXIST)
    return refused(path, errno);
  // Something has its name. A directory that cannot be read needs no separate
  // error.
  struct stat facts;
  if (statPath(path, facts) == 0 && !S_ISDIR(facts.st_mode))
    return refused(path, "not a directory, as the cache needs here; remove it");
  return {};
}

Outcome CacheDirectory::create(const Digest &key) {
  isTrusted.store(false, std::memory_order_release);
  Outcome made = makeDirectory(folderOf(key));
  if (!made && made.failure().status != NEREID_NOT_FOUND)
    return made;
  return check();
}

// --- listing ---

namespace {
struct CloseDirectory {
  void operator()(DIR *stream) const { ::closedir(stream); }
};
} // namespace

using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

static DirectoryStream openDirectory(const std::string &path) {
  FileDescriptor file = openFile(path, O_RDONLY | O_DIRECTORY);
  DIR *stream = file ? ::fdopendir(file.get()) : nullptr;
  if (stream)
    file.release();
  return DirectoryStream(stream);
}

static bool isFolderName(std::string_view name) {
  return name.size() == 2 &&
         Digest::fromHex(std::string(name) + std::string(62, '0'));
}

// Whether the name is one of ours; fills in the facts in it.
static bool parseName(std::string_view name, CacheFileInfo &file) {
  file.isUnfinished = name.starts_with(unfinishedPrefix);
  if (file.isUnfinished)
    return true;
  if (!name.ends_with(entrySuffix))
    return false;
  name.remove_suffix(entrySuffix.size());
  std::optional<Digest> key = Digest::fromHex(name);
  file.key = key.value_or(Digest());
  return key.has_value();
}

static Outcome
visitFolder(const std::string &folder,
            const std::function<void(const CacheFileInfo &)> &visit) {
  DirectoryStream stream = openDirectory(folder);
  // Not a directory, or one that is gone: no entries.
  if (!stream && (errno == ENOTDIR || errno == ENOENT || errno == ELOOP))
    return {};
  if (!stream)
    return refused(folder, errno);
  while (dirent *item = ::readdir(stream.get())) {
    CacheFileInfo file;
    struct stat facts;
    std::string_view name = item->d_name;
    if (!parseName(name, file) ||
        (!file.isUnfinished && !folder.ends_with(name.substr(0, 2))) ||
        ::fstatat(::dirfd(stream.get()), item->d_name, &facts,
                  AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    file.path = folder + '/' + item->d_name;
    file.size = uint64_t(facts.st_size);
    file.lastUse =
        int64_t(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec;
    visit(file);
  }
  return {};
}

Outcome CacheDirectory::forEachFile(
    const std::function<void(const CacheFileInfo &)> &visit) const {
  DirectoryStream stream = openDirectory(top);
  if (!stream && errno == ENOENT)
    return {};
  if (!stream)
    return refused(top, errno);
  Outcome first;
  while (dirent *item = ::readdir(stream.get()))
    if (isFolderName(item->d_name))
      if (Outcome seen = visitFolder(top + '/' + item->d_name, visit);
          !seen && first)
        first = std::move(seen);
  return first;
}

} // namespace nereid::host
