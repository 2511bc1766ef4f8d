// TileRegisters.cpp - the instructions of AMX.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
// chapter 18.

#include "emit/dot/TileRegisters.h"

namespace nereid::cpu {

static void emitCall(Emitter &emitter, llvm::Intrinsic::ID id,
                     llvm::ArrayRef<llvm::Value *> operands) {
  emitter.builder.CreateIntrinsic(id, {}, operands);
}

/// What LDTILECFG reads: the palette, then bytes of a row (from byte 16) and
/// rows (from byte 48) of each register.
void emitTileSizes(Emitter &emitter, llvm::ArrayRef<TileSize> sizes) {
  uint8_t bytes[64] = {1};
  for (auto [tile, size] : llvm::enumerate(sizes)) {
    bytes[16 + 2 * tile] = uint8_t(size.rowBytes);
    bytes[48 + tile] = uint8_t(size.rows);
  }
  auto *data = llvm::ConstantDataArray::get(emitter.context(), bytes);
  auto *global = new llvm::GlobalVariable(
      emitter.module, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, data, "tiles");
  global->setAlignment(llvm::Align(64));
  emitCall(emitter, llvm::Intrinsic::x86_ldtilecfg, {global});
}

void emitTileRelease(Emitter &emitter) {
  emitCall(emitter, llvm::Intrinsic::x86_tilerelease, {});
}

void emitTileZero(Emitter &emitter, int64_t tile) {
  emitCall(emitter, llvm::Intrinsic::x86_tilezero,
           {emitter.builder.getInt8(tile)});
}

void emitTileLoad(Emitter &emitter, int64_t tile, llvm::Value *place,
                  llvm::Value *row) {
  emitCall(emitter, llvm::Intrinsic::x86_tileloadd64,
           {emitter.builder.getInt8(tile), place, row});
}

void emitTileStore(Emitter &emitter, int64_t tile, llvm::Value *place,
                   llvm::Value *row) {
  emitCall(emitter, llvm::Intrinsic::x86_tilestored64,
           {emitter.builder.getInt8(tile), place, row});
}

void emitTileProduct(Emitter &emitter, int64_t elementBytes, int64_t sums,
                     int64_t left, int64_t right) {
  llvm::IRBuilder<> &b = emitter.builder;
  emitCall(emitter,
           elementBytes == 2 ? llvm::Intrinsic::x86_tdpbf16ps
                             : llvm::Intrinsic::x86_tdpbssd,
           {b.getInt8(sums), b.getInt8(left), b.getInt8(right)});
}

} // namespace nereid::cpu
