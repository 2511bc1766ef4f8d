// ExchangePairs.cpp - sorting networks on two vectors at a time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ExchangePairs.h"

#include "backend/ExchangeStep.h"
#include "backend/Features.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <array>
#include <vector>

namespace nereid::cpu {

namespace {

/// Lane i of a vector is element `order[i]` of `first` and `second`, joined.
struct Permuted {
  llvm::Value *first = nullptr, *second = nullptr;
  llvm::SmallVector<int> order;
};

/// A step between the lanes of a vector whose indices differ in the bits of
/// `distance`.
struct InnerStep {
  ExchangeStep step;
  /// Is the vector the first operand of the comparison, not the second?
  bool ownIsFirst = false;
  int distance = 0;
  /// Which lanes take the other operand: one of each two partners.
  llvm::SmallVector<bool> mask;

  llvm::Value *own() const { return step.compare->getOperand(!ownIsFirst); }
};

/// Pairs the steps of a block.
class Pairing {
public:
  Pairing(const llvm::TargetMachine &machine) : machine(machine) {}

  void run(llvm::BasicBlock &block);

private:
  bool canPermute(llvm::Type *type) const;
  std::optional<InnerStep> innerStepOf(llvm::Instruction &instruction) const;
  /// By the number of such steps that come before, without others between.
  std::vector<std::vector<InnerStep>> stepsOf(llvm::BasicBlock &block) const;
  Permuted sourceOf(llvm::Value *value) const;
  void pair(InnerStep &one, InnerStep &two);

