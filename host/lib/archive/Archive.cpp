// Archive.cpp - opens archives and reads their blobs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/Archive.h"

#include "archive/Compress.h"
#include "archive/IndexCheck.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace nereid::host {

static Failure named(const std::string &name, const Failure &failure) {
  return {failure.status, name + ": " + failure.text};
}

std::string hexText(const Integrity &digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Result<std::shared_ptr<const Archive>> Archive::open(ArchiveSource source) {
  if (source.name.empty())
    source.name = source.path.empty() ? "<memory>" : source.path;
  std::shared_ptr<Archive> archive(new Archive);
  archive->source = std::move(source);
  const ArchiveSource &from = archive->source;
  Outcome read =
      from.path.empty() ? archive->readIndex(from.memory) : archive->readFile();
  if (read)
    read = archive->checkIndex();
  if (!read)
    return named(from.name, read.failure());
  if (from.contract && *from.contract != archive->head.contract)
    return Failure{NEREID_INCOMPATIBLE,
                   from.name + ": its kernels have contract " +
                       hexText(archive->head.contract) +
                       ", the header that this program was built with has " +
                       hexText(*from.contract) +
                       "; build the program with the header of this archive"};
  return std::shared_ptr<const Archive>(std::move(archive));
}

Outcome Archive::readFile() {
  descriptor = openForReading(source.path);
  struct stat status;
  if (!descriptor || fstat(descriptor.get(), &status) != 0)
    return Failure{errno == ENOENT ? NEREID_NOT_FOUND : NEREID_IO_ERROR,
                   errorText(errno)};
  if (!S_ISREG(status.st_mode))
    return Failure{NEREID_INVALID_ARGUMENT,
                   "is " + fileKind(status.st_mode) +
                       ", expected an archive of kernels"};
  auto size = static_cast<uint64_t>(status.st_size);
  std::string start(std::min<uint64_t>(size, archiveHeaderSize), '\0');
  if (!readExactly(descriptor.get(), start.data(), start.size(), 0))
    return Failure{NEREID_IO_ERROR, "cannot be read: " + errorText(errno)};
  Result<ArchiveHeader> decoded = ArchiveHeader::decode(start, size);
  if (!decoded)
    return decoded.failure();
  head = *decoded;
  Result<std::string> bytes = readStored(archiveHeaderSize, head.indexSize);
  if (!bytes)
    return bytes.failure();
  index = std::move(*bytes);
  return {};
}

Outcome Archive::readIndex(std::string_view whole) {
  Result<ArchiveHeader> decoded =
      ArchiveHeader::decode(whole.substr(0, archiveHeaderSize), whole.size());
  if (!decoded)
    return decoded.failure();
  head = *decoded;
  index = whole.substr(archiveHeaderSize, head.indexSize);
  return {};
}

Outcome Archive::checkIndex() {
  if (integrityOf(index) != head.indexDigest)
    return Failure{NEREID_IO_ERROR, "damaged archive: the digest of the index "
                                    "does not match it"};
  bool isZero = decodeRecord(index.data(), count);
  if (count.files ? head.minor < minorOfFiles : head.minor >= minorOfFiles)
    return Failure{NEREID_IO_ERROR,
                   "malformed archive: " + std::to_string(count.files) +
                       " files do not fit its version"};
  layout = IndexLayout(count);
  if (!isZero || layout.end != index.size())
    return Failure{NEREID_IO_ERROR, "malformed archive: the tables take " +
                                        std::to_string(layout.end) +
                                        " bytes, the index has " +
                                        std::to_string(index.size())};
  return checkArchiveIndex(index, count, head.totalSize);
}

Result<std::string> Archive::readStored(uint64_t offset, uint64_t size) const {
  std::string bytes(size, '\0');
  errno = 0;
  if (readExactly(descriptor.get(), bytes.data(), size, offset))
    return bytes;
  return Failure{NEREID_IO_ERROR,
                 errno ? "cannot be read: " + errorText(errno)
                       : "truncated archive: " + std::to_string(size) +
                             " bytes at " + std::to_string(offset) +
                             " are no longer there"};
}

Result<uint32_t> Archive::find(std::string_view wanted) const {
  uint32_t first = 0, last = count.kernels;
  while (first < last) {
    uint32_t middle = first + (last - first) / 2;
    if (kernelName(middle) < wanted)
      first = middle + 1;
    else
      last = middle;
  }
  if (first < count.kernels && kernelName(first) == wanted)
    return first;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < count.kernels; ++i)
    names.emplace_back(kernelName(i));
  std::vector<std::string> near = nearestNames(wanted, names);
  return Failure{NEREID_NOT_FOUND,
                 name() + ": no kernel '" + std::string(wanted) + "'" +
                     (near.empty() && names.size() > 8
                          ? ", it has " + std::to_string(names.size())
                          : suggestNames(wanted, names))};
}

