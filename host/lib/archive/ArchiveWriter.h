// ArchiveWriter.h - collects kernels and writes them as an archive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_ARCHIVE_WRITER_H
#define NEREID_HOST_ARCHIVE_ARCHIVE_WRITER_H

#include "archive/ArchiveTarget.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace nereid::host {

class Artifact;

/// What an archive has of one compiled image.
struct NewImage {
  Target target;
  std::string bytes, metadata; ///< the metadata as Values::encode() writes it
  std::string compiler, stage, kind, extension;
};

/// A kernel as it was compiled under some conditions.
struct NewVariant {
  std::vector<ConditionRecord> conditions;
  std::vector<uint32_t> parameters; ///< arguments that are passed to it
  std::string options;
  Digest ttirDigest;
  std::string ttir; ///< empty: not embedded
  std::vector<NewImage> images;
};

struct NewKernel {
  std::string name, group;
  std::vector<std::pair<std::string, std::string>> arguments; ///< name, type
  std::vector<std::pair<std::string, std::string>> constants; ///< name, JSON
  uint32_t grid[3] = {};
  std::vector<NewVariant> variants; ///< in the order in which they are tried
};

/// Writes the same bytes for the same kernels, in whatever order they came.
class ArchiveWriter {
public:
  /// Refuses a second kernel of that name, and what an archive cannot hold.
  Outcome add(NewKernel kernel);

  /// Appends a variant to the kernel \p name. The last one has no conditions.
  Outcome addVariant(std::string_view name, NewVariant variant);

  /// Adds an image to variant \p variant of the kernel \p name.
  Outcome addImage(std::string_view name, uint32_t variant, NewImage image);

  /// Adds bytes with a name; a second file of that name must be equal.
  Outcome addFile(std::string_view name, std::string_view bytes);

  /// Adds all of \p archive. A kernel that is there already must have the same
  /// arguments and variants; it gets the images for further targets.
  Outcome addArchive(const Archive &archive);

  /// The archive as bytes.
  Result<std::string> finish(Compression compression) const;

  bool isEmpty() const { return kernels.empty() && files.empty(); }

private:
  Result<NewKernel *> find(std::string_view name);
  Outcome merge(NewKernel &into, NewKernel kernel, const std::string &from);

  std::map<std::string, NewKernel, std::less<>> kernels;
  std::map<std::string, std::string, std::less<>> files;
};

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_ARCHIVE_WRITER_H