  const llvm::TargetMachine &machine;
  /// What the steps so far have become.
  llvm::DenseMap<llvm::Value *, Permuted> known;
  /// Nothing is erased before the end, so that no address means two values.
  llvm::SmallVector<llvm::WeakTrackingVH> replaced;
};

} // namespace

/// Can one instruction take any elements of two such vectors?
bool Pairing::canPermute(llvm::Type *type) const {
  unsigned bits = type->getScalarSizeInBits();
  return hasFeature(machine, bits >= 32   ? "avx512vl"
                             : bits == 16 ? "avx512bw"
                                          : "avx512vbmi");
}

std::optional<InnerStep>
Pairing::innerStepOf(llvm::Instruction &instruction) const {
  auto step = ExchangeStep::of(instruction, machine);
  auto *mask = step ? llvm::dyn_cast<llvm::Constant>(step->mask) : nullptr;
  if (!mask || !canPermute(instruction.getType()))
    return std::nullopt;
  InnerStep inner;
  inner.step = *step;
  auto isShuffled = [&](unsigned operand) {
    auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(
        step->compare->getOperand(operand));
    llvm::Value *own = step->compare->getOperand(!operand);
    return shuffle && shuffle->getOperand(0) == own &&
           shuffle->getType() == own->getType();
  };
  inner.ownIsFirst = isShuffled(1);
  if (!inner.ownIsFirst && !isShuffled(0))
    return std::nullopt;
  auto *shuffle = llvm::cast<llvm::ShuffleVectorInst>(
      step->compare->getOperand(inner.ownIsFirst));
  llvm::ArrayRef<int> order = shuffle->getShuffleMask();
  inner.distance = order.front();
  for (int lane = 0, lanes = order.size(); lane < lanes; ++lane) {
    llvm::Constant *bit = mask->getAggregateElement(lane);
    if (order[lane] != (lane ^ inner.distance) || order[lane] >= lanes ||
        !llvm::isa_and_nonnull<llvm::ConstantInt>(bit))
      return std::nullopt;
    inner.mask.push_back(bit->isOneValue());
  }
  for (int lane = 0, lanes = order.size(); lane < lanes; ++lane)
    if (inner.mask[lane] == inner.mask[lane ^ inner.distance])
      return std::nullopt;
  return inner;
}

/// `value` as what it is permuted from, or as itself.
Permuted Pairing::sourceOf(llvm::Value *value) const {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  return {value, nullptr, {}};
}

void Pairing::pair(InnerStep &one, InnerStep &two) {
  int lanes = one.mask.size();
  Permuted from[] = {sourceOf(one.own()), sourceOf(two.own())};
  if (!from[0].second) {
    for (int lane = 0; lane < 2 * lanes; ++lane)
      from[lane / lanes].order.push_back(lane);
    from[0].second = from[1].second = from[1].first;
    from[1].first = from[0].first;
  }
  // The pairs of the first vector are in the lanes of their lower elements,
  // those of the second in the lanes between.
  llvm::SmallVector<int> kept(lanes), others(lanes);
  Permuted to[2];
  for (auto [number, step] : llvm::enumerate(std::array{&one, &two})) {
    to[number].order.resize(lanes);
    for (int lane = 0; lane < lanes; ++lane) {
      if (step->mask[lane])
        continue;
      int partner = lane ^ step->distance;
      int place = number ? std::max(lane, partner) : std::min(lane, partner);
      kept[place] = from[number].order[lane];
      others[place] = from[number].order[partner];
      to[number].order[lane] = place;
      to[number].order[partner] = lanes + place;
    }
  }
  llvm::IRBuilder<> builder(one.step.select);
  llvm::Value *a =
      builder.CreateShuffleVector(from[0].first, from[0].second, kept);
  llvm::Value *b =
      builder.CreateShuffleVector(from[0].first, from[0].second, others);
  if (!one.ownIsFirst)
    std::swap(a, b);
  llvm::Value *first = one.step.choose(builder, a, b, false);
  llvm::Value *second = one.step.choose(builder, b, a, true);
  for (auto [number, step] : llvm::enumerate(std::array{&one, &two})) {
    to[number].first = first;
    to[number].second = second;
    llvm::Value *value =
        builder.CreateShuffleVector(first, second, to[number].order);
    step->step.select->replaceAllUsesWith(value);
    replaced.emplace_back(step->step.select);
    known[value] = to[number];
  }
}

std::vector<std::vector<InnerStep>>
Pairing::stepsOf(llvm::BasicBlock &block) const {
  std::vector<std::vector<InnerStep>> steps;
  llvm::DenseMap<llvm::Value *, unsigned> levels;
  for (llvm::Instruction &instruction : block)
    if (auto step = innerStepOf(instruction)) {
      auto before = levels.find(step->own());
      unsigned level = before == levels.end() ? 0 : before->second + 1;
      levels[&instruction] = level;
      steps.resize(std::max<size_t>(steps.size(), level + 1));
      steps[level].push_back(std::move(*step));
    }
  return steps;
}

/// Has `value` computed before `place`, if it may be: not if it depends on it.
static bool hoist(llvm::Value *value, llvm::Instruction &place) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || instruction->getParent() != place.getParent() ||
      instruction->comesBefore(&place))
    return true;
  if (instruction == &place)
    return false;
  // A load may move up unless memory changes, or the program ends, before it.
  auto between =
      llvm::make_range(place.getIterator(), instruction->getIterator());
  bool isLoad =
      instruction->mayReadFromMemory() && !instruction->mayHaveSideEffects() &&
      llvm::all_of(between, [](const llvm::Instruction &other) {
        return !other.mayWriteToMemory() &&
               llvm::isGuaranteedToTransferExecutionToSuccessor(&other);
      });
  if ((!isLoad && !llvm::isSafeToSpeculativelyExecute(instruction, &place)) ||
      !llvm::all_of(instruction->operands(), [&](llvm::Value *operand) {
        return hoist(operand, place);
      }))
    return false;
  instruction->moveBefore(&place);
  return true;
}

void Pairing::run(llvm::BasicBlock &block) {
  // Of the same vectors, if they are permuted already, and of the same kind.
  auto areAlike = [&](const InnerStep &one, const InnerStep &two) {
    const ExchangeStep &a = one.step, &b = two.step;
    bool sameOrder = (a.select->getTrueValue() == one.own()) ==
                     (b.select->getTrueValue() == two.own());
    Permuted from = sourceOf(one.own()), other = sourceOf(two.own());
    return a.select->getType() == b.select->getType() &&
           a.compare->getPredicate() == b.compare->getPredicate() &&
           one.distance == two.distance && one.ownIsFirst == two.ownIsFirst &&
           sameOrder && from.second == other.second &&
           (!from.second || from.first == other.first);
  };
  for (std::vector<InnerStep> &level : stepsOf(block)) {
    InnerStep *waiting = nullptr;
    for (InnerStep &step : level)
      if (waiting && areAlike(*waiting, step) &&
          waiting->step.select->comesBefore(step.step.select) &&
          hoist(step.own(), *waiting->step.select)) {
        pair(*waiting, step);
        waiting = nullptr;
      } else {
        waiting = &step;
      }
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

void pairExchanges(llvm::Module &module, const llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      Pairing(machine).run(block);
}

} // namespace nereid::cpu
