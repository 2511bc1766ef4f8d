// Packs.h - finds packs, and puts their layers in order for a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_PACKS_H
#define NEREID_OPS_PACK_PACKS_H

#include "nereid/host/archive.h"
#include "pack/Pack.h"

namespace nereid::ops {

/// Where packs are looked for.
struct PackSearch {
  /// Paths with `;` between them, the first one first: each is a pack, a folder
  /// of packs, a vendor's checkout with `ops` beside `backend`, or an archive.
  std::string directories;
  std::string pluginDirectories; // checkouts in it have packs too
  std::string user;              // the user's pack; may be missing
  bool hasInstalled = true;      // the packs beside the library
  bool allowsWritable = false;   // accept what others can write
};

/// A pack in an archive, which has kernels too.
struct ArchivedPack {
  const Pack *pack = nullptr;
  const nereid_archive_t *archive = nullptr;
};

/// One layer that serves a target.
struct Applied {
  const Pack *pack = nullptr;
  const Layer *layer = nullptr;
};

class Packs {
public:
  static Packs find(const PackSearch &search);
  /// Of these packs, the first one first, for tests.
  static Packs of(std::vector<std::unique_ptr<Pack>> packs);

  const std::vector<std::unique_ptr<Pack>> &packs() const { return all; }
  /// PackSearch::directories.
  const std::string &directories() const { return searched; }
  const std::vector<Problem> &problems() const { return found; }

  /// The layers for \p target, the highest first: user, compiler, architecture,
  /// vendor, generic; within one, the order of the directories.
  std::vector<Applied> layersFor(const TargetFacts &target) const;
  /// The pack in an archive that \p path, of one of its files, belongs to; its
  /// members are null if there is none.
  ArchivedPack archiveOf(std::string_view path) const;
  /// The names of all operators, sorted.
  std::vector<std::string> operatorNames() const;

private:
  void add(const std::string &directory, bool isUser, const PackSearch &search);
  void addElement(const std::string &directory, const PackSearch &search);
  void addArchive(const std::string &path, const PackSearch &search);
  void checkSchemas();

  struct DestroyArchive {
    void operator()(nereid_archive_t *archive) const {
      nereid_archive_destroy(archive);
    }
  };
  using OpenArchive = std::unique_ptr<nereid_archive_t, DestroyArchive>;

  std::string searched;
  std::vector<std::unique_ptr<Pack>> all;
  std::map<const Pack *, OpenArchive> archives;
  std::vector<Problem> found;
};

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_PACKS_H
