// Packs.h - finds packs, and puts their layers in order for a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_PACKS_H
#define NEREID_OPS_PACK_PACKS_H

#include "pack/Pack.h"

namespace nereid::ops {

/// Where packs are looked for.
struct PackSearch {
  /// Directories with `;` between them, the first one first: each is a pack, a
  /// folder of packs, or a vendor's checkout with `ops` beside `backend`.
  std::string directories;
  std::string pluginDirectories; // checkouts in it have packs too
  std::string user;              // the user's pack; may be missing
  bool hasInstalled = true;      // the packs beside the library
  bool allowsWritable = false;   // accept what others can write
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
  const std::vector<Problem> &problems() const { return found; }

  /// The layers for \p target, the highest first: user, compiler, architecture,
  /// vendor, generic; within one, the order of the directories.
  std::vector<Applied> layersFor(const TargetFacts &target) const;
  /// The names of all operators, sorted.
  std::vector<std::string> operatorNames() const;

private:
  void add(const std::string &directory, bool isUser, const PackSearch &search);
  void addElement(const std::string &directory, const PackSearch &search);
  void checkSchemas();

  std::vector<std::unique_ptr<Pack>> all;
  std::vector<Problem> found;
};

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_PACKS_H
