// Matrices.h - which products use cooperative matrices, and how.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile of a product's sums is a grid of matrices, and each subgroup holds a
// block of it. The batches of a tile of rank 3 are stacked: its last dimension
// has the columns, all others together the rows. Operands go through shared
// memory, in rows that are padded against bank conflicts, and so does a tile
// that leaves its matrices.

#ifndef NEREID_VULKAN_COMPILER_MATRICES_H
#define NEREID_VULKAN_COMPILER_MATRICES_H

#include "DeviceModel.h"
#include "gpu/Distribution.h"

#include "llvm/ADT/MapVector.h"

namespace nereid::vulkan {

/// How a tile of sums is spread over subgroups. All sizes are powers of two.
struct MatrixForm {
  uint32_t rows = 0, columns = 0;         ///< of the tile
  uint32_t unitRows = 0, unitColumns = 0; ///< of a matrix
  uint32_t warpRows = 1, warpColumns = 1; ///< subgroups down and across

  /// Matrices of a subgroup down and across. They are numbered row by row.
  uint32_t down() const { return rows / unitRows / warpRows; }
  uint32_t across() const { return columns / unitColumns / warpColumns; }
  uint32_t matrices() const { return down() * across(); }
  /// Subgroups beyond these hold copies.
  uint32_t warps() const { return warpRows * warpColumns; }

  bool operator==(const MatrixForm &other) const = default;
};

/// The type of components for elements of `type`; None if matrices have none.
spirv::Scalar matrixScalar(mlir::Type type);

/// Different batches for each subgroup as long as there are any, since these
/// share no operands, then as square blocks as possible. `rows` are those of
/// all batches.
MatrixForm splitTile(uint32_t rows, uint32_t columns, const MatrixUnit &unit,
                     unsigned warpBits, uint32_t batches = 1);

/// The part of a tile that is in shared memory at once: where bits
/// [low, low + count) of the coordinate along `dim` are `index`. The other bits
/// move together.
struct Window {
  unsigned dim = 0, low = 0, count = 0;
  uint32_t index = 0;

  uint32_t mask() const { return ((1u << count) - 1) << low; }
  bool contains(uint32_t coordinate) const {
    return (coordinate & mask()) >> low == index;
  }
  /// The coordinate inside the window.
  uint32_t compact(uint32_t coordinate) const {
    uint32_t below = (1u << low) - 1;
    return (coordinate & below) | (coordinate >> count & ~below);
  }
};

/// How many neighbors along dimension `minor`, at most 16 bytes, `layout` has
/// in consecutive registers. It has two dimensions, and `bytes` are an
/// element's.
uint32_t runLength(const codegen::gpu::Layout &layout, unsigned minor,
                   uint32_t bytes, const Window &window);

/// Bytes from one row to the next, for rows of `bytes`. The padding puts 8 rows
/// of 16 bytes into different banks, and keeps rows aligned.
constexpr uint32_t paddedRow(uint32_t bytes) {
  return (bytes + 15) / 16 * 16 + 16;
}

/// The bands in which a tile with elements of `bytes` enters or leaves its
/// matrices: of each subgroup as many rows of matrices as fit into half of the
/// shared memory, so that operands have room beside them.
struct Bands {
  uint32_t count = 1;
  uint32_t down = 1;      ///< matrices of a subgroup in a band
  uint32_t rowStride = 0; ///< bytes
  uint32_t bytes = 0;

  Window window(const MatrixForm &form, uint32_t index) const;
};
Bands bandsFor(const MatrixForm &form, unsigned bytes, unsigned sharedBytes);

/// Where an operand of a product is in shared memory, in bytes.
struct MatrixFactor {
  uint32_t start = 0;
  uint32_t bytes = 0; ///< of each buffer
  /// The dimension along its rows. None before layouts are known: `bytes` are
  /// enough for both.
  std::optional<unsigned> minor;
  uint32_t buffers = 1; ///< that iterations, or rounds, use in turn
  /// It is stored once, before the loop.
  bool isInvariant = false;

  uint32_t end() const { return start + buffers * bytes; }
};

/// A product in matrices.
struct MatrixDot {
  MatrixUnit unit;
  MatrixForm form;
  uint32_t batches = 1;
  uint32_t depth = 0, slice = 0; ///< all of it, and as much as is staged
  MatrixFactor factors[2];       ///< the left and the right operand
  /// Nothing else in the loop around it uses the memory of its operands.
  bool isPrivate = false;
  /// It has two buffers, and an even number of rounds that use them in turn.
  bool alternates = false;

  uint32_t batchRows() const { return form.rows / batches; }
  uint32_t sharedBytes() const {
    return std::max(factors[0].end(), factors[1].end());
  }
  Window window(unsigned dim, uint32_t first) const;
};

/// Whether a product of these types is computed in matrices. `sums` is the type
/// of its tile of sums.
bool isInMatrices(mlir::Type factor, mlir::RankedTensorType sums, int64_t depth,
                  const DeviceModel &device, codegen::gpu::Workgroup workgroup);

/// The type in which matrices multiply the operands of `dot`: their own, or one
/// that has all values of 8-bit floats. Null if it is computed otherwise.
mlir::Type matrixFactorType(tt::DotOp dot, const DeviceModel &device,
                            codegen::gpu::Workgroup workgroup);
/// In words, if it is null.
std::string whyNotInMatrices(tt::DotOp dot, const DeviceModel &device);

/// None if the product is computed otherwise: the device has no fitting shape
/// of these types.
std::optional<MatrixDot> planMatrixDot(tt::DotOp dot, const DeviceModel &device,
                                       codegen::gpu::Workgroup workgroup);

/// The products of a kernel in matrices, and the tiles that stay in matrices
/// between them.
class MatrixPlan {
public:
  const MatrixDot *find(mlir::Operation *dot) const;
  bool empty() const { return dots.empty(); }
  /// The shapes of all products, each once.
  llvm::SmallVector<MatrixUnit> units() const;
  /// Null if `tile` is not held in matrices.
  const MatrixForm *formOf(mlir::Value tile) const;
  const codegen::gpu::MatrixTiles &tiles() const { return held; }

  /// Places operands as `layouts` hold them. Those in loops get memory of their
  /// own, twice where it fits: threads need not wait until all have read what
  /// they write over.
  void placeOperands(tt::FuncOp kernel,
                     const codegen::gpu::Distribution &layouts,
                     codegen::gpu::Workgroup workgroup,
                     const DeviceModel &device);
  /// Does a product alternate between two buffers in each iteration of `loop`?
  bool hasRoundsInTurn(mlir::Operation *loop) const;
  /// Does a product have two buffers whose iterations are those of `loop`?
  bool hasTwoBuffers(mlir::Operation *loop) const;
  /// Shared memory that products and conversions use.
  unsigned sharedBytes(const codegen::gpu::Distribution &layouts,
                       const DeviceModel &device) const;
  /// A line for each product.
  void print(llvm::raw_ostream &stream, mlir::AsmState &names) const;

private:
  friend class MatrixPlanner;

  /// That a tile needs which enters or leaves matrices.
  unsigned heldBytes(mlir::Value tile,
                     const codegen::gpu::Distribution &layouts,
                     const DeviceModel &device) const;

  llvm::MapVector<mlir::Operation *, MatrixDot> dots;
  llvm::MapVector<mlir::Value, MatrixForm> forms;
  codegen::gpu::MatrixTiles held;
};

/// Of a kernel whose products have the types that planMatrixDot() wants.
MatrixPlan planMatrices(tt::FuncOp kernel, const DeviceModel &device,
                        codegen::gpu::Workgroup workgroup);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_MATRICES_H
