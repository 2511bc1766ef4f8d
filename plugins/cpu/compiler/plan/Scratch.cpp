// Scratch.cpp - allocates the buffers of a tile program in scratch: buffers
// whose live ranges do not overlap share bytes.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Reads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// Live ranges of buffers, over the steps of a program in text order.
class Lifetimes {
public:
  explicit Lifetimes(TileProgram &program) : program(program) {}

  struct Interval {
    unsigned first = 0, last = 0;
  };

  /// The live range of each buffer in a program that runs as a whole, first and
  /// last step included.
  llvm::DenseMap<const Buffer *, Interval> ofOneProgram() {
    Region &body = program.function.getBody();
    for (Block &block : body)
      visit(block);
    llvm::DenseMap<const Buffer *, Interval> result;
    for (auto &[buffer, places] : uses)
      result[buffer] = intervalOf(places);
    return result;
  }

  /// The steps of `loop`, after ofOneProgram().
  Interval stepsOf(Operation *loop) const { return loops.lookup(loop); }

  /// The live range of each buffer.
  llvm::DenseMap<const Buffer *, Interval> run() {
    auto result = ofOneProgram();
    // What is shared outlasts its program.
    for (auto &[loop, deferred] : program.deferredDots)
      if (deferred.shared)
        result[deferred.shared->buffer] = {0, ~0u};
    for (auto &[op, buffer] : program.heldSums)
      result[buffer] = {0, ~0u};
    if (program.joint)
      result[program.joint->sums] = {0, ~0u};
    if (program.turns) {
      for (const Buffer *buffer : program.turns->own)
        result[buffer] = {0, ~0u};
      for (const Buffer *buffer : program.turns->shared)
        result[buffer] = stepsOf(program.turns->loop);
    }
    return result;
  }

private:
  /// A step: the block that holds it, and the numbers of itself and of all
  /// steps inside it.
  struct Place {
    Block *block;
    unsigned first, last;
  };

  void use(const Buffer *buffer, unsigned place) {
    if (buffer && (uses[buffer].empty() || uses[buffer].back() != place))
      uses[buffer].push_back(place);
  }

  void use(Value value, unsigned place) {
    if (auto tile = program.carried.find(value);
        tile != program.carried.end()) {
      use(tile->second.current, place);
      use(tile->second.next, place);
    }
    use(program.materialized.lookup(value), place);
    use(program.passed.lookup(value), place);
  }

  void visitNest(const Nest &nest, unsigned place) {
    for (const Guard &guard : nest.guards) {
      guards[tt::LoadOp(guard.load).getResult()] = guard.buffer;
      use(guard.buffer, place);
    }
    for (const Deferral &deferral : nest.deferrals)
      use(deferral.buffer, place);
    for (const Inner &inner : nest.inners)
      for (const Root &root : inner.roots) {
        use(root.target, place);
        if (root.op)
          for (Value result : root.op->getResults())
            use(result, place);
        RootReads reads = readsOf(root, program);
        for (const TileRead &read : reads.materialized)
          use(read.value, place);
        for (const TileRead &read : reads.loads)
          use(guards.lookup(read.value), place);
      }
  }

  void useOperands(Operation *dot, unsigned place) {
    const DotPlan &plan = program.dots.at(dot);
    for (const DotOperand &operand : {plan.left, plan.right}) {
      use(operand.value, place);
      use(operand.packed, place);
    }
    use(plan.rowFactors, place);
    use(plan.leftTerms, place);
  }

  void visit(Block &block) {
    auto plan = program.blocks.find(&block);
    if (plan == program.blocks.end())
      return;
    for (const Step &step : plan->second.steps) {
      unsigned place = places.size();
      places.push_back({&block, place, place});
      if (step.kind == StepKind::Nest) {
        visitNest(*step.nest, place);
        continue;
      }
      for (Value operand : step.op->getOperands())
        use(operand, place);
      if (step.kind == StepKind::Dot)
        useOperands(step.op, place);
      // Operands that wait outlast their round.
      if (auto deferred = program.deferredDots.find(step.op);
          deferred != program.deferredDots.end())
        for (tt::DotOp dot : deferred->second.dots) {
          useOperands(dot, place);
          use(dot.getC(), place);
          use(deferred->second.rowTiles, place);
        }
      for (Value result : step.op->getResults())
        use(result, place);
      for (Region &region : step.op->getRegions())
        for (Block &inner : region) {
          // Arguments and results of a region live as long as the region.
          for (BlockArgument argument : inner.getArguments())
            use(argument, place);
          visit(inner);
        }
      places[place].last = places.size() - 1;
      loops[step.op] = {place, places[place].last};
    }
    // A terminator reads the values that it passes.
    for (Value operand : block.getTerminator()->getOperands())
      if (!places.empty())
        use(operand, places.size() - 1);
  }

