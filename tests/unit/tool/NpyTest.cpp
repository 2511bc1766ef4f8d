// NpyTest.cpp - .npy files, good and bad.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Npy.h"

#include <gtest/gtest.h>

using namespace nereid::tools;

static std::string file(const std::string &dictionary,
                        const std::string &data = "", char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  bytes += static_cast<char>(dictionary.size() & 0xff);
  bytes += static_cast<char>(dictionary.size() >> 8);
  if (major > 1)
    bytes += std::string(2, '\0');
  return bytes + dictionary + data;
}

static std::string dictionary(const std::string &descr,
                              const std::string &shape,
                              const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

static std::string problem(const std::string &bytes) {
  nereid::Expected<Array> array = parseNpy(bytes, "x.npy");
  return array ? "no error" : array.error().text;
}

TEST(NpyTest, ReadsWhatItWrites) {
  for (const Shape &shape : {Shape{}, Shape{3}, Shape{2, 0, 5}, Shape{4, 3, 2}})
    for (DType type : {DType::F64, DType::BF16, DType::F8E5M2, DType::I1}) {
      nereid::Expected<Array> array = Array::make(type, shape);
      ASSERT_TRUE(array);
      array->fillRandom(1, 0, 2);
      std::string bytes = npyHeader(*array);
      EXPECT_EQ(bytes.size() % 64, 0u);
      bytes.append(reinterpret_cast<const char *>(array->data()),
                   array->size());
      nereid::Expected<Array> again = parseNpy(bytes, "x.npy", type);
      ASSERT_TRUE(again) << again.error().text;
      EXPECT_EQ(again->shape(), shape);
      EXPECT_TRUE(std::equal(array->data(), array->data() + array->size(),
                             again->data(), again->data() + again->size()));
    }
}

TEST(NpyTest, ReadsEveryVersionAndAnyOrderOfKeys) {
  std::string keys = "{ \"shape\": (1L,), 'descr':'<i4','fortran_order':False}";
  for (char major : {1, 2, 3})
    EXPECT_EQ(problem(file(keys, "abcd", major)), "no error");
}

TEST(NpyTest, ReportsWhatIsWrong) {
  EXPECT_EQ(problem(""),
            "error: x.npy: not a .npy file, which starts with '\\x93NUMPY'");
  EXPECT_EQ(problem("\x93NUMPY\x04"),
            "error: x.npy: .npy version 4, expected 1 to 3");
  EXPECT_EQ(problem("\x93NUMPY\x01"),
            "error: x.npy: the header is cut off after 7 bytes");
  EXPECT_EQ(problem(file(dictionary("<f4", "(2, 3)"), "12345678")),
            "error: x.npy: shape [2, 3] of '<f4' takes 24 bytes, the file "
            "has 8");
  EXPECT_EQ(problem(file(dictionary("<f4", "(1,)"), "12345")),
            "error: x.npy: shape [1] of '<f4' takes 4 bytes, the file has 5");
  EXPECT_EQ(problem(file(dictionary("<f4", "(1,)", "True"), "1234")),
            "error: x.npy: the array is in Fortran order, expected C order; "
            "save numpy.ascontiguousarray(x)");
  EXPECT_EQ(problem(file(dictionary(">f4", "(1,)"), "1234")),
            "error: x.npy: the elements are '>f4', expected a little-endian "
            "float of 2 to 8 bytes, an integer or a bool");
  EXPECT_EQ(problem(file(dictionary("<f4", "(4294967296, 4294967296)"))),
            "error: x.npy: shape [4294967296, 4294967296] of f32 has more "
            "bytes than an address can count, expected at most "
            "2305843009213693951 elements");
}

TEST(NpyTest, RefusesAnyOtherDictionary) {
  std::string hugeShape = dictionary("<f4", "(99999999999999999999,)");
  for (const char *text :
       {"", "{", "{}", "{'descr': '<f4'}", "[1]",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        hugeShape.c_str()})
    EXPECT_TRUE(problem(file(text, "1234"))
                    .starts_with("error: x.npy: malformed header at byte "))
        << text << ": " << problem(file(text, "1234"));
}

TEST(NpyTest, EveryTruncationIsAnError) {
  std::string whole = file(dictionary("<f4", "(2,)"), "12345678");
  ASSERT_EQ(problem(whole), "no error");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(problem(whole.substr(0, size)), "no error") << size;
}

TEST(NpyTest, WantsTheTypeThatIsAskedFor) {
  std::string bytes = file(dictionary("<u2", "(1,)"), "ab");
  EXPECT_TRUE(parseNpy(bytes, "x.npy", DType::BF16));
  EXPECT_TRUE(parseNpy(bytes, "x.npy", DType::I16));
  nereid::Expected<Array> wrong = parseNpy(bytes, "x.npy", DType::F16);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text,
            "error: x.npy: the elements are '<u2', expected '<f2' for f16");
}

TEST(NpyTest, NamesTheFileThatIsMissing) {
  nereid::Expected<Array> array = readNpy("/nowhere/x.npy");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.error().status, NEREID_NOT_FOUND);
  EXPECT_EQ(array.error().text,
            "error: /nowhere/x.npy: no such file or directory");
}

TEST(NpyTest, ShowsControlBytesAsEscapes) {
  EXPECT_EQ(problem(file(dictionary("<f4\x1b[2J", "(1,)"))),
            "error: x.npy: the elements are '<f4\\x1b[2J', expected a "
            "little-endian float of 2 to 8 bytes, an integer or a bool");
}
