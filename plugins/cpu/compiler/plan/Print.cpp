// Print.cpp - a tile program as text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/PrintDot.h"
#include "plan/PrintMasks.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// Prints the steps of one function.
struct Printer {
  const TileProgram &program;
  llvm::raw_ostream &os;
  AsmState names;

  Printer(const TileProgram &program, llvm::raw_ostream &os)
      : program(program), os(os), names(program.function) {}

  void name(Value value) { value.printAsOperand(os, names); }
  void shape(ArrayRef<int64_t> sizes) {
    os << '[';
    llvm::interleave(sizes, os, "x");
    os << ']';
  }

  void printRoot(const Root &root, unsigned indent) {
    os.indent(indent);
    switch (root.kind) {
    case RootKind::Materialize:
      os << "materialize ";
      name(root.value);
      os << " in b" << root.target->id;
      break;
    case RootKind::Store:
      os << "store ";
      name(cast<tt::StoreOp>(root.op).getValue());
      os << " to ";
      name(cast<tt::StoreOp>(root.op).getPtr());
      os << (root.canStream ? ", may stream" : "");
      break;
    case RootKind::Reduce:
    case RootKind::Scan:
    case RootKind::Check:
    case RootKind::Serial:
      os << root.op->getName().stripDialect();
      for (Value operand : root.op->getOperands()) {
        os << ' ';
        name(operand);
      }
      if (Buffer *sums = program.heldSums.lookup(root.op))
        os << ", sums in b" << sums->id;
      for (Value result : root.op->getResults()) {
        os << " -> ";
        name(result);
        if (auto found = program.materialized.find(result);
            found != program.materialized.end())
          os << " in b" << found->second->id;
      }
      if (root.kind == RootKind::Reduce) {
        os << " from ";
        root.identity ? os << root.identity : os << "the first elements";
        if (root.leftOut)
          os << " leaving out " << root.leftOut;
      }
      break;
    }
    os << '\n';
  }

  void printMasks(const codegen::MaskPlan &masks, unsigned indent) {
    cpu::printMasks(masks, indent, os, names);
  }

  void printTransposition(const Transposition &blocks, unsigned indent) {
    os.indent(indent) << "transpose " << blocks.size << " along " << blocks.axis
                      << ':';
    for (const TileRead &read : blocks.reads) {
      os << ' ';
      name(read.value);
    }
    os << '\n';
    printMasks(blocks.masksAlongAxis, indent + 2);
    printMasks(blocks.masksAlongVectors, indent + 2);
  }

  void printConflicts(ArrayRef<Conflict> conflicts) {
    auto print = [&](const Conflict &conflict) {
      name(conflict.first);
      if (conflict.hazard == codegen::Hazard::IfRepeated) {
        os << " repeats";
        return;
      }
      os << (conflict.hazard == codegen::Hazard::IfAhead ? " is below "
                                                         : " overlaps ");
      name(conflict.second);
    };
    os << " if ";
    llvm::interleave(conflicts, os, print, " or ");
    os << '\n';
  }

  void printNest(const Nest &nest, unsigned indent) {
    for (const Guard &guard : nest.guards) {
      os.indent(indent) << "copy ";
      tt::LoadOp load = guard.load;
      name(load.getResult());
      os << " to b" << guard.buffer->id;
      if (guard.buffer->innermost)
        os << " along " << *guard.buffer->innermost;
      printConflicts(guard.conflicts);
    }
    os.indent(indent) << "nest ";
    shape(nest.shape);
    os << " axis " << nest.vectorAxis << " lanes " << nest.lanes;
    bool isFused = nest.inners.size() > 1;
    auto unroll = [&](const Inner &inner) {
      os << " unroll " << inner.unroll;
      if (inner.rows > 1)
        os << " rows " << inner.rows;
    };
    if (!isFused || nest.group)
      unroll(nest.inners.front());
    if (nest.elementLoop)
      os << " around a loop";
    if (nest.isMasked)
      os << " masked";
    if (nest.hasRowsInside)
      os << " around rows";
    if (nest.plainLanes > 1)
      os << (nest.combinesRuns ? " runs of " : " plain lanes ")
         << nest.plainLanes;
    if (nest.group)
      os << " groups of " << nest.group;
    if (nest.unlessRun)
      os << " unless the loop runs";
    os << '\n';
    if (nest.transposition)
      printTransposition(*nest.transposition, indent + 2);
    for (const Inner &inner : nest.inners) {
      if (isFused) {
        os.indent(indent + 2) << "row";
        if (!nest.group)
          unroll(inner);
        os << '\n';
      }
      unsigned inside = indent + (isFused ? 4 : 2);
      printMasks(inner.masks, inside);
      for (const Root &root : inner.roots)
        printRoot(root, inside);
    }
    for (const Deferral &deferral : nest.deferrals) {
      os.indent(indent) << "defer store to ";
      tt::StoreOp store = deferral.store;
      name(store.getPtr());
      os << " in b" << deferral.buffer->id;
      printConflicts(deferral.conflicts);
    }
  }

