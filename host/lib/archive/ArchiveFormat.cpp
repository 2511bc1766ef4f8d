// ArchiveFormat.cpp - the header of an archive, and the places of its tables.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/ArchiveFormat.h"

#include <algorithm>
#include <cstring>

namespace nereid::host {

static constexpr std::string_view magic = "nereidAR";

// Where the fields of the header are.
enum Offset : size_t {
  atMagic = 0,
  atMajor = 8,
  atMinor = 10,
  atHeaderSize = 12,
  atTotalSize = 16,
  atIndexOffset = 24,
  atIndexSize = 32,
  atIndexDigest = 40,
  atFlags = 56,
  atContract = 64,
  atReserved = 80,
  atDigest = 112
};
static_assert(atDigest + integritySize == archiveHeaderSize);

std::string ArchiveHeader::encode() const {
  std::string bytes(archiveHeaderSize, '\0');
  char *out = bytes.data();
  std::ranges::copy(magic, out + atMagic);
  putLittle<uint16_t>(out + atMajor, archiveMajor);
  putLittle<uint16_t>(out + atMinor, minor);
  putLittle<uint32_t>(out + atHeaderSize, archiveHeaderSize);
  putLittle<uint64_t>(out + atTotalSize, totalSize);
  putLittle<uint64_t>(out + atIndexOffset, archiveHeaderSize);
  putLittle<uint64_t>(out + atIndexSize, indexSize);
  std::ranges::copy(indexDigest, out + atIndexDigest);
  std::ranges::copy(contract, out + atContract);
  std::ranges::copy(integrityOf({out, atDigest}), out + atDigest);
  return bytes;
}

static Failure damaged(std::string text) {
  return {NEREID_IO_ERROR, std::move(text)};
}

static std::string versionText(uint16_t major, uint16_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

Result<ArchiveHeader> ArchiveHeader::decode(std::string_view bytes,
                                            uint64_t fileSize) {
  const char *in = bytes.data();
  if (bytes.size() < magic.size() || bytes.substr(0, magic.size()) != magic)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "not an archive of kernels: it does not start with '" +
                       std::string(magic) + "'"};
  if (bytes.size() < archiveHeaderSize)
    return damaged("truncated archive: " + std::to_string(bytes.size()) +
                   " bytes, expected at least " +
                   std::to_string(archiveHeaderSize));
  Integrity digest = integrityOf({in, atDigest});
  if (std::memcmp(digest.data(), in + atDigest, digest.size()) != 0)
    return damaged("damaged archive: the digest of the header does not match "
                   "it");

  // From here on the header is intact, but another version may have written it.
  ArchiveHeader header;
  auto major = getLittle<uint16_t>(in + atMajor);
  header.minor = getLittle<uint16_t>(in + atMinor);
  if (major != archiveMajor || header.minor > archiveMinor)
    return Failure{NEREID_INCOMPATIBLE,
                   "archive of format " + versionText(major, header.minor) +
                       ", this libnereid reads 1.0 to " +
                       versionText(archiveMajor, archiveMinor) +
                       "; build the archive again, or update Nereid"};
  header.totalSize = getLittle<uint64_t>(in + atTotalSize);
  header.indexSize = getLittle<uint64_t>(in + atIndexSize);
  if (getLittle<uint32_t>(in + atHeaderSize) != archiveHeaderSize ||
      getLittle<uint64_t>(in + atIndexOffset) != archiveHeaderSize ||
      getLittle<uint64_t>(in + atFlags) != 0 ||
      !std::all_of(in + atReserved, in + atDigest,
                   [](char byte) { return byte == 0; }))
    return damaged("malformed archive: unknown flags or sizes in its header");
  if (header.totalSize != fileSize)
    return damaged(
        "truncated or extended archive: " + std::to_string(fileSize) +
        " bytes, its header says " + std::to_string(header.totalSize));
  if (header.indexSize < IndexCounts::size ||
      header.indexSize > fileSize - archiveHeaderSize)
    return damaged("malformed archive: an index of " +
                   std::to_string(header.indexSize) + " bytes in " +
                   std::to_string(fileSize));
  std::copy_n(in + atIndexDigest, integritySize, header.indexDigest.begin());
  std::copy_n(in + atContract, integritySize, header.contract.begin());
  return header;
}

IndexLayout::IndexLayout(const IndexCounts &counts) {
  uint64_t at = IndexCounts::size;
  auto place = [&](uint64_t count, uint64_t size) {
    uint64_t start = at;
    at = (at + count * size + 7) / 8 * 8;
    return start;
  };
  targets = place(counts.targets, TargetRecord::size);
  kernels = place(counts.kernels, KernelRecord::size);
  arguments = place(counts.arguments, ArgumentRecord::size);
  constants = place(counts.constants, ConstantRecord::size);
  variants = place(counts.variants, VariantRecord::size);
  conditions = place(counts.conditions, ConditionRecord::size);
  parameters = place(counts.parameters, ParameterRecord::size);
  images = place(counts.images, ImageRecord::size);
  blobs = place(counts.blobs, BlobRecord::size);
  files = place(counts.files, FileRecord::size);
  text = at;
  end = at + counts.text;
}

} // namespace nereid::host