void Archive::makeGroups() const {
  std::vector<std::pair<std::string_view, uint32_t>> all;
  for (uint32_t i = 0; i < count.kernels; ++i)
    all.emplace_back(text(kernel(i).group), i);
  std::sort(all.begin(), all.end());
  for (const auto &[group, place] : all) {
    if (groups.empty() || groups.back().name != group)
      groups.push_back({group, {}});
    groups.back().kernels.push_back(place);
  }
}

Result<std::span<const uint32_t>>
Archive::group(std::string_view wanted) const {
  std::call_once(grouping, [this] { makeGroups(); });
  std::vector<std::string> names;
  for (const Group &group : groups) {
    if (group.name == wanted)
      return std::span<const uint32_t>(group.kernels);
    if (!group.name.empty())
      names.emplace_back(group.name);
  }
  return Failure{NEREID_NOT_FOUND,
                 name() + ": no group '" + std::string(wanted) + "'" +
                     (names.empty() ? ", its kernels have no groups"
                                    : suggestNames(wanted, names))};
}

Result<ArchiveBytes> Archive::readNamed(std::string_view wanted) const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < count.files; ++i) {
    FileRecord record = file(i);
    if (text(record.name) == wanted)
      return read(record.blob);
    names.emplace_back(text(record.name));
  }
  return Failure{
      NEREID_NOT_FOUND,
      name() + ": no file '" + std::string(wanted) + "'" +
          (names.empty() ? ", it has none" : suggestNames(wanted, names))};
}

Result<ArgumentLayout> Archive::argumentsOf(uint32_t place) const {
  KernelRecord record = kernel(place);
  std::vector<std::pair<std::string, std::string>> types;
  for (uint32_t i = 0; i < record.arguments.count; ++i) {
    ArgumentRecord each = argument(record.arguments.first + i);
    types.emplace_back(text(each.name), text(each.type));
  }
  Result<ArgumentLayout> result = ArgumentLayout::standard(types);
  if (!result)
    return Failure{NEREID_INCOMPATIBLE, name() + ": kernel '" +
                                            std::string(text(record.name)) +
                                            "': " + result.failure().text};
  return result;
}

Result<ArchiveBytes> Archive::read(uint32_t place) const {
  BlobRecord record = blob(place);
  ArchiveBytes result;
  if (source.path.empty()) {
    result.bytes = source.memory.substr(record.offset, record.storedSize);
  } else {
    Result<std::string> stored = readStored(record.offset, record.storedSize);
    if (!stored)
      return named(name(), stored.failure());
    result.storage = std::make_shared<const std::string>(std::move(*stored));
    result.bytes = *result.storage;
  }
  if (integrityOf(result.bytes) != record.digest)
    return Failure{NEREID_IO_ERROR,
                   name() + ": damaged archive: the digest of blob " +
                       std::to_string(place) + " at byte " +
                       std::to_string(record.offset) + " does not match it"};
  if (record.compression == Compression::None)
    return result;
  Result<std::string> plain = decompress(result.bytes, record.plainSize);
  if (!plain)
    return named(name() + ": blob " + std::to_string(place), plain.failure());
  result.storage = std::make_shared<const std::string>(std::move(*plain));
  result.bytes = *result.storage;
  return result;
}

