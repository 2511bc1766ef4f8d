// image.cpp - reads, checks and seals images.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "image.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace nereid::vulkan {

static_assert(std::endian::native == std::endian::little,
              "modules are read as words of this machine");

// Of SPIR-V. Its headers are not needed for these few.
static constexpr uint32_t kMagic = 0x07230203;
static constexpr uint32_t kNewest = 0x00010600; // version 1.6
static constexpr uint32_t kHeaderWords = 5;
static constexpr uint32_t kMostWords = 16 << 20;
static constexpr uint32_t kMostIds = 4 << 20;
static constexpr uint32_t kOpEntryPoint = 15, kOpExecutionMode = 16,
                          kOpCapability = 17, kOpFunction = 54,
                          kOpDecorate = 71, kOpModuleProcessed = 330,
                          kOpExecutionModeId = 331;
static constexpr uint32_t kGLCompute = 5, kLocalSize = 17, kLocalSizeId = 38,
                          kSpecId = 1;
// Execution modes of float controls, which are in a row.
static constexpr uint32_t kDenormPreserve = 4459, kRoundingModeRTZ = 4463;

static constexpr std::string_view kFormat = "nereid.vulkan/1 ";
static constexpr std::string_view kDigestKey = "digest=";
static constexpr size_t kDigestOffset = kFormat.size() + kDigestKey.size();
static constexpr size_t kDigestSize = 16;

// ------------------------------------------------------------- instructions

namespace {
struct Instruction {
  uint32_t opcode;
  std::span<const uint32_t> operands;
  size_t at; // index of its first operand in the module

  /// The string that starts at operand `index`, without its NUL; nothing if it
  /// has no end.
  std::optional<std::string_view> string(size_t index) const {
    if (index >= operands.size())
      return std::nullopt;
    const char *text = reinterpret_cast<const char *>(operands.data() + index);
    size_t size = (operands.size() - index) * 4;
    const void *end = std::memchr(text, 0, size);
    if (!end)
      return std::nullopt;
    return std::string_view(text, static_cast<const char *>(end) - text);
  }
};

/// Walks the instructions of a module.
class Reader {
public:
  explicit Reader(std::span<const uint32_t> words) : words(words) {}

  bool atEnd() const { return position == words.size(); }
  /// False if the instruction reaches past the end or has no length.
  bool next(Instruction &out) {
    uint32_t count = words[position] >> 16;
    if (!count || count > words.size() - position)
      return false;
    out.opcode = words[position] & 0xffff;
    out.at = position + 1;
    out.operands = words.subspan(position + 1, count - 1);
    position += count;
    return true;
  }

private:
  std::span<const uint32_t> words;
  size_t position = kHeaderWords;
};
} // namespace

/// What is wrong with the header; empty if nothing is.
static std::string headerProblem(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords)
    return "it has " + std::to_string(words.size()) +
           " words, a SPIR-V module has at least 5";
  if (words.size() > kMostWords)
    return "it has " + std::to_string(words.size()) + " words, at most " +
           std::to_string(kMostWords) + " were expected";
  if (words[0] != kMagic)
    return "it does not start with the magic number of SPIR-V";
  if (words[1] < 0x00010000 || words[1] > kNewest || words[1] & 0xff0000ff)
    return "its version of SPIR-V is not 1.0 to 1.6";
  if (!words[3] || words[3] > kMostIds)
    return "its bound of ids is " + std::to_string(words[3]) + ", 1 to " +
           std::to_string(kMostIds) + " was expected";
  if (words[4])
    return "its schema is " + std::to_string(words[4]) + ", 0 was expected";
  return {};
}

// ------------------------------------------------------------------- digest

/// FNV-1a over words. Each step is a bijection, so a change of one word always
/// changes the result. `text` is where the facts start; the digest in them
/// counts as zeros.
static uint64_t digestOf(std::span<const uint32_t> words, size_t text) {
  constexpr uint64_t kBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  const size_t first = text + kDigestOffset / 4;
  const size_t last = text + (kDigestOffset + kDigestSize - 1) / 4;
  std::array<uint32_t, 6> zeroed{};
  static_assert((kDigestOffset + kDigestSize - 1) / 4 - kDigestOffset / 4 < 6);
  std::memcpy(zeroed.data(), words.data() + first, (last - first + 1) * 4);
  std::memset(reinterpret_cast<char *>(zeroed.data()) + kDigestOffset % 4, '0',
              kDigestSize);
  uint64_t hash = kBasis;
  for (size_t i = 0; i < words.size(); ++i) {
    uint32_t word = i < first || i > last ? words[i] : zeroed[i - first];
    hash = (hash ^ word) * kPrime;
  }
  return hash;
}

static std::string hexadecimal(uint64_t value) {
  std::string text(kDigestSize, '0');
  for (size_t i = kDigestSize; i-- > 0; value >>= 4)
    text[i] = "0123456789abcdef"[value & 15];
  return text;
}

