// WordProducts.cpp - the intrinsics of instructions that add several products.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Dot.h"

#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace nereid::cpu {

namespace {
/// An intrinsic for vectors of 128, 256 and 512 bits.
struct Widths {
  llvm::Intrinsic::ID ids[3];

  llvm::Intrinsic::ID of(unsigned lanes) const { return ids[lanes / 8]; }
};
} // namespace

llvm::Value *emitWordProduct(llvm::IRBuilder<> &b, WordProduct product,
                             llvm::Value *left, llvm::Value *right,
                             llvm::Value *sums) {
  using namespace llvm::Intrinsic;
  unsigned lanes =
      llvm::cast<llvm::FixedVectorType>(sums->getType())->getNumElements();
  auto as = [&](llvm::Value *words, llvm::Type *element) {
    unsigned together = 32 / element->getPrimitiveSizeInBits();
    return b.CreateBitCast(
        words, llvm::FixedVectorType::get(element, lanes * together));
  };
  switch (product) {
  case WordProduct::None:
    break;
  case WordProduct::Vdpbf16ps: {
    Widths id{x86_avx512bf16_dpbf16ps_128, x86_avx512bf16_dpbf16ps_256,
              x86_avx512bf16_dpbf16ps_512};
    llvm::Type *bf16 = b.getBFloatTy();
    return b.CreateIntrinsic(id.of(lanes), {},
                             {sums, as(left, bf16), as(right, bf16)});
  }
  case WordProduct::Vpmaddwd: {
    Widths id{x86_sse2_pmadd_wd, x86_avx2_pmadd_wd, x86_avx512_pmaddw_d_512};
    llvm::Type *i16 = b.getInt16Ty();
    return b.CreateAdd(
        sums,
        b.CreateIntrinsic(id.of(lanes), {}, {as(left, i16), as(right, i16)}));
  }
  case WordProduct::Vpdpbusd: {
    Widths id{x86_avx512_vpdpbusd_128, x86_avx512_vpdpbusd_256,
              x86_avx512_vpdpbusd_512};
    return b.CreateIntrinsic(id.of(lanes), {}, {sums, right, left});
  }
  case WordProduct::Vpdpbssd: {
    Widths id{x86_avx2_vpdpbssd_128, x86_avx2_vpdpbssd_256, not_intrinsic};
    return b.CreateIntrinsic(id.of(lanes), {}, {sums, left, right});
  }
  case WordProduct::Sdot: {
    llvm::Value *bytes = as(left, b.getInt8Ty());
    return b.CreateIntrinsic(aarch64_neon_sdot,
                             {sums->getType(), bytes->getType()},
                             {sums, bytes, as(right, b.getInt8Ty())});
  }
  }
  llvm_unreachable("no product of words");
}

} // namespace nereid::cpu
