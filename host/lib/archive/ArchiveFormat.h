// ArchiveFormat.h - the bytes of an archive of kernels, version 1.0.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/archive.md specifies them byte by byte. A file is
//
//   header, 128 bytes
//   index: its own header, 64 bytes, then tables of records of fixed size, then
//          the text that they refer to
//   blobs: images, their metadata and TTIR, with zeros between them
//
// All numbers are little-endian. Records refer to others by their place in a
// table. Records that belong to one kernel or variant are consecutive, and the
// ranges of all kernels tile each table: a reader checks every reference once,
// without reading a blob.

#ifndef NEREID_HOST_ARCHIVE_ARCHIVE_FORMAT_H
#define NEREID_HOST_ARCHIVE_ARCHIVE_FORMAT_H

#include "cache/Digest.h"
#include "support/Integrity.h"
#include "support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace nereid::host {

inline constexpr uint16_t archiveMajor = 1, archiveMinor = 1;
/// The first minor with named files.
inline constexpr uint16_t minorOfFiles = 1;
inline constexpr size_t archiveHeaderSize = 128;
/// Images start at multiples of this, so that they can be mapped.
inline constexpr uint64_t imageAlignment = 4096;
inline constexpr uint64_t blobAlignment = 16;
/// Of one image, uncompressed: bounds what a damaged file can ask for.
inline constexpr uint64_t largestBlob = 1ull << 30;
/// Of the packed block; a launch moves blocks on its stack.
inline constexpr uint64_t largestArchivedBlock = 4096;
inline constexpr uint32_t noBlob = UINT32_MAX;

struct ArchiveHeader {
  uint16_t minor = 0;
  uint64_t totalSize = 0;
  uint64_t indexSize = 0; ///< the index follows the header
  Integrity indexDigest = {};
  Integrity contract = {}; ///< of the kernels' names and arguments

  std::string encode() const;
  /// Checks everything that the header alone shows; \p fileSize is the size of
  /// the whole archive.
  static Result<ArchiveHeader> decode(std::string_view bytes,
                                      uint64_t fileSize);
};

/// A piece of the index's text.
struct TextRef {
  uint32_t offset = 0, size = 0;
};

/// Consecutive records of another table.
struct Range {
  uint32_t first = 0, count = 0;
};

/// What a condition asks of the value of an argument.
enum class ConditionKind : uint32_t {
  DivisibleBy = 1, ///< a pointer or an integer
  EqualTo = 2      ///< an integer
};

enum class Compression : uint32_t { None = 0, Zstd = 1 };

// Each record has its size in the file, and `visit`, which applies a function
// to its fields in the order of the file: the reader and the writer use the
// same list. `reserved` is a number of bytes that are zero.

struct TargetRecord {
  static constexpr size_t size = 32;
  TextRef deviceType, arch, features;
  int32_t warpSize = 0;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.deviceType), codec(self.arch), codec(self.features);
    codec(self.warpSize), codec.reserved(4);
  }
};

struct KernelRecord {
  static constexpr size_t size = 64;
  TextRef name, group;
  Range arguments, constants, variants;
  uint32_t grid[3] = {}; ///< of a recorded launch; zeros if unknown
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.name), codec(self.group);
    codec(self.arguments), codec(self.constants), codec(self.variants);
    for (auto &programs : self.grid)
      codec(programs);
    codec.reserved(12);
  }
};

struct ArgumentRecord {
  static constexpr size_t size = 16;
  TextRef name, type;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.name), codec(self.type);
  }
};

/// A compile-time constant of the kernel: its value as JSON.
struct ConstantRecord {
  static constexpr size_t size = 16;
  TextRef name, value;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.name), codec(self.value);
  }
};

struct VariantRecord {
  static constexpr size_t size = 80;
  Range conditions, parameters, images;
  uint32_t ttir = noBlob;
  TextRef options;   ///< "num_warps=4,num_stages=2"
  Digest ttirDigest; ///< of the TTIR, embedded or not
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.conditions), codec(self.parameters), codec(self.images);
    codec(self.ttir), codec.reserved(4);
    codec(self.options), codec(self.ttirDigest.bytes), codec.reserved(8);
  }
};

struct ConditionRecord {
  static constexpr size_t size = 16;
  uint32_t argument = 0;
  ConditionKind kind = ConditionKind::DivisibleBy;
  int64_t value = 0;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.argument), codec(self.kind), codec(self.value);
  }
};