Result<Values> Archive::metadata(const ImageRecord &image) const {
  Result<ArchiveBytes> bytes = read(image.metadata);
  if (!bytes)
    return bytes.failure();
  Result<Values> values = Values::decode(bytes->bytes);
  if (!values)
    return named(name(), {NEREID_IO_ERROR, values.failure().text});
  return values;
}

Outcome Archive::verifyGap(uint64_t from, uint64_t to) const {
  std::string stored;
  std::string_view bytes;
  if (source.path.empty()) {
    bytes = source.memory.substr(from, to - from);
  } else {
    Result<std::string> read = readStored(from, to - from);
    if (!read)
      return named(name(), read.failure());
    stored = std::move(*read);
    bytes = stored;
  }
  if (bytes.find_first_not_of('\0') == bytes.npos)
    return {};
  return Failure{NEREID_IO_ERROR, name() +
                                      ": damaged archive: the bytes from " +
                                      std::to_string(from) + " to " +
                                      std::to_string(to) + " are not zero"};
}

Outcome Archive::verifyVariants() const {
  for (uint32_t i = 0; i < count.images; ++i)
    if (Result<Values> values = metadata(image(i)); !values)
      return values.failure();
  for (uint32_t i = 0; i < count.variants; ++i) {
    VariantRecord record = variant(i);
    if (record.ttir == noBlob)
      continue;
    Result<ArchiveBytes> ttir = read(record.ttir);
    if (!ttir)
      return ttir.failure();
    if (sha256(ttir->bytes) != record.ttirDigest)
      return Failure{NEREID_IO_ERROR, name() +
                                          ": damaged archive: the TTIR of "
                                          "variant " +
                                          std::to_string(i) +
                                          " does not have its digest"};
  }
  ContractDigest contract;
  for (uint32_t i = 0; i < count.kernels; ++i) {
    if (Result<ArgumentLayout> arguments = argumentsOf(i); !arguments)
      return arguments.failure();
    KernelRecord record = kernel(i);
    contract.addKernel(text(record.name), text(record.group),
                       record.arguments.count);
    for (uint32_t a = 0; a < record.arguments.count; ++a) {
      ArgumentRecord each = argument(record.arguments.first + a);
      contract.addArgument(text(each.name), text(each.type));
    }
  }
  if (contract.finish() != head.contract)
    return Failure{NEREID_IO_ERROR,
                   name() + ": damaged archive: the contract in its header is "
                            "not that of its kernels"};
  return {};
}

Outcome Archive::verify() const {
  uint64_t end = archiveHeaderSize + head.indexSize;
  for (uint32_t i = 0; i < count.blobs; ++i) {
    BlobRecord record = blob(i);
    if (Outcome zeros = verifyGap(end, record.offset); !zeros)
      return zeros;
    if (Result<ArchiveBytes> bytes = read(i); !bytes)
      return bytes.failure();
    end = record.offset + record.storedSize;
  }
  return verifyVariants();
}

void ContractDigest::add(std::string_view text) {
  char size[8];
  putLittle<uint64_t>(size, text.size());
  hash.update({size, sizeof size});
  hash.update(text);
}

void ContractDigest::addKernel(std::string_view name, std::string_view group,
                               uint64_t argumentCount) {
  add(name);
  add(group);
  char count[8];
  putLittle<uint64_t>(count, argumentCount);
  hash.update({count, sizeof count});
}

void ContractDigest::addArgument(std::string_view name, std::string_view type) {
  add(name);
  add(type);
}

Integrity ContractDigest::finish() {
  Digest digest = hash.finish();
  Integrity start;
  std::copy_n(digest.bytes.begin(), start.size(), start.begin());
  return start;
}

} // namespace nereid::host
