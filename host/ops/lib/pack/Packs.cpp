// Packs.cpp - discovery of packs, and the order of their layers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/Packs.h"

#include "call/LastFailure.h"
#include "support/File.h"
#include "support/PathSafety.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace nereid::ops {

namespace filesystem = std::filesystem;

static bool isDirectory(const std::string &path) {
  std::error_code error;
  return filesystem::is_directory(path, error);
}

static bool isFile(const std::string &path) {
  std::error_code error;
  return filesystem::is_regular_file(path, error);
}

static bool isPack(const std::string &path) {
  return isFile(path + "/vendor.yaml");
}

// Every directory and file below, of which the process may run the Python.
static std::optional<host::PathDanger> findDanger(const std::string &directory,
                                                  host::PathSafety &safety) {
  std::string resolved = host::resolvePath(directory);
  if (std::optional<host::PathDanger> danger = safety.checkDirectory(resolved))
    return danger;
  std::error_code error;
  for (filesystem::recursive_directory_iterator item(resolved, error), end;
       !error && item != end; item.increment(error)) {
    std::string path = host::resolvePath(item->path());
    if (path.empty())
      continue;
    std::error_code ignored;
    std::optional<host::PathDanger> danger = item->is_directory(ignored)
                                                 ? safety.checkDirectory(path)
                                                 : safety.checkFile(path);
    if (danger)
      return danger;
  }
  return std::nullopt;
}

void Packs::add(const std::string &directory, bool isUser,
                const PackSearch &search) {
  std::string resolved = host::resolvePath(directory);
  for (const std::unique_ptr<Pack> &pack : all)
    if (host::resolvePath(pack->directory()) == resolved)
      return;
  if (!search.allowsWritable) {
    host::PathSafety safety(host::ownDirectory());
    if (std::optional<host::PathDanger> danger =
            findDanger(directory, safety)) {
      found.push_back(
          {directory, 0, 0, danger->text + "; its kernels are not trusted"});
      return;
    }
  }
  if (std::unique_ptr<Pack> pack = Pack::read(directory, isUser, found))
    all.push_back(std::move(pack));
}

// A file: an archive that a pack was built into.
void Packs::addArchive(const std::string &path, const PackSearch &search) {
  for (const std::unique_ptr<Pack> &pack : all)
    if (host::resolvePath(pack->directory()) == host::resolvePath(path))
      return;
  auto refuse = [&](std::string text) {
    // It starts with the path.
    if (text.starts_with(path + ": "))
      text.erase(0, path.size() + 2);
    found.push_back({path, 0, 0, std::move(text)});
  };
  if (!search.allowsWritable) {
    host::PathSafety safety(host::ownDirectory());
    if (std::optional<host::PathDanger> danger =
            safety.checkFile(host::resolvePath(path)))
      return refuse(danger->text + "; its kernels are not trusted");
  }
  nereid_archive_open_t request = {};
  request.struct_size = sizeof request;
  request.path = borrow(path);
  nereid_archive_t *handle = nullptr;
  if (nereid_status_t status = nereid_archive_open(&request, &handle))
    return refuse(lastFailure(status).text);
  OpenArchive archive(handle);
  nereid_buffer_t *buffer = nullptr;
  if (nereid_status_t status =
          nereid_archive_file(handle, borrow(packModelName), &buffer)) {
    if (status == NEREID_NOT_FOUND)
      return refuse("the archive has no pack; 'nereid build DIRECTORY -o "
                    "FILE.nra' makes one that has");
    return refuse(lastFailure(status).text);
  }
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  Result<std::unique_ptr<const ModelFiles>> model = ModelFiles::read(
      {static_cast<const char *>(bytes.data), bytes.size}, path);
  nereid_buffer_destroy(buffer);
  if (!model)
    return refuse(model.failure().text);
  if (std::unique_ptr<Pack> pack =
          Pack::readModel(std::move(*model), path, found)) {
    archives[pack.get()] = std::move(archive);
    all.push_back(std::move(pack));
  }
}

void Packs::addElement(const std::string &directory, const PackSearch &search) {
  if (directory[0] != '/') {
    found.push_back({directory, 0, 0,
                     "the directory is relative, expected an absolute path"});
    return;
  }
  if (isFile(directory))
    return addArchive(directory, search);
  if (!isDirectory(directory)) {
    std::string hint = directory.find(':') != std::string::npos
                           ? "; directories are separated by ';', not by ':'"
                           : "";
    found.push_back({directory, 0, 0, "it is not a directory" + hint});
    return;
  }
  if (isPack(directory))
    return add(directory, false, search);
  if (isPack(directory + "/ops"))
    return add(directory + "/ops", false, search);
  std::vector<std::string> folders;
  std::error_code error;
  for (filesystem::directory_iterator item(directory, error), end;
       !error && item != end; item.increment(error))
    if (isPack(item->path()))
      folders.push_back(item->path());
  std::sort(folders.begin(), folders.end());
  for (const std::string &folder : folders)
    add(folder, false, search);
  if (folders.empty())
    found.push_back({directory, 0, 0,
                     "there is no vendor.yaml in it, nor in a folder of it, "
                     "nor in its folder 'ops'"});
}

