// ElementJit.cpp - runs element-wise TTIR on arrays, as the cpu backend would.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ElementJit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

using namespace mlir;
namespace orc = llvm::orc;

namespace nereid::test {

std::string functionOf(llvm::StringRef operation,
                       llvm::ArrayRef<llvm::StringRef> argumentTypes,
                       llvm::StringRef resultType) {
  std::string text = "tt.func @f(";
  for (auto [i, type] : llvm::enumerate(argumentTypes))
    text += (i ? ", %" : "%") + std::to_string(i) + ": " + type.str();
  text += ") -> " + resultType.str() + " {\n  %r = " + operation.str() +
          "\n  tt.return %r : " + resultType.str() + "\n}\n";
  return text;
}

JitOptions narrowTarget(bool hasFma) {
  JitOptions options;
  options.expand.hasFma = hasFma;
  options.expand.hasF64 = false;
  options.expand.hasI64 = false;
  options.expand.hasLibm = false;
  if (hasFma)
    return options;
  // A machine that would show a math.fma that is left, by a call.
  options.lanes = 4;
  options.cpu = "x86-64-v2";
  return options;
}

/// What the target lacks and the module contains nevertheless, or nothing.
static std::string foreignOperation(ModuleOp module,
                                    const codegen::ExpandOptions &options) {
  std::string found;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      bool isForeign = (element.isF64() && !options.hasF64) ||
                       (element.isInteger(64) && !options.hasI64) ||
                       (isa<math::FmaOp>(op) && !options.hasFma) ||
                       (isa<tt::ExternElementwiseOp>(op) && !options.hasLibm);
      if (isForeign)
        llvm::raw_string_ostream(found) << *op << '\n';
    }
  });
  return found;
}

/// Emits the loop around the operations of one function.
class LoopEmitter {
public:
  LoopEmitter(tt::FuncOp function, llvm::Module &module,
              const JitOptions &options)
      : function(function), options(options), b(module.getContext()) {
    auto *type = llvm::FunctionType::get(b.getVoidTy(),
                                         {b.getInt64Ty(), b.getPtrTy()}, false);
    entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                   "entry", module);
  }

  void emit() {
    auto *start = block("start"), *body = block("body"), *done = block("done");
    b.SetInsertPoint(start);
    b.CreateBr(body);
    b.SetInsertPoint(body);
    index = b.CreatePHI(b.getInt64Ty(), 2);
    llvm::cast<llvm::PHINode>(index)->addIncoming(b.getInt64(0), start);
    emitBody();
    llvm::Value *next = b.CreateAdd(index, b.getInt64(options.lanes));
    llvm::cast<llvm::PHINode>(index)->addIncoming(next, body);
    b.CreateCondBr(b.CreateICmpULT(next, entry->getArg(0)), body, done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
  }

private:
  llvm::BasicBlock *block(const char *name) {
    return llvm::BasicBlock::Create(b.getContext(), name, entry);
  }

  llvm::Value *address(unsigned array, llvm::Type *element, bool moves) {
    llvm::Value *slot =
        b.CreateConstGEP1_64(b.getPtrTy(), entry->getArg(1), array);
    llvm::Value *base = b.CreateLoad(b.getPtrTy(), slot);
    return moves ? b.CreateGEP(element, base, index) : base;
  }

  llvm::Type *vectorOf(llvm::Type *element, bool isUniform = false) {
    if (options.lanes == 1 || isUniform)
      return element;
    return llvm::FixedVectorType::get(element, options.lanes);
  }

  void emitBody() {
    unsigned arrays = 0;
    for (Value argument : function.getArguments()) {
      auto *type = codegen::convertElementType(argument.getType(), b.getContext());
      bool isUniform = options.uniformArguments >> arrays & 1;
      llvm::Value *pointer = address(arrays++, type, !isUniform);
      values[argument] = b.CreateAlignedLoad(vectorOf(type, isUniform), pointer,
                                             llvm::Align(1));
    }
    for (Operation &op : function.getBody().front()) {
      llvm::SmallVector<llvm::Value *> operands;
      for (Value operand : op.getOperands())
        operands.push_back(values.lookup(operand));
      if (isa<tt::ReturnOp>(op))
        return store(operands, arrays);
      auto results =
          codegen::emitElementOp(b, &op, operands, options.lanes, options.context);
      ASSERT_TRUE(succeeded(results));
      for (auto [result, value] : llvm::zip(op.getResults(), *results))
        values[result] = value;
    }
  }

  void store(llvm::ArrayRef<llvm::Value *> results, unsigned array) {
    for (llvm::Value *value : results) {
      if (value->getType()->isIntOrIntVectorTy(1)) // one byte in memory
        value = b.CreateZExt(value, vectorOf(b.getInt8Ty()));
      auto *type = value->getType()->getScalarType();
      b.CreateAlignedStore(value, address(array++, type, true), llvm::Align(1));
    }
  }

  tt::FuncOp function;
  const JitOptions &options;
  llvm::IRBuilder<> b;
  llvm::Function *entry;
  llvm::Value *index = nullptr;
  llvm::DenseMap<Value, llvm::Value *> values;
};

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graph, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

static OwningOpRef<ModuleOp> parse(MLIRContext &context, llvm::StringRef text,
                                   const JitOptions &options) {
  context.loadDialect<tt::TTDialect, arith::ArithDialect, math::MathDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (module && failed(codegen::expandForBackend(*module, options.expand)))
    return nullptr;
  if (module) {
    std::string foreign = foreignOperation(*module, options.expand);
    EXPECT_EQ(foreign, "") << text.str();
  }
  return module;
}

ElementJit::ElementJit(llvm::StringRef text, const JitOptions &options)
    : lanes(options.lanes) {
  compile(text, options);
}

void ElementJit::compile(llvm::StringRef text, const JitOptions &options) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  MLIRContext mlirContext(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> source = parse(mlirContext, text, options);
  ASSERT_TRUE(source) << text.str();
  ASSERT_TRUE(succeeded(source->verify())) << text.str();

  auto machineBuilder =
      llvm::cantFail(orc::JITTargetMachineBuilder::detectHost());
  if (!options.cpu.empty()) {
    machineBuilder.setCPU(options.cpu);
    machineBuilder.getFeatures() = llvm::SubtargetFeatures();
  }
  auto machine = llvm::cantFail(machineBuilder.createTargetMachine());
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("test", *context);
  module->setDataLayout(machine->createDataLayout());
  auto function = *source->getOps<tt::FuncOp>().begin();
  LoopEmitter(function, *module, options).emit();
  ASSERT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  for (llvm::Function &f : *module)
    f.addFnAttr("prefer-vector-width", "512");
  optimize(*module, *machine);
  if (const char *path = std::getenv("NEREID_TEST_DUMP_IR")) {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    file << *module;
  }

  jit = llvm::cantFail(
      orc::LLJITBuilder().setJITTargetMachineBuilder(machineBuilder).create());
  llvm::cantFail(jit->addIRModule(
      orc::ThreadSafeModule(std::move(module), std::move(context))));
  auto symbol = llvm::cantFail(jit->lookup("entry"));
  entry = symbol.toPtr<void (*)(int64_t, void **)>();
}

void ElementJit::run(int64_t count, std::vector<void *> arrays) const {
  ASSERT_EQ(count % lanes, 0);
  ASSERT_NE(entry, nullptr);
  entry(count, arrays.data());
}

} // namespace nereid::test
