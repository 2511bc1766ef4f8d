// Matrices.cpp - plans products in cooperative matrices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Matrices.h"

#include "SharedMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;
using codegen::gpu::Distribution;
using codegen::gpu::ElementIndex;
using codegen::gpu::Layout;
using codegen::gpu::MatrixSource;
using codegen::gpu::Workgroup;
using spirv::Scalar;

// Shapes and sizes.

MatrixForm splitTile(uint32_t rows, uint32_t columns, const MatrixUnit &unit,
                     unsigned warpBits, uint32_t batches) {
  MatrixForm form = {rows, columns, unit.rows, unit.columns};
  for (unsigned bit = 0; bit < warpBits; ++bit) {
    uint32_t height = rows / form.warpRows, width = columns / form.warpColumns;
    bool canHalveRows = height > unit.rows,
         canHalveColumns = width > unit.columns;
    if (form.warpRows < batches)
      form.warpRows *= 2;
    else if (canHalveColumns && (width >= height || !canHalveRows))
      form.warpColumns *= 2;
    else if (canHalveRows)
      form.warpRows *= 2;
  }
  return form;
}

Bands bandsFor(const MatrixForm &form, unsigned bytes, unsigned sharedBytes) {
  Bands bands;
  bands.rowStride = paddedRow(form.columns * bytes);
  auto resize = [&] {
    bands.down = form.down() / bands.count;
    bands.bytes = form.rows / bands.count * bands.rowStride;
  };
  for (resize(); bands.bytes > sharedBytes / 2 && bands.down > 1; resize())
    bands.count *= 2;
  return bands;
}

Window Bands::window(const MatrixForm &form, uint32_t index) const {
  return {0, llvm::Log2_32(form.unitRows * down), llvm::Log2_32(count), index};
}

Window MatrixDot::window(unsigned dim, uint32_t first) const {
  return {dim, llvm::Log2_32(slice), llvm::Log2_32(depth / slice),
          first / slice};
}

uint32_t runLength(const Layout &layout, unsigned minor, uint32_t bytes,
                   const Window &window) {
  uint32_t step = minor == 1 ? 1 : layout.shape()[1];
  uint32_t copies = layout.copies().registerMask;
  unsigned most = llvm::Log2_32(16 / bytes), bit = 0;
  if (window.count && window.dim == minor)
    most = std::min(most, window.low);
  ArrayRef<ElementIndex> bases = layout.registerBases();
  while (bit < most && bit < bases.size() && bases[bit] == step << bit &&
         !(copies >> bit & 1))
    ++bit;
  return 1u << bit;
}

spirv::Scalar matrixScalar(Type type) {
  if (type.isF16())
    return Scalar::F16;
  if (type.isBF16())
    return Scalar::BFloat16;
  if (type.isF32())
    return Scalar::F32;
  if (type.isInteger(8))
    return Scalar::I8;
  if (type.isInteger(32))
    return Scalar::I32;
  return Scalar::None;
}

/// Sizes of what is staged in one round.
static void resize(MatrixDot &dot) {
  uint32_t bytes = spirv::bitsOf(dot.unit.operand) / 8;
  auto size = [&](MatrixFactor &factor, uint32_t rows, uint32_t columns) {
    uint32_t along[] = {columns * paddedRow(rows * bytes),
                        rows * paddedRow(columns * bytes)};
    factor.bytes =
        factor.minor ? along[*factor.minor] : std::max(along[0], along[1]);
  };
  size(dot.factors[0], dot.form.rows, dot.slice);
  size(dot.factors[1], dot.batches * dot.slice, dot.form.columns);
  dot.factors[1].start = dot.factors[0].bytes;
}

