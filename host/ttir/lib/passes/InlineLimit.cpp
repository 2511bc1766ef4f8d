// InlineLimit.cpp: adds up what inlining would make.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/SymbolTable.h"
#include "nereid/ttir/Dialect.h"
#include "nereid/ttir/Passes.h"

using namespace mlir;
using namespace nereid::tt;

namespace {

class InlineLimit : public PassWrapper<InlineLimit, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineLimit)

  StringRef getArgument() const final { return "ttir-inline-limit"; }

  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<FuncOp, uint64_t> sizes;
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (failed(measure(func, symbols, sizes)))
        return signalPassFailure();
  }

private:
  struct Visit {
    FuncOp func;
    SmallVector<FuncOp> callees; // inlined, one for each call
    size_t measured = 0;         // of the callees
  };

  static Visit begin(FuncOp func, const SymbolTable &symbols,
                     llvm::DenseMap<FuncOp, uint64_t> &sizes) {
    Visit visit{func, {}};
    uint64_t size = 0;
    func.walk([&](Operation *op) {
      ++size;
      auto call = dyn_cast<CallOp>(op);
      auto callee = call ? symbols.lookup<FuncOp>(call.getCallee()) : FuncOp();
      if (callee && !callee.isNoInline())
        visit.callees.push_back(callee);
    });
    // A call of a function that is still open is not inlined for ever.
    sizes[func] = size;
    return visit;
  }

  /// Keeps its own stack: calls may nest as deep as there are functions.
  static LogicalResult measure(FuncOp root, const SymbolTable &symbols,
                               llvm::DenseMap<FuncOp, uint64_t> &sizes) {
    if (sizes.contains(root))
      return success();
    SmallVector<Visit> open = {begin(root, symbols, sizes)};
    while (!open.empty()) {
      Visit &visit = open.back();
      if (visit.measured == visit.callees.size()) {
        open.pop_back();
        continue;
      }
      FuncOp callee = visit.callees[visit.measured];
      if (!sizes.contains(callee)) {
        open.push_back(begin(callee, symbols, sizes));
        continue;
      }
      ++visit.measured;
      uint64_t &size = sizes[visit.func];
      size += sizes.lookup(callee);
      if (size > kMaxOperations)
        return emitError(visit.func.getLoc())
               << "@" << visit.func.getName() << " has more than "
               << kMaxOperations << " operations once its calls are inlined";
    }
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> nereid::tt::createInlineLimit() {
  return std::make_unique<InlineLimit>();
}
