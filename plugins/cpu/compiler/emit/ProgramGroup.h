// ProgramGroup.h - successive programs of a call that run side by side.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_PROGRAMGROUP_H
#define NEREID_CPU_COMPILER_EMIT_PROGRAMGROUP_H

#include "emit/BodyEmitter.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace nereid::cpu {

using ProgramIds = llvm::SmallVector<llvm::Value *, 3>;
/// The ids of the program after the one with some ids.
using NextIds = llvm::function_ref<ProgramIds(const ProgramIds &)>;

/// Emits what some programs, at most `most`, share: each part of the function,
/// a loop and what is before and after it, runs for all of them before the next
/// part does. What a part passes on is in memory, for each program; scalars
/// that are computed before the loop are computed again.
class ProgramGroup {
protected:
  ProgramGroup(Emitter &emitter, mlir::scf::ForOp loop, uint64_t most)
      : emitter(emitter), b(emitter.builder), loop(loop), most(most),
        blocks(blocksInOrder(emitter.program.function)),
        block(*loop->getBlock()),
        steps(emitter.program.blocks.at(&block).steps),
        before(llvm::find_if(
                   steps, [&](const Step &step) { return step.op == loop; }) -
               steps.begin()) {
    assert(blocks.back() == &block && "a program returns after the loop");
  }

  /// A value of each program.
  struct Place {
    llvm::Type *type = nullptr;
    llvm::AllocaInst *values = nullptr;
    llvm::Value *at(llvm::IRBuilder<> &b, llvm::Value *program) const {
      return b.CreateGEP(type, values, program);
    }
  };

  Place makePlace(llvm::Type *type, const char *name) {
    return {type, emitter.allocate(llvm::ArrayType::get(type, most), name)};
  }
  llvm::Value *load(const Place &place, llvm::Value *program) {
    return b.CreateLoad(place.type, place.at(b, program));
  }
  void store(llvm::Value *value, const Place &place, llvm::Value *program) {
    b.CreateStore(value, place.at(b, program));
  }

  void makePlaces(const ProgramIds &ids) {
    for (mlir::Block *each : blocks)
      for (const Step &step : stepsBefore(each))
        if (step.kind == StepKind::Op && mlir::isa<tt::LoadOp>(step.op))
          loadPlaces[step.op] =
              makePlace(emitter.typeOf(step.op->getResult(0)), "loaded");
    for (llvm::Value *id : ids)
      idPlaces.push_back(makePlace(id->getType(), "ids"));
    for (mlir::Value argument : loop.getRegionIterArgs())
      if (!isTile(argument))
        carriedPlaces.push_back(makePlace(emitter.typeOf(argument), "carried"));
  }

  /// Those of `values` that are in carriedPlaces: one for each scalar.
  static llvm::SmallVector<mlir::Value> scalarsOf(mlir::ValueRange values) {
    return llvm::to_vector(llvm::make_filter_range(
        values, [](mlir::Value value) { return !isTile(value); }));
  }

  void storeIds(llvm::ArrayRef<llvm::Value *> ids, llvm::Value *program) {
    for (auto [place, id] : llvm::zip(idPlaces, ids))
      store(id, place, program);
  }
  void loadIds(llvm::Value *program) {
    for (auto [axis, place] : llvm::enumerate(idPlaces))
      emitter.programIds[axis] = load(place, program);
  }

  void storeScalars(mlir::ValueRange values, llvm::Value *program) {
    for (auto [value, place] : llvm::zip(scalarsOf(values), carriedPlaces))
      store(emitter.scalar(value), place, program);
  }
  llvm::SmallVector<llvm::Value *, 4> loadCarried(llvm::Value *program) {
    llvm::SmallVector<llvm::Value *, 4> values;
    for (const Place &place : carriedPlaces)
      values.push_back(load(place, program));
    return values;
  }
  void loadScalars(mlir::ValueRange values, llvm::Value *program) {
    for (auto [value, now] : llvm::zip(scalarsOf(values), loadCarried(program)))
      emitter.scalars[value] = now;
  }

  /// Can a program return before the loop?
  bool returnsEarly() const { return blocks.size() > 1; }

  /// Emits the scalars that are computed before the loop. Those that are loaded
  /// are stored for `program`. Goes to `returned` if it returns early.
  void emitFirstScalars(llvm::Value *program, llvm::BasicBlock *returned) {
    for (mlir::Block *each : blocks) {
      for (const Step &step : stepsBefore(each))
        if (step.kind == StepKind::Op) {
          BodyEmitter(emitter, nullptr).emitSteps(*each, step);
          if (auto place = loadPlaces.find(step.op); place != loadPlaces.end())
            store(emitter.scalar(step.op->getResult(0)), place->second,
                  program);
        }
      auto branch =
          mlir::dyn_cast<mlir::cf::CondBranchOp>(each->getTerminator());
      if (!branch)
        continue;
      auto *next = llvm::BasicBlock::Create(emitter.context(), "goes.on",
                                            emitter.function);
      bool goesOn = llvm::is_contained(blocks, branch.getTrueDest());
      b.CreateCondBr(emitter.scalar(branch.getCondition()),
                     goesOn ? next : returned, goesOn ? returned : next);
      b.SetInsertPoint(next);
    }
  }
  /// Emits what is computed before the loop, but for loaded scalars: those of
  /// `program` are found again.
  void emitBefore(llvm::Value *program, bool onlyScalars = false) {
    for (mlir::Block *each : blocks)
      for (const Step &step : stepsBefore(each))
        if (auto place = loadPlaces.find(step.op); place != loadPlaces.end())
          emitter.scalars[step.op->getResult(0)] = load(place->second, program);
        else if (step.kind == StepKind::Op || !onlyScalars)
          BodyEmitter(emitter, nullptr).emitSteps(*each, step);
  }
  void emitScalarsBefore(llvm::Value *program) {
    emitBefore(program, /*onlyScalars=*/true);
  }

  /// The steps of one of `blocks` that precede the loop.
  llvm::ArrayRef<Step> stepsBefore(mlir::Block *each) const {
    return each == &block ? steps.take_front(before)
                          : emitter.program.blocks.at(each).steps;
  }

  /// Emits what follows the loop, whose results are known.
  void emitAfter() {
    auto *next = llvm::BasicBlock::Create(emitter.context(), "returned",
                                          emitter.function);
    BodyEmitter body(emitter, next);
    body.emitSteps(block, steps.drop_front(before + 1));
    body.emitTerminator(block.getTerminator());
    b.SetInsertPoint(next);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  mlir::scf::ForOp loop;
  uint64_t most;
  llvm::SmallVector<mlir::Block *, 2> blocks; // of the function, in order
  mlir::Block &block;                         // of the loop, the last one
  llvm::ArrayRef<Step> steps;                 // of that block
  size_t before; // so many of them precede the loop
  llvm::SmallVector<Place, 3> idPlaces;
  llvm::SmallVector<Place, 2> carriedPlaces; // of scalars
  /// Of scalars that are loaded before the loop.
  llvm::DenseMap<mlir::Operation *, Place> loadPlaces;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_PROGRAMGROUP_H
