// TileRegisters.h - the tile registers of AMX.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_TILEREGISTERS_H
#define NEREID_CPU_COMPILER_EMIT_DOT_TILEREGISTERS_H

#include "emit/Emitter.h"

#include "llvm/IR/IntrinsicsX86.h"

namespace nereid::cpu {

inline constexpr int64_t kTileRows = 16, kTileRowBytes = 64; // at most
inline constexpr int64_t kTiles = 8;

struct TileSize {
  int64_t rows, rowBytes;
};

/// Emits LDTILECFG with the sizes of the first tile registers, which are used
/// until emitTileRelease().
void emitTileSizes(Emitter &emitter, llvm::ArrayRef<TileSize> sizes);
void emitTileRelease(Emitter &emitter);

/// Emit instructions; registers are numbers below kTiles, `row` the bytes from
/// one row in memory to the next.
void emitTileZero(Emitter &emitter, int64_t tile);
void emitTileLoad(Emitter &emitter, int64_t tile, llvm::Value *place,
                  llvm::Value *row);
void emitTileStore(Emitter &emitter, int64_t tile, llvm::Value *place,
                   llvm::Value *row);
/// Adds products of bf16, of two bytes, or of i8.
void emitTileProduct(Emitter &emitter, int64_t elementBytes, int64_t sums,
                     int64_t left, int64_t right);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_TILEREGISTERS_H