static std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> elements;
  while (!list.empty()) {
    size_t end = std::min(list.find(';'), list.size());
    if (end)
      elements.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return elements;
}

Packs Packs::find(const PackSearch &search) {
  Packs packs;
  packs.searched = search.directories;
  for (const std::string &directory : split(search.directories))
    packs.addElement(directory, search);
  for (const std::string &directory : split(search.pluginDirectories))
    if (isDirectory(directory + "/backend") && isPack(directory + "/ops"))
      packs.add(directory + "/ops", false, search);
  if (search.hasInstalled) {
    std::string installed = host::ownDirectory() + "/../share/nereid/packs";
    if (isDirectory(installed))
      packs.addElement(installed, search);
  }
  if (!search.user.empty() && isDirectory(search.user))
    packs.add(search.user, true, search);
  packs.checkSchemas();
  return packs;
}

Packs Packs::of(std::vector<std::unique_ptr<Pack>> list) {
  Packs packs;
  packs.all = std::move(list);
  packs.checkSchemas();
  return packs;
}

// Callers of an operator do not know which layer computes it: one that is
// called differently from the lowest one is left out.
void Packs::checkSchemas() {
  auto isLow = [](const std::unique_ptr<Pack> &pack) {
    return pack->isGeneric() && !pack->layers().empty() &&
           pack->layers().front().level != Layer::User;
  };
  std::vector<Pack *> order;
  for (auto pack = all.rbegin(); pack != all.rend(); ++pack)
    if (isLow(*pack))
      order.push_back(pack->get());
  for (const std::unique_ptr<Pack> &pack : all)
    if (!isLow(pack))
      order.push_back(pack.get());
  std::map<std::string, const Operator *> first;
  for (Pack *pack : order)
    for (Layer &layer : pack->layers())
      for (auto at = layer.operators.begin(); at != layer.operators.end();) {
        const Operator &op = at->second;
        auto [known, isNew] = first.try_emplace(op.name, &op);
        std::optional<std::string> why;
        if (!isNew)
          why = difference(op.schema, known->second->schema);
        if (!why) {
          ++at;
          continue;
        }
        found.push_back({op.file, op.line, 1,
                         "operator '" + op.name +
                             "' has another schema than that of " +
                             known->second->file + ": " + *why});
        at = layer.operators.erase(at);
      }
}

ArchivedPack Packs::archiveOf(std::string_view path) const {
  for (const auto &[pack, archive] : archives)
    if (path.starts_with(pack->directory() + "/"))
      return {pack, archive.get()};
  return {};
}

static bool serves(const Pack &pack, const Layer &layer,
                   const std::vector<const Family *> &families,
                   const TargetFacts &target) {
  if (layer.selector.empty())
    return true;
  if (layer.directory.starts_with(pack.directory() + "/compiler/"))
    return target.compiler.starts_with(layer.selector);
  return std::any_of(
      families.begin(), families.end(),
      [&](const Family *family) { return family->name == layer.selector; });
}

std::vector<Applied> Packs::layersFor(const TargetFacts &target) const {
  struct Ranked {
    int level;
    size_t pack; // the first directory is the highest
    int detail;  // a more specific family, a longer compiler
    Applied applied;
  };
  std::vector<Ranked> ranked;
  for (size_t i = 0; i < all.size(); ++i) {
    const Pack &pack = *all[i];
    if (!pack.serves(target))
      continue;
    std::vector<const Family *> families = pack.familiesOf(target);
    for (const Layer &layer : pack.layers()) {
      if (!ops::serves(pack, layer, families, target))
        continue;
      int detail = static_cast<int>(layer.selector.size());
      for (size_t depth = 0; depth < families.size(); ++depth)
        if (families[depth]->name == layer.selector)
          detail = static_cast<int>(families.size() - depth);
      ranked.push_back({layer.level, i, detail, {&pack, &layer}});
    }
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked &a, const Ranked &b) {
    if (a.level != b.level)
      return a.level > b.level;
    if (a.pack != b.pack)
      return a.pack < b.pack;
    return a.detail > b.detail;
  });
  std::vector<Applied> layers;
  for (const Ranked &each : ranked)
    layers.push_back(each.applied);
  return layers;
}

std::vector<std::string> Packs::operatorNames() const {
  std::set<std::string> names;
  for (const std::unique_ptr<Pack> &pack : all)
    for (const Layer &layer : pack->layers())
      for (const auto &[name, op] : layer.operators)
        names.insert(name);
  return {names.begin(), names.end()};
}

} // namespace nereid::ops
