// cpu_features.h - the features of CPUs that generated code may use, in LLVM's
// spelling, and the bits that report them: CPUID on x86-64, HWCAP on 64-bit
// Arm.
//
// The driver detects them, and the compiler lists those of its target in an
// image's metadata: what is not here cannot be checked before an image runs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_CPU_FEATURES_H
#define NEREID_CPU_CPU_FEATURES_H

#include <cstdint>

namespace nereid::cpu {

enum class Register : uint8_t { Eax, Ebx, Ecx, Edx };

/// What the operating system must save for a feature to be usable.
enum class Saves : uint8_t { Nothing, Ymm, Zmm, Tiles };

struct X86Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  Saves saves;
};

inline constexpr X86Feature kX86Features[] = {
    {"sse3", 1, 0, Register::Ecx, 0, Saves::Nothing},
    {"pclmul", 1, 0, Register::Ecx, 1, Saves::Nothing},
    {"ssse3", 1, 0, Register::Ecx, 9, Saves::Nothing},
    {"fma", 1, 0, Register::Ecx, 12, Saves::Ymm},
    {"cx16", 1, 0, Register::Ecx, 13, Saves::Nothing},
    {"sse4.1", 1, 0, Register::Ecx, 19, Saves::Nothing},
    {"sse4.2", 1, 0, Register::Ecx, 20, Saves::Nothing},
    {"movbe", 1, 0, Register::Ecx, 22, Saves::Nothing},
    {"popcnt", 1, 0, Register::Ecx, 23, Saves::Nothing},
    {"aes", 1, 0, Register::Ecx, 25, Saves::Nothing},
    {"avx", 1, 0, Register::Ecx, 28, Saves::Ymm},
    {"f16c", 1, 0, Register::Ecx, 29, Saves::Ymm},
    {"bmi", 7, 0, Register::Ebx, 3, Saves::Nothing},
    {"avx2", 7, 0, Register::Ebx, 5, Saves::Ymm},
    {"bmi2", 7, 0, Register::Ebx, 8, Saves::Nothing},
    {"avx512f", 7, 0, Register::Ebx, 16, Saves::Zmm},
    {"avx512dq", 7, 0, Register::Ebx, 17, Saves::Zmm},
    {"adx", 7, 0, Register::Ebx, 19, Saves::Nothing},
    {"avx512ifma", 7, 0, Register::Ebx, 21, Saves::Zmm},
    {"clflushopt", 7, 0, Register::Ebx, 23, Saves::Nothing},
    {"avx512cd", 7, 0, Register::Ebx, 28, Saves::Zmm},
    {"sha", 7, 0, Register::Ebx, 29, Saves::Nothing},
    {"avx512bw", 7, 0, Register::Ebx, 30, Saves::Zmm},
    {"avx512vl", 7, 0, Register::Ebx, 31, Saves::Zmm},
    {"avx512vbmi", 7, 0, Register::Ecx, 1, Saves::Zmm},
    {"avx512vbmi2", 7, 0, Register::Ecx, 6, Saves::Zmm},
    {"gfni", 7, 0, Register::Ecx, 8, Saves::Nothing},
    {"vaes", 7, 0, Register::Ecx, 9, Saves::Ymm},
    {"vpclmulqdq", 7, 0, Register::Ecx, 10, Saves::Ymm},
    {"avx512vnni", 7, 0, Register::Ecx, 11, Saves::Zmm},
    {"avx512bitalg", 7, 0, Register::Ecx, 12, Saves::Zmm},
    {"avx512vpopcntdq", 7, 0, Register::Ecx, 14, Saves::Zmm},
    {"avx512vp2intersect", 7, 0, Register::Edx, 8, Saves::Zmm},
    {"amx-bf16", 7, 0, Register::Edx, 22, Saves::Tiles},
    {"avx512fp16", 7, 0, Register::Edx, 23, Saves::Zmm},
    {"amx-tile", 7, 0, Register::Edx, 24, Saves::Tiles},
    {"amx-int8", 7, 0, Register::Edx, 25, Saves::Tiles},
    {"avxvnni", 7, 1, Register::Eax, 4, Saves::Ymm},
    {"avx512bf16", 7, 1, Register::Eax, 5, Saves::Zmm},
    {"cmpccxadd", 7, 1, Register::Eax, 7, Saves::Nothing},
    {"avxifma", 7, 1, Register::Eax, 23, Saves::Ymm},
    {"avxvnniint8", 7, 1, Register::Edx, 4, Saves::Ymm},
    {"avxneconvert", 7, 1, Register::Edx, 5, Saves::Ymm},
    {"avxvnniint16", 7, 1, Register::Edx, 10, Saves::Ymm},
    {"sahf", 0x80000001, 0, Register::Ecx, 0, Saves::Nothing},
    {"lzcnt", 0x80000001, 0, Register::Ecx, 5, Saves::Nothing},
    {"sse4a", 0x80000001, 0, Register::Ecx, 6, Saves::Nothing},
    {"prfchw", 0x80000001, 0, Register::Ecx, 8, Saves::Nothing},
    {"xop", 0x80000001, 0, Register::Ecx, 11, Saves::Ymm},
    {"fma4", 0x80000001, 0, Register::Ecx, 16, Saves::Ymm},
    {"tbm", 0x80000001, 0, Register::Ecx, 21, Saves::Nothing},
};

/// Bits of AT_HWCAP and AT_HWCAP2, all of which report the feature.
struct ArmFeature {
  const char *name;
  uint64_t hwcap, hwcap2;
};

constexpr uint64_t bits(auto... numbers) {
  return ((uint64_t{1} << numbers) | ... | 0);
}

// The numbers are those of Linux' asm/hwcap.h, which is installed on Arm only.
inline constexpr ArmFeature kArmFeatures[] = {
    {"fp-armv8", bits(0), 0},     {"neon", bits(1), 0},
    {"aes", bits(3, 4), 0},  // and PMULL
    {"sha2", bits(5, 6), 0}, // and SHA1
    {"crc", bits(7), 0},          {"lse", bits(8), 0},
    {"fullfp16", bits(9, 10), 0}, // scalars, vectors
    {"rdm", bits(12), 0},         {"jsconv", bits(13), 0},
    {"complxnum", bits(14), 0},   {"rcpc", bits(15), 0},
    {"sha3", bits(17, 21), 0}, // and SHA512
    {"sm4", bits(18, 19), 0},  // and SM3
    {"dotprod", bits(20), 0},     {"sve", bits(22), 0},
    {"fp16fml", bits(23), 0},     {"lse2", bits(25), 0},
    {"rcpc-immo", bits(26), 0},   {"flagm", bits(27), 0},
    {"sve2", 0, bits(1)},         {"sve2-aes", 0, bits(2, 3)}, // and PMULL
    {"sve2-bitperm", 0, bits(4)}, {"sve2-sha3", 0, bits(5)},
    {"sve2-sm4", 0, bits(6)},     {"altnzcv", 0, bits(7)},
    {"fptoint", 0, bits(8)},      {"f32mm", 0, bits(10)},
    {"f64mm", 0, bits(11)},       {"i8mm", 0, bits(13)},
    {"bf16", 0, bits(14)},        {"cssc", 0, bits(34)},
    {"sve2p1", 0, bits(36)},      {"mops", 0, bits(43)},
    {"hbc", 0, bits(44)},         {"rcpc3", 0, bits(46)},
    {"lse128", 0, bits(47)},
};

} // namespace nereid::cpu

#endif // NEREID_CPU_CPU_FEATURES_H