static std::optional<MatrixDot> planFor(const MatrixUnit &unit,
                                        ArrayRef<int64_t> sums, int64_t depth,
                                        const DeviceModel &device,
                                        Workgroup workgroup) {
  int64_t rows = sums[sums.size() - 2], columns = sums.back();
  if (rows < unit.rows || columns < unit.columns || depth < unit.depth)
    return std::nullopt;
  MatrixDot dot;
  dot.unit = unit;
  dot.batches = sums.size() == 3 ? sums.front() : 1;
  dot.form = splitTile(dot.batches * rows, columns, unit, workgroup.warpBits,
                       dot.batches);
  dot.depth = dot.slice = depth;
  for (resize(dot);
       dot.sharedBytes() > device.sharedBytes && dot.slice > unit.depth;
       resize(dot))
    dot.slice /= 2;
  // The sums must be able to leave their matrices.
  unsigned needed = std::max(dot.sharedBytes(),
                             bandsFor(dot.form, 4, device.sharedBytes).bytes);
  return needed <= device.sharedBytes ? std::optional(dot) : std::nullopt;
}

static std::optional<MatrixDot> planFor(Type factor, RankedTensorType sums,
                                        int64_t depth,
                                        const DeviceModel &device,
                                        Workgroup workgroup) {
  Scalar operand = matrixScalar(factor),
         sum = matrixScalar(sums.getElementType());
  std::optional<MatrixDot> best;
  for (const MatrixUnit &unit : device.matrices) {
    if (unit.operand != operand || unit.sum != sum)
      continue;
    // Fewer, larger instructions for the same sums.
    if (best && unit.products() <= best->unit.products())
      continue;
    if (auto dot = planFor(unit, sums.getShape(), depth, device, workgroup))
      best = dot;
  }
  return best;
}

bool isInMatrices(Type factor, RankedTensorType sums, int64_t depth,
                  const DeviceModel &device, Workgroup workgroup) {
  return planFor(factor, sums, depth, device, workgroup).has_value();
}

static int64_t depthOf(tt::DotOp dot) {
  return dot.getA().getType().getShape().back();
}

std::optional<MatrixDot> planMatrixDot(tt::DotOp dot, const DeviceModel &device,
                                       Workgroup workgroup) {
  Type left = getElementTypeOrSelf(dot.getA().getType());
  if (left != getElementTypeOrSelf(dot.getB().getType()))
    return std::nullopt;
  return planFor(left, dot.getType(), depthOf(dot), device, workgroup);
}

// The types of products.

static bool isFp8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// Types that have all values of both operands, the best one first.
static SmallVector<Type, 2> factorTypes(tt::DotOp dot) {
  Type left = getElementTypeOrSelf(dot.getA().getType()),
       right = getElementTypeOrSelf(dot.getB().getType());
  if (isFp8(left) && isFp8(right))
    return {Float16Type::get(dot.getContext()),
            BFloat16Type::get(dot.getContext())};
  if (left == right)
    return {left};
  return {};
}

Type matrixFactorType(tt::DotOp dot, const DeviceModel &device,
                      Workgroup workgroup) {
  for (Type factor : factorTypes(dot))
    if (isInMatrices(factor, dot.getType(), depthOf(dot), device, workgroup))
      return factor;
  return {};
}

std::string whyNotInMatrices(tt::DotOp dot, const DeviceModel &device) {
  SmallVector<Type, 2> factors = factorTypes(dot);
  if (factors.empty())
    return "operands of different types";
  RankedTensorType sums = dot.getType();
  std::string types;
  llvm::raw_string_ostream stream(types);
  bool isTf32 = factors.front().isF32() &&
                dot.getInputPrecision() == tt::InputPrecision::TF32;
  if (isTf32)
    stream << "tf32";
  else
    stream << factors.front();
  stream << " to " << sums.getElementType();
  bool isKnown = false, isSmall = true;
  for (const MatrixUnit &unit : device.matrices)
    for (Type factor : factors) {
      if (unit.operand != matrixScalar(factor) ||
          unit.sum != matrixScalar(sums.getElementType()))
        continue;
      isKnown = true;
      isSmall &= sums.getShape().end()[-2] < unit.rows ||
                 sums.getShape().back() < unit.columns ||
                 depthOf(dot) < unit.depth;
    }
  if (!isKnown)
    return "no matrices of " + types;
  return (isSmall ? "smaller than matrices of "
                  : "too little shared memory for matrices of ") +
         types;
}

