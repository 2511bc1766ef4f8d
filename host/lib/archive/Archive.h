// Archive.h - an open archive of kernels: what it has, and its images.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_ARCHIVE_H
#define NEREID_HOST_ARCHIVE_ARCHIVE_H

#include "archive/ArchiveFormat.h"
#include "launch/Arguments.h"
#include "support/File.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

/// What an archive is opened from: a file, or memory that outlives it.
struct ArchiveSource {
  std::string path; ///< empty: memory
  std::string_view memory;
  std::string name; ///< in messages; empty: the path
  /// The contract that a generated header expects.
  std::optional<Integrity> contract;
};

/// The bytes of a blob, checked. A view of memory, or read from the file: what
/// happens to the file afterwards changes nothing.
struct ArchiveBytes {
  std::shared_ptr<const std::string> storage; ///< null for memory
  std::string_view bytes;
};

/// Constant after open(): every function may be called on any thread.
class Archive {
public:
  /// Reads and checks the header and the index, and no blob.
  static Result<std::shared_ptr<const Archive>> open(ArchiveSource source);

  const std::string &name() const { return source.name; }
  const std::string &path() const { return source.path; }
  const ArchiveHeader &header() const { return head; }
  const IndexCounts &counts() const { return count; }

  TargetRecord target(uint32_t place) const {
    return record<TargetRecord>(layout.targets, place);
  }
  KernelRecord kernel(uint32_t place) const {
    return record<KernelRecord>(layout.kernels, place);
  }
  ArgumentRecord argument(uint32_t place) const {
    return record<ArgumentRecord>(layout.arguments, place);
  }
  ConstantRecord constant(uint32_t place) const {
    return record<ConstantRecord>(layout.constants, place);
  }
  VariantRecord variant(uint32_t place) const {
    return record<VariantRecord>(layout.variants, place);
  }
  ConditionRecord condition(uint32_t place) const {
    return record<ConditionRecord>(layout.conditions, place);
  }
  uint32_t parameter(uint32_t place) const {
    return record<ParameterRecord>(layout.parameters, place).argument;
  }
  ImageRecord image(uint32_t place) const {
    return record<ImageRecord>(layout.images, place);
  }
  BlobRecord blob(uint32_t place) const {
    return record<BlobRecord>(layout.blobs, place);
  }
  FileRecord file(uint32_t place) const {
    return record<FileRecord>(layout.files, place);
  }
  std::string_view text(TextRef ref) const {
    return std::string_view(index).substr(layout.text + ref.offset, ref.size);
  }

  std::string_view kernelName(uint32_t kernel) const {
    return text(this->kernel(kernel).name);
  }

  /// The place of the kernel called \p name; the failure suggests others.
  Result<uint32_t> find(std::string_view name) const;
  /// The bytes of the file called \p name.
  Result<ArchiveBytes> readNamed(std::string_view name) const;
  /// The kernels of \p group in the order of their names; the failure suggests
  /// others.
  Result<std::span<const uint32_t>> group(std::string_view name) const;

  /// The arguments of \p kernel in the standard layout of a block.
  Result<ArgumentLayout> argumentsOf(uint32_t kernel) const;

  /// The bytes of a blob, once they are known to be intact.
  Result<ArchiveBytes> read(uint32_t blob) const;
  Result<Values> metadata(const ImageRecord &image) const;

  /// Reads everything: each blob, and the zeros between them.
  Outcome verify() const;

private:
  Archive() = default;
  template <typename Record>
  Record record(uint64_t table, uint32_t place) const {
    Record result;
    (void)decodeRecord(index.data() + table + place * Record::size, result);
    return result;
  }
  Outcome readFile();
  Outcome readIndex(std::string_view whole);
  Outcome checkIndex();
  Result<std::string> readStored(uint64_t offset, uint64_t size) const;
  Outcome verifyGap(uint64_t from, uint64_t to) const;
  Outcome verifyVariants() const;
  void makeGroups() const;

  ArchiveSource source;
  FileDescriptor descriptor; // of a path
  ArchiveHeader head;
  std::string index;
  IndexCounts count;
  IndexLayout layout{IndexCounts()};

  struct Group {
    std::string_view name;
    std::vector<uint32_t> kernels;
  };
  mutable std::once_flag grouping;
  mutable std::vector<Group> groups; // by name
};

/// The digest of the names and arguments of an archive's kernels, fed in the
/// order of their names: equal contracts mean that a header fits.
class ContractDigest {
public:
  void addKernel(std::string_view name, std::string_view group,
                 uint64_t argumentCount);
  void addArgument(std::string_view name, std::string_view type);
  Integrity finish();

private:
  void add(std::string_view text);
  Sha256 hash;
};

/// Lower-case hexadecimal.
std::string hexText(const Integrity &digest);

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_ARCHIVE_H