// -------------------------------------------------------------------- facts

static std::string describeMatrices(const std::vector<std::string> &shapes) {
  std::string text;
  for (const std::string &shape : shapes)
    text += (text.empty() ? " matrices=" : ";") + shape;
  return text;
}

std::string describe(const ImageFacts &facts) {
  return std::string(kFormat) + std::string(kDigestKey) +
         std::string(kDigestSize, '0') +
         " workgroup=" + std::to_string(facts.workgroup) +
         " subgroup=" + std::to_string(facts.subgroup) +
         " shared=" + std::to_string(facts.shared) +
         " arguments=" + std::to_string(facts.arguments) + " push=" +
         (facts.place == ArgumentPlace::Block ? "block" : "arguments") +
         " services=" + (facts.needsServices ? "1" : "0") +
         describeMatrices(facts.matrices);
}

/// The value of `key` in "key=value key=value"; nothing if it is missing.
static std::optional<std::string_view> findFact(std::string_view facts,
                                                std::string_view key) {
  while (!facts.empty()) {
    size_t end = std::min(facts.find(' '), facts.size());
    std::string_view fact = facts.substr(0, end);
    facts.remove_prefix(std::min(end + 1, facts.size()));
    size_t equals = fact.find('=');
    if (equals != fact.npos && fact.substr(0, equals) == key)
      return fact.substr(equals + 1);
  }
  return std::nullopt;
}

static std::string readNumber(std::string_view facts, std::string_view key,
                              uint32_t minimum, uint32_t maximum,
                              uint32_t &out) {
  std::optional<std::string_view> text = findFact(facts, key);
  if (!text)
    return "its facts lack '" + std::string(key) + "'";
  auto [end, error] =
      std::from_chars(text->data(), text->data() + text->size(), out);
  if (error != std::errc() || end != text->data() + text->size() ||
      out < minimum || out > maximum)
    return "its fact '" + std::string(key) + "' is '" + std::string(*text) +
           "', a number from " + std::to_string(minimum) + " to " +
           std::to_string(maximum) + " was expected";
  return {};
}

static std::string readFacts(std::string_view text, ImageFacts &out) {
  uint32_t services = 0;
  std::string problem;
  auto number = [&](std::string_view key, uint32_t minimum, uint32_t maximum,
                    uint32_t &value) {
    if (problem.empty())
      problem = readNumber(text, key, minimum, maximum, value);
  };
  number("workgroup", 1, 1 << 16, out.workgroup);
  number("subgroup", 0, 256, out.subgroup);
  number("shared", 0, 1 << 24, out.shared);
  number("arguments", 0, kMostArguments, out.arguments);
  number("services", 0, 1, services);
  if (!problem.empty())
    return problem;
  out.needsServices = services;
  if (out.subgroup && !std::has_single_bit(out.subgroup))
    return "its fact 'subgroup' is " + std::to_string(out.subgroup) +
           ", 0 or a power of two was expected";
  std::optional<std::string_view> push = findFact(text, "push");
  if (!push || (*push != "arguments" && *push != "block"))
    return "its fact 'push' is " +
           (push ? "'" + std::string(*push) + "'" : "missing") +
           ", arguments or block was expected";
  out.place =
      *push == "block" ? ArgumentPlace::Block : ArgumentPlace::PushConstants;
  auto shapes = findFact(text, "matrices").value_or("");
  while (!shapes.empty()) {
    size_t end = std::min(shapes.find(';'), shapes.size());
    out.matrices.emplace_back(shapes.substr(0, end));
    shapes.remove_prefix(std::min(end + 1, shapes.size()));
  }
  return {};
}

/// Whether `text` starts as facts do, with a complete digest. The digest has
/// to be digits and end there: sealing overwrites it, and must not overwrite
/// another fact.
static bool isFacts(std::string_view text) {
  constexpr size_t kEnd = kDigestOffset + kDigestSize;
  return text.size() > kEnd && text[kEnd] == ' ' && text.starts_with(kFormat) &&
         text.substr(kFormat.size()).starts_with(kDigestKey) &&
         text.substr(kDigestOffset, kDigestSize)
                 .find_first_not_of("0123456789abcdef") == text.npos;
}

// ------------------------------------------------------------------- module

static std::string readEntryPoint(const Instruction &instruction, Image &out) {
  if (instruction.operands.size() < 3 || instruction.operands[0] != kGLCompute)
    return "its entry point is not a compute kernel";
  std::optional<std::string_view> name = instruction.string(2);
  if (!name || name->empty())
    return "its entry point has no name";
  if (!out.entry.empty())
    return "it has several entry points, one was expected";
  out.entry = *name;
  return {};
}

