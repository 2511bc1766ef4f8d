// image.cpp - reads the headers of cubins, PTX and fatbins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "image.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>

namespace nereid::cuda {

template <typename Number>
static Number read(std::string_view bytes, size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

/// Whether `count` items of `size` bytes at `offset` are within `bytes`.
static bool fits(std::string_view bytes, uint64_t offset, uint64_t count,
                 uint64_t size) {
  uint64_t needed = 0;
  return !__builtin_mul_overflow(count, size, &needed) &&
         offset <= bytes.size() && needed <= bytes.size() - offset;
}

static std::string ptxText(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

std::string ImageCode::text() const {
  std::string name = "sm_" + std::to_string(sm);
  if (suffix)
    name += suffix;
  if (!isPtx)
    return name;
  return "PTX" + (ptxVersion ? " " + ptxText(ptxVersion) : std::string()) +
         " for " + name;
}

bool ImageCode::runsOn(int capability) const {
  if (suffix == 'a')
    return capability == sm;
  bool isFamily = capability / 10 == sm / 10 && capability >= sm;
  return isPtx && suffix != 'f' ? capability >= sm : isFamily;
}

// -------------------------------------------------------------------- cubins
// An ELF file for machine 190. Up to its ABI version 7 (of OS ABI 0x33) the low
// byte of the flags is the architecture, and 0x800 its suffix 'a'; from version
// 8 (OS ABI 0x41) on the second byte is the architecture, and 0x08 the suffix
// where the assembler sets it.
static constexpr uint16_t kMachine = 190;
static constexpr uint8_t kOlderAbi = 0x33, kNewerAbi = 0x41;

static bool isInFile(uint32_t sectionType) {
  // Progbits, symtab, strtab, rela, note, rel. NVIDIA's own types may have a
  // size and nothing in the file.
  switch (sectionType) {
  case 1:
  case 2:
  case 3:
  case 4:
  case 7:
  case 9:
    return true;
  default:
    return false;
  }
}

static std::string readCubin(std::string_view bytes, Image &out) {
  constexpr size_t kHeader = 64, kSegment = 56, kSection = 64;
  if (bytes.size() < kHeader)
    return "the cubin is cut short: " + std::to_string(bytes.size()) +
           " bytes, its header has 64";
  if (bytes[4] != 2 || bytes[5] != 1)
    return "the image is an ELF file, but not one of 64 bits and little-endian";
  uint16_t machine = read<uint16_t>(bytes, 18);
  if (machine != kMachine)
    return "the image is an ELF file for machine " + std::to_string(machine) +
           ", a cubin (machine 190) was expected";
  auto segments = read<uint64_t>(bytes, 32);
  auto sections = read<uint64_t>(bytes, 40);
  auto flags = read<uint32_t>(bytes, 48);
  auto segmentSize = read<uint16_t>(bytes, 54);
  auto segmentCount = read<uint16_t>(bytes, 56);
  auto sectionSize = read<uint16_t>(bytes, 58);
  auto sectionCount = read<uint16_t>(bytes, 60);
  auto nameSection = read<uint16_t>(bytes, 62);
  const char *damaged = "the cubin is damaged or cut short: ";
  if (!sectionCount)
    return std::string(damaged) + "it has no sections";
  if ((segmentCount && segmentSize != kSegment) || sectionSize != kSection ||
      nameSection >= sectionCount)
    return std::string(damaged) + "its header contradicts itself";
  if (!fits(bytes, segments, segmentCount, kSegment) ||
      !fits(bytes, sections, sectionCount, kSection))
    return std::string(damaged) + "its tables end beyond its " +
           std::to_string(bytes.size()) + " bytes";
  for (uint64_t i = 0; i < segmentCount; ++i) {
    size_t at = segments + i * kSegment;
    if (!fits(bytes, read<uint64_t>(bytes, at + 8), 1,
              read<uint64_t>(bytes, at + 32)))
      return std::string(damaged) + "segment " + std::to_string(i) +
             " ends beyond its " + std::to_string(bytes.size()) + " bytes";
  }
  for (uint64_t i = 0; i < sectionCount; ++i) {
    size_t at = sections + i * kSection;
    if (isInFile(read<uint32_t>(bytes, at + 4)) &&
        !fits(bytes, read<uint64_t>(bytes, at + 24), 1,
              read<uint64_t>(bytes, at + 32)))
      return std::string(damaged) + "section " + std::to_string(i) +
             " ends beyond its " + std::to_string(bytes.size()) + " bytes";
  }

  ImageCode code;
  auto abi = static_cast<uint8_t>(bytes[7]);
  if (abi == kOlderAbi) {
    code.sm = static_cast<int>(flags & 0xff);
    code.suffix = flags & 0x800 ? 'a' : 0;
  } else if (abi == kNewerAbi) {
    code.sm = static_cast<int>(flags >> 8 & 0xff);
    code.suffix = flags & 0x08 ? 'a' : 0;
  } else {
    return "the cubin has OS ABI " + std::to_string(abi) +
           ", 51 or 65 was expected";
  }
  out.kind = ImageKind::Cubin;
  out.code = {code};
  return {};
}

// ----------------------------------------------------------------------- PTX
namespace {
/// Reads the directives at the start of PTX.
class PtxReader {
public:
  explicit PtxReader(std::string_view text) : rest(text) {}

  /// Consumes `word` after spaces and comments.
  bool accept(std::string_view word) {
    skip();
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  /// Consumes digits; -1 if there are none, or too many.
  int number() {
    int value = 0;
    size_t digits = 0;
    while (digits < rest.size() && digits < 5 && isDigit(rest[digits]))
      value = 10 * value + (rest[digits++] - '0');
    rest.remove_prefix(digits);
    return digits && (rest.empty() || !isDigit(rest.front())) ? value : -1;
  }
  char next() const { return rest.empty() ? '\0' : rest.front(); }

private:
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  void skip() {
    for (;;) {
      while (!rest.empty() && std::isspace(static_cast<unsigned char>(next())))
        rest.remove_prefix(1);
      const char *end = rest.starts_with("//")   ? "\n"
                        : rest.starts_with("/*") ? "*/"
                                                 : nullptr;
      if (!end)
        return;
      size_t at = rest.find(end, 2);
      rest.remove_prefix(at == std::string_view::npos ? rest.size()
                                                      : at + std::strlen(end));
    }
  }

  std::string_view rest;
};
} // namespace

static std::string readPtx(std::string_view text, Image &out) {
  const char *unknown = "the image is neither a cubin nor a fatbin nor PTX";
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  PtxReader reader(text);
  if (!reader.accept(".version"))
    return unknown;
  if (text.find('\0') != std::string_view::npos)
    return "the PTX is damaged: it has a NUL character";
  ImageCode code;
  code.isPtx = true;
  (void)reader.accept("");
  int major = reader.number();
  bool hasPoint = reader.accept(".");
  int minor = reader.number();
  if (major < 0 || major > 99 || !hasPoint || minor < 0 || minor > 9)
    return "the PTX is damaged: its .version is not a number";
  code.ptxVersion = 10 * major + minor;
  if (!reader.accept(".target") || !reader.accept("sm_") ||
      (code.sm = reader.number()) < 0)
    return "the PTX is damaged: no .target sm_NN follows its .version";
  if (reader.next() == 'a' || reader.next() == 'f')
    code.suffix = reader.next();
  out.kind = ImageKind::Ptx;
  out.code = {code};
  return {};
}

// ------------------------------------------------------------------- fatbins
// A header of 16 bytes: a magic number, a version, its own size and that of all
// that follows. Then code, each with a header: at 0 its kind (1 PTX, 2 cubin),
// at 4 the size of the header, at 8 that of the code, at 28 the architecture.
static constexpr uint32_t kFatbinMagic = 0xba55ed50;

static std::string readFatbin(std::string_view bytes, Image &out) {
  constexpr size_t kHeader = 16, kLeastCodeHeader = 32;
  const char *damaged = "the fatbin is damaged or cut short: ";
  if (bytes.size() < kHeader)
    return std::string(damaged) + "its header is";
  auto headerSize = read<uint16_t>(bytes, 6);
  auto size = read<uint64_t>(bytes, 8);
  if (headerSize < kHeader || !fits(bytes, headerSize, 1, size))
    return std::string(damaged) + "it has " + std::to_string(bytes.size()) +
           " bytes, its header says " + std::to_string(headerSize) + " and " +
           std::to_string(size);
  std::string_view rest = bytes.substr(headerSize, size);
  out.code.clear();
  while (!rest.empty()) {
    if (rest.size() < kLeastCodeHeader)
      return std::string(damaged) + "its last code has no header";
    auto codeHeader = read<uint32_t>(rest, 4);
    auto codeSize = read<uint64_t>(rest, 8);
    if (codeHeader < kLeastCodeHeader || !fits(rest, codeHeader, 1, codeSize))
      return std::string(damaged) + "code " + std::to_string(out.code.size()) +
             " ends beyond it";
    ImageCode code;
    auto kind = read<uint16_t>(rest, 0);
    code.isPtx = kind == 1;
    code.sm = static_cast<int>(read<uint32_t>(rest, 28));
    // Other kinds are nothing that runs.
    if (kind == 1 || kind == 2)
      out.code.push_back(code);
    rest.remove_prefix(codeHeader + codeSize);
  }
  out.kind = ImageKind::Fatbin;
  return out.code.empty() ? std::string(damaged) + "it has no code" : "";
}

std::string readImage(std::string_view bytes, Image &out) {
  if (bytes.empty())
    return "the image is empty";
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return readCubin(bytes, out);
  if (bytes.size() >= 4 && read<uint32_t>(bytes, 0) == kFatbinMagic)
    return readFatbin(bytes, out);
  return readPtx(bytes, out);
}

std::string imageProblem(const Image &image, int capability, int newestPtx,
                         const std::string &device, const std::string &driver) {
  bool isTooNew = false;
  std::string names;
  for (const ImageCode &code : image.code) {
    names += (names.empty() ? "" : ", ") + code.text();
    if (!code.runsOn(capability))
      continue;
    if (!newestPtx || code.ptxVersion <= newestPtx)
      return {};
    isTooNew = true;
  }
  if (isTooNew)
    return "the image is " + names + ", " + driver + " compiles up to PTX " +
           ptxText(newestPtx) +
           ": update the driver, or compile for an older PTX";
  return "the image is for " + names + ", " + device;
}

} // namespace nereid::cuda
