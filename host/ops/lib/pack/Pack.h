// Pack.h - a directory of operators: who it is for, and its layers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_PACK_H
#define NEREID_OPS_PACK_PACK_H

#include "pack/Operator.h"
#include "pack/PackFiles.h"
#include "store/Store.h"

#include <memory>

namespace nereid::ops {

/// Name -> reason.
using Disabled = std::map<std::string, std::string, std::less<>>;

struct Family {
  std::string name, parent;
  std::vector<std::string> match; // patterns of architectures
  Disabled disabled;
  uint32_t line = 0;
};

/// vendor.yaml.
struct Vendor {
  std::string name, deviceName, queryCommand, dispatchKey, tritonExtraName,
      trademark;
  std::vector<std::string> targets; // "cuda:*"
  std::vector<Family> families;     // most specific first
  std::map<std::string, bool, std::less<>> dtypes;
  Disabled disabled;
  std::vector<Setting> options; // of the vendor's compiler, with defaults
};

/// What is known about who runs a kernel.
struct TargetFacts {
  std::string type, arch;               // "cuda", "90"
  std::string compiler;                 // "triton-3.6.0"; may be empty
  std::shared_ptr<const Object> device; // `device` of expressions
};

/// The operators and configurations of one level of a pack.
struct Layer {
  enum Level { Generic, OfVendor, Architecture, Compiler, User };

  Level level = OfVendor;
  std::string selector; // the family or the compiler
  std::string directory;
  std::map<std::string, Operator, std::less<>> operators;
  TuneConfigs configs;
};

class Pack {
public:
  /// Reads the pack in \p directory. What is wrong is in \p problems; a pack
  /// without a usable vendor.yaml is null. \p isUser: of the user's layer,
  /// whose vendor.yaml may be missing.
  static std::unique_ptr<Pack> read(const std::string &directory, bool isUser,
                                    std::vector<Problem> &problems);

  /// The same for the model of an archive; \p path is the archive's.
  static std::unique_ptr<Pack>
  readModel(std::unique_ptr<const ModelFiles> model, const std::string &path,
            std::vector<Problem> &problems);

  /// Or the path of the archive.
  const std::string &directory() const { return path; }
  /// Of an archive; null for a directory.
  const ModelFiles *model() const { return archived.get(); }
  const std::map<std::string, OperatorRows, std::less<>> &
  tunedOperators() const {
    return results;
  }
  /// The tuned results that come with it; null if it has none.
  const OperatorRows *tuned(std::string_view op) const {
    auto found = results.find(op);
    return found == results.end() ? nullptr : &found->second;
  }

  const Vendor &vendor() const { return info; }
  const std::vector<Layer> &layers() const { return all; }
  std::vector<Layer> &layers() { return all; }
  bool isGeneric() const;

  /// Whether it is for \p target.
  bool serves(const TargetFacts &target) const;
  /// The families of the target, the most specific first.
  std::vector<const Family *> familiesOf(const TargetFacts &target) const;
  /// "the generic pack", "architecture 'hopper' of 'nvidia'", ...
  std::string labelOf(const Layer &layer) const;

private:
  static std::unique_ptr<Pack> read(const PackFiles &files,
                                    const std::string &directory, bool isUser,
                                    std::vector<Problem> &problems);

  std::string path;
  std::unique_ptr<const ModelFiles> archived;
  Vendor info;
  std::vector<Layer> all;
  std::map<std::string, OperatorRows, std::less<>> results;
};

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_PACK_H
