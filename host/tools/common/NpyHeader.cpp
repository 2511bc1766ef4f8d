// NpyHeader.cpp - the header of a .npy file: a magic, a length and the text of
// a Python dictionary, of which only what numpy itself writes is accepted.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Npy.h"

#include "Text.h"

#include <charconv>

namespace nereid::tools {

static constexpr std::string_view magic = "\x93NUMPY";
static constexpr uint64_t longestHeader = 1 << 16;
static constexpr size_t mostDimensions = 64; // as numpy

namespace {
/// Reads the dictionary from left to right. After a failure `problem` says
/// what was expected, and all further steps fail.
class DictionaryReader {
public:
  explicit DictionaryReader(std::string_view text) : text(text) {}

  bool read(NpyHeader &header);
  std::string problem;
  size_t position = 0;

private:
  bool expected(const std::string &what) {
    if (problem.empty())
      problem = what;
    return false;
  }
  void skipSpace() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\n'))
      ++position;
  }
  bool accept(std::string_view token) {
    skipSpace();
    if (!text.substr(position).starts_with(token))
      return false;
    position += token.size();
    return true;
  }
  bool want(std::string_view token) {
    return accept(token) || expected("'" + std::string(token) + "'");
  }
  bool readString(std::string &value);
  bool readNumber(uint64_t &value);
  bool readShape(Shape &shape);
  bool readEntry(NpyHeader &header);

  std::string_view text;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

bool DictionaryReader::readString(std::string &value) {
  skipSpace();
  char quote = position < text.size() ? text[position] : 0;
  if (quote != '\'' && quote != '"')
    return expected("a quoted string");
  size_t end = text.find(quote, position + 1);
  if (end == text.npos)
    return expected("the end of the string");
  value = text.substr(position + 1, end - position - 1);
  if (value.find('\\') != value.npos)
    return expected("a string without escapes");
  position = end + 1;
  return true;
}

bool DictionaryReader::readNumber(uint64_t &value) {
  skipSpace();
  const char *start = text.data() + position;
  auto [end, error] = std::from_chars(start, text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return expected("a number below 2^64");
  if (error != std::errc())
    return expected("a number");
  position += static_cast<size_t>(end - start);
  accept("L"); // as Python 2 wrote it
  return true;
}

bool DictionaryReader::readShape(Shape &shape) {
  if (!want("("))
    return false;
  while (!accept(")")) {
    uint64_t extent = 0;
    if (!readNumber(extent))
      return false;
    if (shape.size() == mostDimensions)
      return expected("at most 64 dimensions");
    shape.push_back(extent);
    if (accept(","))
      continue;
    // A single number in parentheses is not a tuple in Python.
    if (shape.size() == 1)
      return expected("','");
    if (!want(")"))
      return false;
    break;
  }
  return true;
}

bool DictionaryReader::readEntry(NpyHeader &header) {
  std::string key;
  if (!readString(key) || !want(":"))
    return false;
  bool &seen = key == "descr"           ? hasDescr
               : key == "fortran_order" ? hasOrder
                                        : hasShape;
  if (key != "descr" && key != "fortran_order" && key != "shape")
    return expected("'descr', 'fortran_order' or 'shape', not '" +
                    printable(key) + "'");
  if (seen)
    return expected("'" + key + "' only once");
  seen = true;
  if (key == "shape")
    return readShape(header.shape);
  if (key == "descr")
    return readString(header.descr);
  header.isFortranOrder = accept("True");
  return header.isFortranOrder || accept("False") ||
         expected("'True' or 'False'");
}

bool DictionaryReader::read(NpyHeader &header) {
  if (!want("{"))
    return false;
  while (!accept("}")) {
    if (!readEntry(header))
      return false;
    if (!accept(",")) {
      if (!want("}"))
        return false;
      break;
    }
  }
  skipSpace();
  if (position != text.size())
    return expected("nothing after the dictionary");
  if (!hasDescr || !hasOrder || !hasShape)
    return expected("'descr', 'fortran_order' and 'shape'");
  return true;
}

static uint64_t littleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

Expected<NpyHeader> parseNpyHeader(std::string_view bytes,
                                   const std::string &name) {
  if (!bytes.starts_with(magic))
    return invalid(name + ": not a .npy file, which starts with '\\x93NUMPY'");
  unsigned major = bytes.size() > 6 ? static_cast<unsigned char>(bytes[6]) : 0;
  if (bytes.size() > 6 && (major < 1 || major > 3))
    return invalid(name + ": .npy version " + std::to_string(major) +
                   ", expected 1 to 3");
  size_t lengthSize = major == 1 ? 2 : 4;
  size_t start = 8 + lengthSize;
  if (bytes.size() < start)
    return invalid(name + ": the header is cut off after " +
                   std::to_string(bytes.size()) + " bytes");
  uint64_t length = littleEndian(bytes.substr(8, lengthSize));
  if (length > longestHeader)
    return invalid(name + ": a header of " + std::to_string(length) +
                   " bytes, expected at most " + std::to_string(longestHeader));
  if (length > bytes.size() - start)
    return invalid(name + ": the header is cut off, expected " +
                   std::to_string(length) + " bytes, found " +
                   std::to_string(bytes.size() - start));
  NpyHeader header = {};
  header.dataOffset = start + length;
  DictionaryReader reader(bytes.substr(start, length));
  if (!reader.read(header))
    return invalid(name + ": malformed header at byte " +
                   std::to_string(start + reader.position) + ", expected " +
                   reader.problem);
  return header;
}

} // namespace nereid::tools
