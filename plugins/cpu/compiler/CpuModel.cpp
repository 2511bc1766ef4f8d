// CpuModel.cpp - the table of machines: LLVM's features as abilities.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CpuModel.h"

#include "backend/Features.h"
#include "nereid/codegen/Expand.h"

namespace nereid::cpu {

static void addWordProducts(CpuModel &cpu, const llvm::TargetMachine &machine,
                            llvm::StringRef tuneCpu) {
  auto has = [&](const char *feature) { return hasFeature(machine, feature); };
  // vdpbf16ps of Intel's processors with AVX512-FP16 runs at half the rate of a
  // multiply-add, so that f32 wins: 346 against 198 GFLOP/s on two cores of a
  // Sapphire Rapids. Cooper Lake's and AMD's run at the full rate.
  bool isHalfRate = has("avx512fp16") && !tuneCpu.starts_with("znver");
  if (has("avx512bf16") && has("avx512vl") && !isHalfRate)
    cpu.bf16Product = WordProduct::Vdpbf16ps;
  cpu.i16Product = WordProduct::Vpmaddwd;
  bool isNarrow = cpu.vectorBits <= 256;
  if (isNarrow && has("avxvnniint8"))
    cpu.i8Product = WordProduct::Vpdpbssd;
  else if ((isNarrow && has("avxvnni")) ||
           (has("avx512vnni") && has("avx512vl")))
    cpu.i8Product = WordProduct::Vpdpbusd;
}

// What the option `vector_bits` asks for, within what the processor has. LLVM
// 19 would split wider vectors, but drops the mask of a half that no lane of a
// constant reaches: it loads that half of a masked load whole.
static unsigned vectorBitsFor(unsigned asked, unsigned widest) {
  return asked ? std::min(asked, widest) : widest;
}

static CpuModel describeX86(const llvm::TargetMachine &machine,
                            llvm::StringRef tuneCpu, unsigned vectorBits) {
  CpuModel cpu;
  auto has = [&](const char *feature) { return hasFeature(machine, feature); };
  bool hasAvx512 = has("avx512f");
  // LLVM implies its feature of 512-bit registers unless it is removed.
  bool has512Bits =
      hasAvx512 && !machine.getTargetFeatureString().contains("-evex512");
  unsigned widest = has512Bits && has("avx512vl") && has("avx512bw") ? 512
                    : has("avx2")                                    ? 256
                                                                     : 128;
  cpu.vectorBits = vectorBitsFor(vectorBits, widest);
  cpu.maskedBits = widest == 512 ? 8 : has("avx") ? 32 : 0;
  // AMD's gathers are microcode: on a Zen 4 they take from as long to five times
  // as long as loads of the lanes.
  cpu.hasGathers = has("avx2") && !tuneCpu.starts_with("znver");
  cpu.hasCheapMasks = cpu.vectorBits >= 512;
  cpu.vectorRegisters = cpu.vectorBits >= 512 ? 32 : 16;
  // More rows of sums would fit into 32 registers, but rows at multiples of a
  // page would have to be copied where a set of the first cache has eight lines.
  cpu.dotRows = cpu.vectorRegisters > 16 ? 8 : 6;
  cpu.hasWideSwaps = has("cx16");
  cpu.hasStreamingStores = true;
  cpu.hasFma = has("fma") || hasAvx512;
  cpu.hasScale = has512Bits && has("avx512vl");
  cpu.hasFraction = cpu.hasExtrema = cpu.hasScale && has("avx512dq");
  cpu.hasTables = cpu.vectorBits >= 512;
  cpu.hasF16Conversions = has("f16c") || hasAvx512;
  cpu.hasF16Arithmetic = has("avx512fp16");
  cpu.hasBf16Conversions = has("avx512bf16") && has("avx512vl");
  addWordProducts(cpu, machine, tuneCpu);
  cpu.hasBf16Tiles = has("amx-tile") && has("amx-bf16");
  cpu.hasI8Tiles = has("amx-tile") && has("amx-int8");
  cpu.hasPause = true;
  // The first cache of Intel's processors since Ice Lake has 48 KiB, and AMD's
  // since Zen 5.
  if (has("avx512vbmi2") && tuneCpu != "znver4") {
    cpu.setRows = 13;
    cpu.panelBytes = 32 << 10;
  }
  if (tuneCpu.starts_with("znver")) {
    cpu.lineBytes = 128;
    cpu.rowsAhead = 48;
  }
  // 4096 x 4096 f32 times a vector, in ms: on a Zen 3 4.6 with 8 rows at once,
  // 7.2 with 16 and 12 with 32, and no less with prefetches; on an Emerald
  // Rapids 3.1 to 6.1 with 8 or 32 rows, and 2.8 to 3.7 with prefetches of 8.
  cpu.rowStreams = 8;
  // A Zen 5 prefetches nothing for loads by a mask: from memory it read 14 GB/s
  // so, 38 by plain loads, and 43 by either with prefetches. On an Emerald
  // Rapids rows of kernels were read 6 % faster, swiglu by masks 1.6 times as
  // fast; on a Zen 3, which does as a Zen 5 does, layer norm by plain
  // loads 1.25 times as fast. 16 x 4096 x 4096 by `x @ w.T` was 1.2 times as
  // fast on the former with two prefetches of each line that is copied, and
  // 0.92 times on the latter.
  if (tuneCpu == "znver5") {
    cpu.readAhead = 8 << 10;
    cpu.prefetchesTwice = true;
  } else if (tuneCpu == "znver3") {
    cpu.readAhead = 4 << 10;
  } else if (has("avx512vbmi2") && !tuneCpu.starts_with("znver")) {
    cpu.readAhead = 2 << 10;
    cpu.pieceAhead = 512;
  }
  if (cpu.hasBf16Tiles || cpu.hasI8Tiles) {
    cpu.tilePanelBytes = 64 << 10;
    cpu.sharedDeferredBytes = 1 << 20;
  }
  return cpu;
}

static CpuModel describeAArch64(const llvm::TargetMachine &machine,
                                unsigned vectorBits) {
  CpuModel cpu;
  cpu.vectorBits = vectorBitsFor(vectorBits, cpu.vectorBits);
  cpu.vectorRegisters = 32;
  cpu.dotVectors = 4;
  cpu.hasF16Arithmetic = hasFeature(machine, "fullfp16");
  if (hasFeature(machine, "dotprod"))
    cpu.i8Product = WordProduct::Sdot;
  return cpu;
}

CpuModel describeCpu(const llvm::TargetMachine &machine,
                     llvm::StringRef tuneCpu, unsigned vectorBits) {
  if (!machine.getTargetTriple().isX86())
    return describeAArch64(machine, vectorBits);
  if (tuneCpu.empty())
    tuneCpu = machine.getTargetCPU();
  return describeX86(machine, tuneCpu, vectorBits);
}

codegen::ExpandOptions expandOptionsFor(const CpuModel &cpu) {
  codegen::ExpandOptions options;
  options.hasFma = cpu.hasFma;
  options.hasScale = options.hasExponents = cpu.hasScale;
  options.hasFraction = cpu.hasFraction;
  options.hasTables = cpu.hasTables;
  options.hasF16Conversions = cpu.hasF16Conversions;
  options.hasF16Arithmetic = cpu.hasF16Arithmetic;
  return options;
}

} // namespace nereid::cpu
