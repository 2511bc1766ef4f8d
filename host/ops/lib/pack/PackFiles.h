// PackFiles.h - where the files of a pack come from: a directory, or the model
// in an archive, which needs neither YAML nor the directory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_PACK_FILES_H
#define NEREID_OPS_PACK_PACK_FILES_H

#include "pack/Reader.h"

#include <map>
#include <memory>

namespace nereid::ops {

/// Paths start with the pack's directory, or with what stands for it.
class PackFiles {
public:
  virtual ~PackFiles() = default;

  virtual bool has(const std::string &path) const = 0;
  /// The names in a folder that end with \p suffix, sorted.
  virtual std::vector<std::string> filesIn(const std::string &folder,
                                           std::string_view suffix) const = 0;
  /// The names of the folders in a folder, sorted.
  virtual std::vector<std::string>
  foldersIn(const std::string &folder) const = 0;
  /// The tree of a YAML file; null and a problem if there is none.
  virtual yaml::NodePtr tree(const std::string &path,
                             std::vector<Problem> &problems) const = 0;
  virtual Result<std::string> text(const std::string &path) const = 0;
};

class DirectoryFiles : public PackFiles {
public:
  bool has(const std::string &path) const override;
  std::vector<std::string> filesIn(const std::string &folder,
                                   std::string_view suffix) const override;
  std::vector<std::string> foldersIn(const std::string &folder) const override;
  yaml::NodePtr tree(const std::string &path,
                     std::vector<Problem> &problems) const override;
  Result<std::string> text(const std::string &path) const override;
};

/// The file of an archive that has a pack's model.
inline constexpr const char *packModelName = "pack.json";

/// The files of a model: docs/archive.md, "Packs of operators".
class ModelFiles : public PackFiles {
public:
  /// Reads a model, untrusted text; \p path stands for the pack's directory.
  static Result<std::unique_ptr<const ModelFiles>> read(std::string_view model,
                                                        std::string path);
  /// The model of the pack in \p directory, always the same bytes for the same
  /// files.
  static Result<std::string> write(const std::string &directory);

  bool has(const std::string &path) const override;
  std::vector<std::string> filesIn(const std::string &folder,
                                   std::string_view suffix) const override;
  std::vector<std::string> foldersIn(const std::string &folder) const override;
  yaml::NodePtr tree(const std::string &path,
                     std::vector<Problem> &problems) const override;
  Result<std::string> text(const std::string &path) const override;

  /// The Python files of a folder, name -> text.
  std::map<std::string, std::string> sourcesIn(const std::string &folder) const;
  /// Its path in the pack: "ops/softmax.py".
  std::string relative(const std::string &path) const;

private:
  std::string root; // with a '/' behind it
  std::map<std::string, yaml::NodePtr, std::less<>> trees;
  std::map<std::string, std::string, std::less<>> texts;
};

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_PACK_FILES_H