/// An argument of the kernel that a variant's compiled function takes: those
/// that are constant in it are not there.
struct ParameterRecord {
  static constexpr size_t size = 4;
  uint32_t argument = 0;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.argument);
  }
};

struct ImageRecord {
  static constexpr size_t size = 48;
  uint32_t target = 0, blob = 0, metadata = 0;
  TextRef compiler, stage, kind, extension;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.target), codec(self.blob), codec(self.metadata);
    codec.reserved(4);
    codec(self.compiler), codec(self.stage);
    codec(self.kind), codec(self.extension);
  }
};

struct BlobRecord {
  static constexpr size_t size = 48;
  uint64_t offset = 0, storedSize = 0;
  uint64_t plainSize = 0; ///< without compression
  Compression compression = Compression::None;
  Integrity digest = {}; ///< of the stored bytes
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.offset), codec(self.storedSize), codec(self.plainSize);
    codec(self.compression), codec.reserved(4), codec(self.digest);
  }
};

/// Bytes with a name, which are no kernel's: the model of a pack of operators.
struct FileRecord {
  static constexpr size_t size = 16;
  TextRef name;
  uint32_t blob = 0;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.name), codec(self.blob), codec.reserved(4);
  }
};

/// Reads or writes the fields of one record.
template <bool isReader> class FieldCodec {
public:
  using Byte = std::conditional_t<isReader, const char, char>;
  explicit FieldCodec(Byte *at) : at(at) {}

  template <typename Word> void operator()(Word &value) {
    using Plain = std::remove_const_t<Word>;
    if constexpr (std::is_enum_v<Plain>)
      word<std::underlying_type_t<Plain>>(value);
    else
      word<std::make_unsigned_t<Plain>>(value);
  }
  template <size_t size> void operator()(std::array<uint8_t, size> &bytes) {
    copy(bytes);
  }
  template <size_t size>
  void operator()(const std::array<uint8_t, size> &bytes) {
    copy(bytes);
  }
  void operator()(TextRef &ref) { pair(ref.offset, ref.size); }
  void operator()(const TextRef &ref) { pair(ref.offset, ref.size); }
  void operator()(Range &range) { pair(range.first, range.count); }
  void operator()(const Range &range) { pair(range.first, range.count); }
  void reserved(size_t size) {
    for (size_t i = 0; i < size; ++i)
      if constexpr (isReader)
        isReservedZero &= at[i] == 0;
      else
        at[i] = 0;
    at += size;
  }

  bool isReservedZero = true;

private:
  template <typename Stored, typename Word> void word(Word &value) {
    if constexpr (isReader)
      value = static_cast<Word>(getLittle<Stored>(at));
    else
      putLittle(at, static_cast<Stored>(value));
    at += sizeof(Stored);
  }
  template <typename Word> void pair(Word &first, Word &second) {
    (*this)(first), (*this)(second);
  }
  template <typename Bytes> void copy(Bytes &bytes) {
    for (auto &byte : bytes) {
      if constexpr (isReader)
        byte = static_cast<uint8_t>(*at);
      else
        *at = static_cast<char>(byte);
      ++at;
    }
  }
  Byte *at;
};

template <typename Record> void encodeRecord(const Record &record, char *out) {
  FieldCodec<false> codec(out);
  Record::visit(record, codec);
}

/// False if reserved bytes are not zero.
template <typename Record> bool decodeRecord(const char *in, Record &record) {
  FieldCodec<true> codec(in);
  Record::visit(record, codec);
  return codec.isReservedZero;
}

/// How many records the tables of an index have, and how long its text is.
struct IndexCounts {
  static constexpr size_t size = 64;
  uint32_t targets = 0, kernels = 0, arguments = 0, constants = 0;
  uint32_t variants = 0, conditions = 0, parameters = 0, images = 0;
  uint32_t blobs = 0, text = 0, files = 0;
  template <typename Self, typename Codec>
  static void visit(Self &self, Codec &codec) {
    codec(self.targets), codec(self.kernels), codec(self.arguments);
    codec(self.constants), codec(self.variants), codec(self.conditions);
    codec(self.parameters), codec(self.images), codec(self.blobs);
    codec(self.text), codec(self.files), codec.reserved(20);
  }
};

/// Where the tables of an index are, from its start.
struct IndexLayout {
  explicit IndexLayout(const IndexCounts &counts);
  uint64_t targets, kernels, arguments, constants, variants, conditions,
      parameters, images, blobs, files, text, end;
};

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_ARCHIVE_FORMAT_H