  void printKey(const llvm::SetVector<Value> &key) {
    llvm::StringRef separator = " by ";
    for (Value value : key) {
      os << std::exchange(separator, ", ");
      name(value);
    }
  }

  void printTurns(const TurnLoop &turns) {
    os << ", up to " << turns.programs << " programs take turns";
    bool isForAll = turns.operands.empty();
    if (isForAll && !turns.shared.empty()) {
      os << ", sharing";
      for (const auto &buffer : program.buffers)
        if (turns.shared.contains(buffer.get()))
          os << " b" << buffer->id;
    }
    printKey(turns.key);
    for (const TurnOperand &operand : turns.operands) {
      os << ", some share b" << operand.tiles->id;
      printKey(operand.key);
    }
  }

  void printBlock(Block *block, unsigned indent) {
    auto plan = program.blocks.find(block);
    if (plan == program.blocks.end())
      return;
    unsigned scalars = 0;
    auto flush = [&] {
      if (scalars)
        os.indent(indent) << "scalar x" << scalars << '\n';
      scalars = 0;
    };
    for (const Step &step : plan->second.steps) {
      if (step.kind == StepKind::Op) {
        ++scalars;
        continue;
      }
      flush();
      if (step.kind == StepKind::Nest) {
        printNest(*step.nest, indent);
      } else if (step.kind == StepKind::Dot) {
        os.indent(indent);
        printDot(program, cast<tt::DotOp>(step.op), os,
                 [&](Value value) { name(value); });
        os << '\n';
      } else {
        os.indent(indent) << step.op->getName();
        if (program.turns && program.turns->loop == step.op)
          printTurns(*program.turns);
        if (program.joint && program.joint->loop == step.op)
          os << ", up to " << program.joint->programs << " programs at once";
        os << '\n';
        for (Region &region : step.op->getRegions())
          printRegion(region, indent + 2);
      }
    }
    flush();
  }

  void printRegion(Region &region, unsigned indent) {
    for (Block &block : region) {
      if (!block.isEntryBlock())
        os.indent(indent) << "block\n";
      for (BlockArgument argument : block.getArguments())
        if (auto it = program.carried.find(argument);
            it != program.carried.end()) {
          os.indent(indent) << "carry ";
          name(argument);
          os << " in b" << it->second.current->id;
          if (it->second.next != it->second.current)
            os << ", b" << it->second.next->id;
          os << '\n';
        }
      printBlock(&block, indent);
    }
  }

  void run() {
    os << "tile program @"
       << const_cast<tt::FuncOp &>(program.function).getName() << '\n';
    for (const auto &buffer : program.buffers) {
      os << "  b" << buffer->id << ' ';
      shape(buffer->shape);
      os << ' ' << buffer->element;
      if (buffer->tiles > 1)
        os << " x" << buffer->tiles;
      if (buffer->groups > 1)
        os << " x" << buffer->groups;
      if (buffer->panel)
        os << " in panels of " << buffer->panel;
      if (buffer->isInRegisters)
        os << " in registers\n";
      else
        os << " at " << buffer->offset << '\n';
    }
    if (program.fastestAxis)
      os << "  programs along " << "xyz"[program.fastestAxis] << " first\n";
    if (program.parts) {
      os << "  up to " << program.parts->count << " parts of rows from ";
      name(program.parts->first);
      os << " below ";
      name(program.parts->end);
      os << '\n';
    }
    printRegion(const_cast<tt::FuncOp &>(program.function).getBody(), 2);
  }
};
} // namespace

void TileProgram::print(llvm::raw_ostream &os) const {
  Printer(*this, os).run();
}

} // namespace nereid::cpu
