// Newer.h - numbers of SPIR-V that headers of version 1.3.239 lack.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_cooperative_matrix, SPV_KHR_bfloat16 and SPV_EXT_float8. Own names,
// so that newer headers, which have them, can be included too.

#ifndef NEREID_VULKAN_SPIRV_NEWER_H
#define NEREID_VULKAN_SPIRV_NEWER_H

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>

namespace nereid::spirv {

namespace newer {
inline constexpr auto OpTypeCooperativeMatrixKHR = spv::Op(4456);
inline constexpr auto OpCooperativeMatrixLoadKHR = spv::Op(4457);
inline constexpr auto OpCooperativeMatrixStoreKHR = spv::Op(4458);
inline constexpr auto OpCooperativeMatrixMulAddKHR = spv::Op(4459);
inline constexpr auto OpCooperativeMatrixLengthKHR = spv::Op(4460);

inline constexpr auto Float8EXT = spv::Capability(4212);
inline constexpr auto Float8CooperativeMatrixEXT = spv::Capability(4213);
inline constexpr auto BFloat16TypeKHR = spv::Capability(5116);
inline constexpr auto BFloat16CooperativeMatrixKHR = spv::Capability(5118);
inline constexpr auto CooperativeMatrixKHR = spv::Capability(6022);

inline constexpr auto SaturatedToLargestFloat8NormalConversionEXT =
    spv::Decoration(4216);
} // namespace newer

/// The optional operand of OpTypeFloat.
enum class FloatEncoding : uint32_t {
  BFloat16 = 0,
  E4M3 = 4214,
  E5M2 = 4215,
};

enum class MatrixLayout : uint32_t { RowMajor = 0, ColumnMajor = 1 };

enum class MatrixUse : uint32_t { A = 0, B = 1, Accumulator = 2 };

/// Of a matrix product: which integer operands are signed.
namespace matrixOperands {
inline constexpr uint32_t none = 0;
inline constexpr uint32_t signedA = 1;
inline constexpr uint32_t signedB = 2;
inline constexpr uint32_t signedC = 4;
inline constexpr uint32_t signedResult = 8;
inline constexpr uint32_t saturating = 16;
} // namespace matrixOperands

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_NEWER_H