// Tiles that stay in matrices.

class MatrixPlanner {
public:
  MatrixPlanner(const DeviceModel &device, Workgroup workgroup)
      : device(device), workgroup(workgroup) {}

  MatrixPlan run(tt::FuncOp kernel);

private:
  const MatrixForm *formOf(Value tile) const { return plan.formOf(tile); }
  void hold(Value tile, const MatrixForm &form);
  /// True if `value` becomes the sums that a product starts with, perhaps
  /// after operations on matrices.
  bool leadsToSums(Value value, unsigned depth = 0);
  bool isOnMatrices(Operation *op) const;
  bool isConversion(Operation *op, const MatrixForm &form) const;
  bool visitElements(Operation *op);
  bool visitLoop(scf::ForOp loop);
  bool visitBranch(scf::IfOp branch);
  void storeDirectly(tt::DotOp dot);

  const DeviceModel &device;
  const Workgroup workgroup;
  MatrixPlan plan;
};

void MatrixPlanner::hold(Value tile, const MatrixForm &form) {
  plan.forms.insert({tile, form});
  plan.held.hold(tile);
}

/// Operations that SPIR-V has for matrices of equal types.
bool MatrixPlanner::isOnMatrices(Operation *op) const {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::AddIOp>(op);
}

bool MatrixPlanner::isConversion(Operation *op, const MatrixForm &form) const {
  if (!isa<arith::TruncFOp>(op))
    return false;
  Scalar to = matrixScalar(getElementTypeOrSelf(op->getResult(0)));
  return llvm::any_of(device.matrices, [&](const MatrixUnit &unit) {
    return unit.sum == to && unit.rows == form.unitRows &&
           unit.columns == form.unitColumns;
  });
}

bool MatrixPlanner::leadsToSums(Value value, unsigned depth) {
  if (depth > 8)
    return false;
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tt::DotOp>(user))
      return use.getOperandNumber() == 2 && plan.find(user);
    if (isa<scf::YieldOp>(user)) {
      Operation *parent = user->getParentOp();
      unsigned number = use.getOperandNumber();
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        return formOf(loop.getRegionIterArg(number)) != nullptr;
      return isa<scf::IfOp>(parent) &&
             leadsToSums(parent->getResult(number), depth + 1);
    }
    if (auto loop = dyn_cast<scf::ForOp>(user))
      return use.getOperandNumber() >= loop.getNumControlOperands() &&
             leadsToSums(loop.getRegionIterArg(use.getOperandNumber() -
                                               loop.getNumControlOperands()),
                         depth + 1);
    return isOnMatrices(user) && leadsToSums(user->getResult(0), depth + 1);
  });
}

bool MatrixPlanner::visitElements(Operation *op) {
  if (op->getNumResults() != 1 || !tileType(op->getResult(0)) ||
      formOf(op->getResult(0)))
    return false;
  const MatrixForm *form = nullptr;
  for (Value operand : op->getOperands())
    if (const MatrixForm *own = formOf(operand))
      form = own;
  if (!form)
    return false;
  if (isConversion(op, *form)) {
    // Half as much goes through shared memory.
    if (!op->getOperand(0).hasOneUse())
      return false;
  } else if (!isOnMatrices(op) || !leadsToSums(op->getResult(0))) {
    return false;
  }
  for (Value operand : op->getOperands()) {
    const MatrixForm *own = formOf(operand);
    if (own && !(*own == *form))
      return false;
    if (plan.held.sourceOf(operand).kind == MatrixSource::Tile)
      return false;
  }
  hold(op->getResult(0), MatrixForm(*form));
  return true;
}