static std::string readExecutionMode(const Instruction &instruction,
                                     Image &out) {
  auto operands = instruction.operands;
  if (operands.size() < 2)
    return "an OpExecutionMode has no mode";
  if (operands[1] == kLocalSizeId)
    return "its workgroup size is a specialization constant, a LocalSize was "
           "expected";
  if (operands[1] >= kDenormPreserve && operands[1] <= kRoundingModeRTZ) {
    if (operands.size() != 3)
      return "a float control does not have a width";
    out.floatModes.emplace_back(operands[1], operands[2]);
  }
  if (operands[1] != kLocalSize)
    return {};
  if (operands.size() != 5)
    return "its LocalSize does not have three numbers";
  std::copy_n(operands.begin() + 2, 3, out.localSize.begin());
  return {};
}

/// Reads one instruction before the first function. `facts` is where the text
/// of the facts starts, 0 before they were found.
static std::string readDeclaration(const Instruction &instruction,
                                   size_t &facts, Image &out) {
  auto operands = instruction.operands;
  switch (instruction.opcode) {
  case kOpCapability:
    if (operands.size() != 1)
      return "an OpCapability does not name one capability";
    out.capabilities.push_back(operands[0]);
    return {};
  case kOpEntryPoint:
    return readEntryPoint(instruction, out);
  case kOpExecutionMode:
  case kOpExecutionModeId:
    return readExecutionMode(instruction, out);
  case kOpDecorate:
    if (operands.size() == 3 && operands[1] == kSpecId && operands[2] == 0)
      out.canFold = true;
    return {};
  case kOpModuleProcessed: {
    std::optional<std::string_view> text = instruction.string(0);
    if (text && isSite(*text)) {
      if (out.sites.size() == kMostSites)
        return "it has more than " + std::to_string(kMostSites) +
               " prints and faults";
      return readSite(*text, out.sites.emplace_back());
    }
    if (!text || !text->starts_with("nereid.vulkan/"))
      return {};
    if (!isFacts(*text))
      return "its facts do not start with '" + std::string(kFormat) +
             "digest=', 16 digits and a space, as this version writes them";
    if (facts)
      return "it has facts twice";
    facts = instruction.at;
    return readFacts(text->substr(kDigestOffset + kDigestSize + 1), out.facts);
  }
  default:
    return {};
  }
}

/// Walks `words`. `facts` is where the text of the facts starts.
static std::string readModule(std::span<const uint32_t> words, size_t &facts,
                              Image &out) {
  std::string problem = headerProblem(words);
  facts = 0;
  Reader reader(words);
  bool isDeclaration = true;
  while (problem.empty() && !reader.atEnd()) {
    Instruction instruction;
    if (!reader.next(instruction))
      return "it is cut, or the length of an instruction is wrong";
    if (instruction.opcode == kOpFunction)
      isDeclaration = false;
    if (isDeclaration)
      problem = readDeclaration(instruction, facts, out);
  }
  if (!problem.empty())
    return problem;
  if (!facts)
    return "it has no facts ('" + std::string(kFormat) +
           "...'): it was not made for this plugin, or is cut";
  if (isDeclaration)
    return "it has no function";
  if (out.entry.empty())
    return "it has no entry point";
  return {};
}

/// The digest that the facts at `text` state.
static std::string_view statedDigest(std::span<const uint32_t> words,
                                     size_t text) {
  return {reinterpret_cast<const char *>(words.data() + text) + kDigestOffset,
          kDigestSize};
}

std::string sealImage(std::span<uint32_t> words) {
  Image image;
  size_t facts = 0;
  std::string problem = readModule(words, facts, image);
  if (!problem.empty())
    return problem;
  std::string digest = hexadecimal(digestOf(words, facts));
  std::memcpy(reinterpret_cast<char *>(words.data() + facts) + kDigestOffset,
              digest.data(), digest.size());
  return {};
}

std::string readImage(std::string_view bytes, Image &out) {
  out = {};
  if (bytes.size() % 4)
    return "it has " + std::to_string(bytes.size()) +
           " bytes, a SPIR-V module is a number of words";
  if (bytes.size() / 4 > kMostWords)
    return "it has " + std::to_string(bytes.size()) + " bytes, at most " +
           std::to_string(uint64_t{kMostWords} * 4) + " were expected";
  // A copy: the bytes may not be aligned.
  out.words.resize(bytes.size() / 4);
  if (!bytes.empty())
    std::memcpy(out.words.data(), bytes.data(), bytes.size());
  size_t facts = 0;
  std::string problem = readModule(out.words, facts, out);
  if (!problem.empty())
    return problem;
  if (statedDigest(out.words, facts) != hexadecimal(digestOf(out.words, facts)))
    return "its bytes are not those that the vulkan plugin's compiler made";
  uint64_t threads = uint64_t{out.localSize[0]} * out.localSize[1];
  if (threads > 1 << 16 || threads * out.localSize[2] != out.facts.workgroup)
    return "its LocalSize does not have the " +
           std::to_string(out.facts.workgroup) + " threads of its facts";
  return {};
}

} // namespace nereid::vulkan