  /// From the first to the last step of the innermost block that holds all
  /// uses; a use inside one of its steps counts as all of that step, because
  /// it may be a loop.
  Interval intervalOf(ArrayRef<unsigned> numbers) {
    Interval whole{0, unsigned(places.size() - 1)};
    Block *common = places[numbers.front()].block;
    auto enclosing = [&](unsigned number) -> std::optional<unsigned> {
      // The step of `common` that holds this one is the last at or before it.
      for (unsigned at = number + 1; at-- > 0;)
        if (places[at].block == common && places[at].last >= number)
          return at;
      return std::nullopt;
    };
    while (common) {
      Interval interval{~0u, 0};
      bool all = true;
      for (unsigned number : numbers) {
        std::optional<unsigned> step = enclosing(number);
        all &= step.has_value();
        if (!step)
          break;
        interval.first = std::min(interval.first, places[*step].first);
        interval.last = std::max(interval.last, places[*step].last);
      }
      if (all)
        return interval;
      Operation *parent = common->getParentOp();
      if (parent == program.function)
        return whole; // in several blocks of the function
      common = parent->getBlock();
    }
    return whole;
  }

  TileProgram &program;
  std::vector<Place> places;
  llvm::DenseMap<Operation *, Interval> loops;
  llvm::MapVector<const Buffer *, SmallVector<unsigned, 4>> uses;
  llvm::DenseMap<Value, const Buffer *> guards;
};
} // namespace

llvm::SetVector<Buffer *> buffersBetweenIterations(TileProgram &program,
                                                   scf::ForOp loop) {
  Lifetimes lifetimes(program);
  auto ranges = lifetimes.ofOneProgram();
  Lifetimes::Interval steps = lifetimes.stepsOf(loop);
  llvm::SetVector<Buffer *> found;
  for (auto &buffer : program.buffers) {
    auto range = ranges.find(buffer.get());
    if (range == ranges.end())
      continue;
    auto [first, last] = range->second;
    if ((first < steps.first && last >= steps.first) ||
        (first <= steps.last && last > steps.last))
      found.insert(buffer.get());
  }
  for (Value argument : loop.getRegionIterArgs()) {
    CarriedTile tile = program.carried.lookup(argument);
    for (Buffer *buffer : {tile.current, tile.next})
      if (buffer)
        found.insert(buffer);
  }
  return found;
}

static uint64_t bytesOf(const Buffer &buffer) {
  return llvm::alignTo(buffer.groupStride() * buffer.groups, kScratchAlign);
}

void placeBuffers(TileProgram &program) {
  auto lifetimes = Lifetimes(program).run();
  SmallVector<Buffer *> order;
  for (auto &buffer : program.buffers)
    if (lifetimes.contains(buffer.get()) && !buffer->isInRegisters)
      order.push_back(buffer.get());
  llvm::stable_sort(order, [](const Buffer *a, const Buffer *b) {
    return bytesOf(*a) > bytesOf(*b);
  });
  // Largest first, each at the lowest offset that no live buffer uses.
  SmallVector<Buffer *> done;
  for (Buffer *buffer : order) {
    auto time = lifetimes[buffer];
    SmallVector<std::pair<uint64_t, uint64_t>> taken;
    for (Buffer *other : done) {
      auto theirs = lifetimes[other];
      if (theirs.first <= time.last && time.first <= theirs.last)
        taken.push_back({other->offset, other->offset + bytesOf(*other)});
    }
    llvm::sort(taken);
    uint64_t offset = kScratchAlign; // the first line is for masked accesses
    for (auto [begin, end] : taken)
      if (offset + bytesOf(*buffer) > begin)
        offset = std::max(offset, end);
    buffer->offset = offset;
    program.scratchBytes =
        std::max(program.scratchBytes, offset + bytesOf(*buffer));
    done.push_back(buffer);
  }
}

} // namespace nereid::cpu