/// What a loop carries from one product to the next.
bool MatrixPlanner::visitLoop(scf::ForOp loop) {
  bool changed = false;
  auto *yield = loop.getBody()->getTerminator();
  for (auto [argument, result, value] : llvm::zip(
           loop.getRegionIterArgs(), loop.getResults(), yield->getOperands())) {
    const MatrixForm *form = formOf(value);
    if (!form || formOf(argument) || !leadsToSums(argument))
      continue;
    MatrixForm copy = *form;
    hold(argument, copy);
    hold(result, copy);
    changed = true;
  }
  return changed;
}

bool MatrixPlanner::visitBranch(scf::IfOp branch) {
  if (!branch.elseBlock())
    return false;
  bool changed = false;
  for (auto [result, x, y] :
       llvm::zip(branch.getResults(), branch.thenYield().getResults(),
                 branch.elseYield().getResults())) {
    const MatrixForm *form = formOf(x) ? formOf(x) : formOf(y);
    if (!form || formOf(result) || !leadsToSums(result))
      continue;
    hold(result, MatrixForm(*form));
    changed = true;
  }
  return changed;
}

/// An operand that is in matrices already and has the type of the product goes
/// to shared memory from there.
void MatrixPlanner::storeDirectly(tt::DotOp op) {
  const MatrixDot &dot = *plan.find(op);
  for (OpOperand &use : op->getOpOperands().take_front(2)) {
    Value tile = use.get();
    if (formOf(tile) && dot.slice == dot.depth &&
        matrixScalar(tileType(tile).getElementType()) == dot.unit.operand)
      plan.held.storeDirectly(use);
  }
}

MatrixPlan MatrixPlanner::run(tt::FuncOp kernel) {
  kernel.walk([&](tt::DotOp op) {
    if (auto dot = planMatrixDot(op, device, workgroup)) {
      plan.dots.insert({op, *dot});
      hold(op.getResult(), dot->form);
    }
  });
  if (plan.empty())
    return std::move(plan);
  bool changed = true;
  while (changed) {
    changed = false;
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        changed |= visitLoop(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        changed |= visitBranch(branch);
      else if (!isa<tt::DotOp>(op))
        changed |= visitElements(op);
    });
  }
  for (auto &[op, dot] : plan.dots)
    storeDirectly(cast<tt::DotOp>(op));
  return std::move(plan);
}

MatrixPlan planMatrices(tt::FuncOp kernel, const DeviceModel &device,
                        Workgroup workgroup) {
  return MatrixPlanner(device, workgroup).run(kernel);
}

// The plan.

const MatrixDot *MatrixPlan::find(Operation *dot) const {
  auto found = dots.find(dot);
  return found == dots.end() ? nullptr : &found->second;
}

SmallVector<MatrixUnit> MatrixPlan::units() const {
  SmallVector<MatrixUnit> units;
  for (const auto &[op, dot] : dots)
    if (!llvm::is_contained(units, dot.unit))
      units.push_back(dot.unit);
  return units;
}

const MatrixForm *MatrixPlan::formOf(Value tile) const {
  auto found = forms.find(tile);
  return found == forms.end() ? nullptr : &found->second;
}

static unsigned bytesOf(Value tile) {
  return tileType(tile).getElementType().getIntOrFloatBitWidth() / 8;
}

/// What enters the matrices of `tile`: the sums that a product starts with, or
/// what a loop or a branch carries.
static SmallVector<Value, 2> entering(Value tile) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return {loop.getTiedLoopInit(argument)->get(),
            loop.getTiedLoopYieldedValue(argument)->get()};
  }
  auto result = cast<OpResult>(tile);
  if (auto dot = dyn_cast<tt::DotOp>(result.getOwner()))
    return {dot.getC()};
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return {branch.thenYield().getOperand(result.getResultNumber()),
            branch.elseYield().getOperand(result.getResultNumber())};
  return {};
}

