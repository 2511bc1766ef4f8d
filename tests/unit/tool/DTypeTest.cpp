// DTypeTest.cpp - numbers of every element type, in memory and as text.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "DType.h"
#include "NarrowFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace nereid::tools;

TEST(DTypeTest, KnowsTheSpellingsOfTritonMlirAndNumpy) {
  EXPECT_EQ(parseDType("fp8e4nv"), DType::F8E4M3);
  EXPECT_EQ(parseDType("f8E4M3FN"), DType::F8E4M3);
  EXPECT_EQ(parseDType("fp16"), DType::F16);
  EXPECT_EQ(parseDType("u8"), DType::I8);
  EXPECT_EQ(parseDType("float64"), DType::F64);
  EXPECT_FALSE(parseDType(""));
  EXPECT_FALSE(parseDType("f32 "));
  EXPECT_FALSE(parseDType("f31"));
}

// _Float16 of the compiler is the reference.
TEST(NarrowFloatTest, AgreesWithTheCompilerOnEveryHalf) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    _Float16 half = std::bit_cast<_Float16>(static_cast<uint16_t>(bits));
    double decoded = decodeNarrow(formatF16, bits);
    if (std::isnan(static_cast<double>(half))) {
      EXPECT_TRUE(std::isnan(decoded));
      continue;
    }
    EXPECT_EQ(decoded, static_cast<double>(half)) << bits;
    EXPECT_EQ(encodeNarrow(formatF16, decoded), bits);
  }
}

TEST(NarrowFloatTest, RoundsHalvesAsTheCompilerDoes) {
  for (uint32_t i = 0; i < 200000; ++i) {
    float value = std::bit_cast<float>(i * 21473u + 0x33000000u);
    uint16_t expected = std::bit_cast<uint16_t>(static_cast<_Float16>(value));
    if (!std::isnan(value)) {
      EXPECT_EQ(encodeNarrow(formatF16, value), expected) << value;
    }
  }
}

TEST(NarrowFloatTest, KnowsTheLimitsOfEightBits) {
  EXPECT_EQ(decodeNarrow(formatF8E4M3, 0x7e), 448);
  EXPECT_TRUE(std::isnan(decodeNarrow(formatF8E4M3, 0x7f)));
  EXPECT_EQ(decodeNarrow(formatF8E4M3, 0x01), 0x1p-9);
  EXPECT_EQ(decodeNarrow(formatF8E5M2, 0x7b), 57344);
  EXPECT_TRUE(std::isinf(decodeNarrow(formatF8E5M2, 0xfc)));
  EXPECT_EQ(encodeNarrow(formatF8E4M3, 460), 0x7eu);
  EXPECT_EQ(encodeNarrow(formatF8E4M3, 470), 0x7fu);
  EXPECT_EQ(encodeNarrow(formatF8E5M2, 1e9), 0x7cu);
  EXPECT_EQ(encodeNarrow(formatBF16, -1.5), 0xbfc0u);
  for (uint32_t bits = 0; bits < 256; ++bits)
    for (NarrowFormat format : {formatF8E4M3, formatF8E5M2})
      if (double value = decodeNarrow(format, bits); !std::isnan(value))
        EXPECT_EQ(encodeNarrow(format, value), bits);
}

TEST(DTypeTest, RefusesTextThatDoesNotFit) {
  char element[8];
  EXPECT_TRUE(storeText(DType::I8, "-128", element));
  EXPECT_TRUE(storeText(DType::I8, "255", element));
  EXPECT_FALSE(storeText(DType::I8, "256", element));
  EXPECT_FALSE(storeText(DType::I8, "-129", element));
  EXPECT_FALSE(storeText(DType::I32, "1.5", element));
  EXPECT_FALSE(storeText(DType::I32, "", element));
  EXPECT_FALSE(storeText(DType::I32, " 1", element));
  EXPECT_FALSE(storeText(DType::I1, "2", element));
  EXPECT_FALSE(storeText(DType::I1, "-1", element));
  EXPECT_TRUE(storeText(DType::I1, "true", element));
  EXPECT_FALSE(storeText(DType::F16, "70000", element));
  EXPECT_TRUE(storeText(DType::F16, "inf", element));
  EXPECT_FALSE(storeText(DType::F32, "1.0x", element));
  EXPECT_TRUE(storeText(DType::I64, "18446744073709551615", element));
  EXPECT_EQ(loadInteger(DType::I64, element), -1);
}
