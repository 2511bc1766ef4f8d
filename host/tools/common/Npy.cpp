// Npy.cpp - arrays from and to .npy files.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Npy.h"

#include "Files.h"
#include "Text.h"

#include <bit>
#include <cstring>

namespace nereid::tools {

static_assert(std::endian::native == std::endian::little,
              "elements are copied from and to files as they are");

/// How numpy spells a type in memory; the first spelling of a type is written.
static constexpr struct {
  DType type;
  std::string_view descr;
} spellings[] = {
    {DType::F64, "<f8"},  {DType::F32, "<f4"},    {DType::F16, "<f2"},
    {DType::I64, "<i8"},  {DType::I64, "<u8"},    {DType::I32, "<i4"},
    {DType::I32, "<u4"},  {DType::I16, "<i2"},    {DType::I16, "<u2"},
    {DType::I8, "|i1"},   {DType::I8, "|u1"},     {DType::I1, "|b1"},
    {DType::BF16, "<u2"}, {DType::F8E4M3, "|u1"}, {DType::F8E5M2, "|u1"},
};

static std::string_view descrOf(DType type) {
  for (const auto &spelling : spellings)
    if (spelling.type == type)
      return spelling.descr;
  return {};
}

// What the elements are, once the header's type was compared with `wanted`.
static Expected<DType> elementType(const NpyHeader &header,
                                   const std::string &name,
                                   std::optional<DType> wanted) {
  for (const auto &spelling : spellings)
    if (spelling.descr == header.descr && (!wanted || *wanted == spelling.type))
      return spelling.type;
  std::string found =
      name + ": the elements are '" + printable(header.descr) + "'";
  if (wanted)
    return invalid(found + ", expected '" + std::string(descrOf(*wanted)) +
                   "' for " + std::string(dtypeName(*wanted)));
  return invalid(found + ", expected a little-endian float of 2 to 8 bytes, "
                         "an integer or a bool");
}

Expected<Array> parseNpy(std::string_view bytes, const std::string &name,
                         std::optional<DType> wanted) {
  Expected<NpyHeader> header = parseNpyHeader(bytes, name);
  if (!header)
    return header.error();
  Expected<DType> type = elementType(*header, name, wanted);
  if (!type)
    return type.error();
  if (header->isFortranOrder)
    return invalid(name + ": the array is in Fortran order, expected C order; "
                          "save numpy.ascontiguousarray(x)");
  Expected<uint64_t> count = elementCount(*type, header->shape);
  if (!count)
    return invalid(name + ": " + count.error().text.substr(7));
  uint64_t expected = *count * dtypeSize(*type);
  uint64_t found = bytes.size() - header->dataOffset;
  if (found != expected)
    return invalid(name + ": shape " + shapeText(header->shape) + " of '" +
                   header->descr + "' takes " + std::to_string(expected) +
                   " bytes, the file has " + std::to_string(found));
  Expected<Array> array = Array::make(*type, header->shape);
  if (array && expected)
    std::memcpy(array->data(), bytes.data() + header->dataOffset, expected);
  return array;
}

Expected<Array> readNpy(const std::string &path, std::optional<DType> wanted) {
  Expected<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseNpy(*bytes, path, wanted);
}

std::string npyHeader(const Array &array) {
  std::string shape;
  for (uint64_t extent : array.shape())
    shape += std::to_string(extent) + ", ";
  if (array.shape().size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back(); // "(7,)"
  std::string text = "{'descr': '" + std::string(descrOf(array.type())) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data start at a multiple of 64, as numpy places them.
  size_t end = (10 + text.size() + 1 + 63) / 64 * 64;
  text.append(end - 10 - text.size() - 1, ' ');
  text += '\n';
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

Expected<void> writeNpy(const std::string &path, const Array &array) {
  return writeFile(
      path, {npyHeader(array),
             {reinterpret_cast<const char *>(array.data()), array.size()}});
}

} // namespace nereid::tools