unsigned MatrixPlan::heldBytes(Value tile, const Distribution &layouts,
                               const DeviceModel &device) const {
  const MatrixForm &form = *formOf(tile);
  unsigned bands = bandsFor(form, bytesOf(tile), device.sharedBytes).bytes;
  // A row or a column that is repeated.
  unsigned needed = std::max(form.rows, form.columns) * 4;
  if (!layouts.variantsOf(tile).empty())
    needed = std::max(needed, bands);
  for (Value value : entering(tile))
    if (held.sourceOf(value).kind == MatrixSource::Tile)
      needed = std::max(needed, bands);
  return needed;
}

unsigned MatrixPlan::sharedBytes(const Distribution &layouts,
                                 const DeviceModel &device) const {
  unsigned needed = 0;
  for (auto &[op, dot] : dots)
    needed = std::max(needed, dot.sharedBytes());
  for (auto &[tile, form] : forms)
    needed = std::max(needed, heldBytes(tile, layouts, device));
  return needed;
}

bool MatrixPlan::hasTwoBuffers(Operation *loop) const {
  return llvm::any_of(dots, [&](const auto &entry) {
    const MatrixDot &dot = entry.second;
    return entry.first->getParentOp() == loop && !dot.alternates &&
           (dot.factors[0].buffers > 1 || dot.factors[1].buffers > 1);
  });
}

bool MatrixPlan::hasRoundsInTurn(Operation *loop) const {
  return llvm::any_of(dots, [&](const auto &entry) {
    return entry.first->getParentOp() == loop && entry.second.alternates;
  });
}

/// Rows go the way in which threads hold neighbors.
static void chooseRows(Operation *op, MatrixDot &dot,
                       const Distribution &layouts,
                       const codegen::gpu::MatrixTiles &held) {
  for (unsigned side : {0, 1}) {
    OpOperand &operand = op->getOpOperand(side);
    unsigned &minor = dot.factors[side].minor.emplace(1);
    if (held.isStoredDirectly(operand))
      continue;
    Layout layout = layouts.operandLayout(operand, nullptr).stacked();
    uint32_t bytes = bytesOf(operand.get());
    Window window = dot.window(side == 0 ? 1 : 0, 0);
    if (runLength(layout, 0, bytes, window) >
        runLength(layout, 1, bytes, window))
      minor = 0;
  }
}

void MatrixPlan::placeOperands(tt::FuncOp kernel, const Distribution &layouts,
                               Workgroup workgroup, const DeviceModel &device) {
  for (auto &[op, dot] : dots) {
    auto setSlice = [&, &op = op, &dot = dot](uint32_t slice) {
      dot.slice = slice;
      chooseRows(op, dot, layouts, held);
      resize(dot);
    };
    setSlice(dot.depth);
    while (dot.sharedBytes() > device.sharedBytes && dot.slice > dot.unit.depth)
      setSlice(dot.slice / 2);
  }
  // Rounds that are short enough take turns with two buffers.
  auto alternate = [&](Operation *op, MatrixDot &dot, uint32_t start) {
    MatrixDot turns = dot;
    auto needed = [&] {
      return start + 2 * (turns.factors[0].bytes + turns.factors[1].bytes);
    };
    while (needed() > device.sharedBytes) {
      if (turns.slice == turns.unit.depth)
        return;
      turns.slice /= 2;
      chooseRows(op, turns, layouts, held);
      resize(turns);
    }
    turns.alternates = turns.isPrivate = true;
    for (MatrixFactor &factor : turns.factors) {
      factor.buffers = 2;
      factor.start = start;
      start = factor.end();
    }
    dot = turns;
  };
  auto place = [&](scf::ForOp loop) {
    SmallVector<std::pair<Operation *, MatrixDot *>> own;
    auto isInvariant = [&](Operation *op, unsigned side) {
      return loop.isDefinedOutsideOfLoop(op->getOperand(side));
    };
    bool isAlone = true;
    // What else uses shared memory in the loop.
    unsigned start = 0;
    auto use = [&](unsigned bytes) { start = std::max(start, bytes); };
    auto useHeld = [&](ValueRange tiles) {
      for (Value tile : tiles)
        if (formOf(tile))
          use(heldBytes(tile, layouts, device));
    };
    useHeld(loop.getRegionIterArgs());
    use(exchangeBytes(loop.getRegionIterArgs(), layouts, workgroup, device));
    loop.getBody()->walk([&](Operation *op) {
      auto found = dots.find(op);
      useHeld(op->getResults());
      for (Region &region : op->getRegions())
        useHeld(region.getArguments());
      if (found == dots.end()) {
        isAlone &= !isa<tt::DotOp>(op);
        use(exchangeBytes(op, layouts, workgroup, device));
      } else if (op->getBlock() != loop.getBody()) {
        use(found->second.sharedBytes());
      } else {
        own.push_back({op, &found->second});
      }
    });
    if (!isAlone)
      return;
    bool hasRounds = llvm::any_of(own, [](auto &entry) {
      return entry.second->slice < entry.second->depth;
    });
    if (hasRounds) {
      if (own.size() == 1)
        alternate(own[0].first, *own[0].second, llvm::alignTo(start, 16));
      return;
    }
    // The most that fits: two buffers of what the loop changes, one, or none
    // that is private.
    unsigned shared = 0;
    for (auto [op, dot] : own) {
      unsigned changing = 0;
      for (unsigned side : {0, 1})
        if (!isInvariant(op, side))
          changing += dot->factors[side].bytes;
      shared = std::max(shared, changing);
    }
    auto total = [&](unsigned buffers) {
      unsigned sum =
          llvm::alignTo(buffers ? start : std::max(start, shared), 16);
      for (auto [op, dot] : own)
        for (unsigned side : {0, 1})
          sum +=
              dot->factors[side].bytes * (isInvariant(op, side) ? 1 : buffers);
      return sum;
    };
    unsigned buffers = 2;
    while (buffers && total(buffers) > device.sharedBytes)
      --buffers;
    if (total(buffers) > device.sharedBytes)
      return;
    unsigned next =
        llvm::alignTo(buffers ? start : std::max(start, shared), 16);
    for (auto [op, dot] : own) {
      dot->isPrivate = buffers > 0;
      for (unsigned side : {0, 1}) {
        MatrixFactor &factor = dot->factors[side];
        factor.isInvariant = isInvariant(op, side);
        if (!factor.isInvariant && !buffers) {
          if (dot->factors[0].isInvariant)
            factor.start = 0;
          continue;
        }
        factor.start = next;
        factor.buffers = factor.isInvariant ? 1 : buffers;
        next = factor.end();
      }
    }
  };
  // Inner loops first.
  kernel.walk([&](scf::ForOp loop) { place(loop); });
}

void MatrixPlan::print(llvm::raw_ostream &stream, AsmState &names) const {
  for (auto &[op, dot] : dots) {
    stream << "dot ";
    op->getResult(0).printAsOperand(stream, names);
    stream << ": matrices " << dot.unit.rows << 'x' << dot.unit.columns << 'x'
           << dot.unit.depth << ' ' << spirv::nameOf(dot.unit.operand) << " to "
           << spirv::nameOf(dot.unit.sum) << ", ";
    if (dot.batches > 1)
      stream << dot.batches << " batches, ";
    stream << dot.form.warpRows << 'x' << dot.form.warpColumns
           << " subgroups of " << dot.form.down() << 'x' << dot.form.across()
           << ", depth " << dot.slice << " of " << dot.depth << ", at "
           << dot.factors[0].start << " and " << dot.factors[1].start
           << " of shared memory";
    for (unsigned side : {0, 1}) {
      const MatrixFactor &factor = dot.factors[side];
      if (dot.isPrivate || factor.isInvariant)
        stream << (side ? ", right " : ", left ")
               << (factor.isInvariant   ? "before the loop"
                   : factor.buffers > 1 ? "in turn"
                                        : "early");
    }
    stream << '\n';
  }
}

} // namespace nereid::vulkan
