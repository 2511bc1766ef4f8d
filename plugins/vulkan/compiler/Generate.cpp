// Generate.cpp - one kernel: from its TTIR to a SPIR-V module.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Generate.h"

#include "../tile_limits.h"
#include "Dot.h"
#include "Entry.h"
#include "Matrices.h"
#include "SharedMemory.h"
#include "analysis/Induction.h"
#include "emit/Emitter.h"
#include "gpu/Pipeline.h"
#include "kernel/OutOfResources.h"
#include "nereid/codegen/Expand.h"
#include "nereid/ttir/Parse.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::AtomicSet;
using codegen::AtomicType;

static AtomicSet atomicsOf(const DeviceModel &device) {
  AtomicSet set;
  auto add = [&](std::initializer_list<tt::RMWOp> kinds,
                 std::initializer_list<AtomicType> types) {
    for (tt::RMWOp kind : kinds)
      set.add(kind, types);
  };
  using tt::RMWOp;
  auto onIntegers = {RMWOp::ADD, RMWOp::AND, RMWOp::OR,   RMWOp::XOR,
                     RMWOp::MAX, RMWOp::MIN, RMWOp::UMAX, RMWOp::UMIN};
  add(onIntegers, {AtomicType::I32});
  add({RMWOp::XCHG}, {AtomicType::I32, AtomicType::F32});
  if (device.has("atomic-i64")) {
    add(onIntegers, {AtomicType::I64});
    add({RMWOp::XCHG}, {AtomicType::I64, AtomicType::F64, AtomicType::Pointer});
  }
  if (device.has("atomic-f32-add"))
    add({RMWOp::FADD}, {AtomicType::F32});
  if (device.has("atomic-f64-add"))
    add({RMWOp::FADD}, {AtomicType::F64});
  return set;
}

static codegen::ExpandOptions expansionFor(const GenerateOptions &options) {
  codegen::ExpandOptions expansion;
  const DeviceModel &device = options.device;
  expansion.hasFma = device.hasExactFma;
  expansion.hasExactDivision = false; // Vulkan promises it of no device
  expansion.hasExp2 = device.hasExactExp2;
  expansion.hasF64 = device.has("f64");
  expansion.hasI64 = device.has("i64");
  expansion.emulatesI64 = true;
  expansion.hasLibm = false;
  expansion.fpFusion = options.fpFusion;
  expansion.needsStructuredBranches = true;
  // Where matrices do not have all values of the scaled operands.
  expansion.scaledDotType = codegen::ScaledDotType::F32;
  expansion.atomics = atomicsOf(device);
  return expansion;
}

static llvm::Error failureOf(const char *what) {
  return llvm::createStringError(what);
}

/// Of at least one subgroup.
static codegen::gpu::Workgroup workgroupFor(const GenerateOptions &options) {
  unsigned laneBits = llvm::Log2_32(options.device.subgroupSize);
  unsigned threadBits = llvm::Log2_32(options.threads);
  return {laneBits, threadBits - std::min(laneBits, threadBits)};
}

/// Rewrites the module to one function of operations that can be distributed.
static llvm::Expected<tt::FuncOp> prepareKernel(ModuleOp module,
                                                const GenerateOptions &options,
                                                codegen::KernelInfo &info) {
  codegen::ExpandOptions expansion = expansionFor(options);
  auto multiplies = [&](Type factor, RankedTensorType sums, int64_t depth) {
    return isInMatrices(factor, sums, depth, options.device,
                        workgroupFor(options));
  };
  expansion.multiplies = multiplies;
  if (failed(expand(codegen::Phase::Functions, module, expansion)))
    return failureOf("a function cannot be expanded");
  auto kernel = tt::findKernel(module);
  if (!kernel)
    return kernel.takeError();
  codegen::describeArguments(*kernel, info);
  if (llvm::Error error = codegen::layOutArguments(info))
    return std::move(error);
  if (failed(expand(codegen::Phase::Tiles, module, expansion)))
    return failureOf("an operation cannot be expanded");
  widenDots(*kernel, options.device, workgroupFor(options));
  if (failed(expand(codegen::Phase::Elements, module, expansion)))
    return failureOf("an operation cannot be expanded");
  codegen::scalarizeInductions(*kernel);
  if (options.stages > 1)
    codegen::gpu::pipelineLoads(*kernel, {options.threads});
  IRRewriter rewriter(module.getContext());
  (void)eraseUnreachableBlocks(rewriter, (*kernel)->getRegions());
  (void)runRegionDCE(rewriter, (*kernel)->getRegions());
  return *kernel;
}

/// Reports capabilities that the device lacks, where they are needed.
static llvm::Error checkCapabilities(const spirv::Builder &builder,
                                     tt::FuncOp kernel,
                                     const DeviceModel &device) {
  auto missing = builder.missing(device.capabilities());
  if (missing.empty())
    return llvm::Error::success();
  MLIRContext *context = kernel.getContext();
  for (const spirv::MissingCapability &one : missing) {
    Location where = kernel.getLoc();
    if (!one.file.empty())
      where = FileLineColLoc::get(context, one.file, one.line, one.column);
    mlir::emitError(where) << StringRef(one.what) << " needs "
                           << StringRef(one.capability->name)
                           << ", which the device does not have";
  }
  return failureOf("the device lacks what the kernel needs");
}

/// The code of a tile is unrolled: without a limit, drivers would compile for
/// hours.
static llvm::Error checkTiles(tt::FuncOp kernel, const Distribution &layouts) {
  uint32_t most = 0;
  auto look = [&](Value value) {
    for (const codegen::gpu::Layout &layout : layouts.variantsOf(value))
      most = std::max(most, layout.registerCount());
  };
  kernel.walk([&](Block *block) {
    llvm::for_each(block->getArguments(), look);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), look);
  });
  if (most <= kMaxElementsPerThread)
    return llvm::Error::success();
  return llvm::make_error<codegen::OutOfResourcesError>(
      most, kMaxElementsPerThread, "elements of a tile for each thread");
}

static llvm::Error checkResources(const GenerateOptions &options,
                                  unsigned sharedBytes) {
  if (options.threads > options.device.maxThreads)
    return llvm::make_error<codegen::OutOfResourcesError>(
        options.threads, options.device.maxThreads, "threads of a workgroup");
  if (sharedBytes > options.device.sharedBytes)
    return llvm::make_error<codegen::OutOfResourcesError>(
        sharedBytes, options.device.sharedBytes, "bytes of shared memory");
  return llvm::Error::success();
}

llvm::Expected<GeneratedKernel> generate(ModuleOp source,
                                         const GenerateOptions &options) {
  // The steps below rewrite the module; the caller's must not change.
  OwningOpRef<ModuleOp> module = source.clone();
  GeneratedKernel result;
  auto kernel = prepareKernel(*module, options, result.info);
  if (!kernel)
    return kernel.takeError();

  const DeviceModel &device = options.device;
  codegen::gpu::DistributionOptions distribution;
  distribution.accessBytes = options.accessBytes;
  distribution.workgroup = workgroupFor(options);
  if (options.threads < device.subgroupSize)
    return llvm::createStringError(
        "a workgroup of " + std::to_string(options.threads) +
        " threads is less than a subgroup of the device, " +
        std::to_string(device.subgroupSize));
  MatrixPlan matrices = planMatrices(*kernel, device, distribution.workgroup);
  distribution.matrices = &matrices.tiles();
  codegen::TileForms forms;
  Distribution layouts = distribute(*kernel, forms, distribution);
  matrices.placeOperands(*kernel, layouts, distribution.workgroup, device);
  if (llvm::Error error = checkTiles(*kernel, layouts))
    return std::move(error);
  DotPlans dots =
      planDots(*kernel, layouts, matrices, distribution.workgroup, device);
  llvm::raw_string_ostream text(result.layouts);
  // Verifying the kernel again would take longer than the text.
  AsmState names(*kernel, OpPrintingFlags().assumeVerified());
  layouts.print(*kernel, text, names);
  dots.print(*kernel, layouts, text, names);
  matrices.print(text, names);

  ImageFacts &facts = result.facts;
  facts.workgroup = options.threads;
  facts.subgroup = device.subgroupSize;
  facts.shared = sharedBytesFor(*kernel, dots, matrices, layouts,
                                distribution.workgroup, device);
  facts.arguments = result.info.argumentsSize;
  if (kArgumentsOffset + facts.arguments > device.pushBytes)
    facts.place = ArgumentPlace::Block;
  for (const MatrixUnit &unit : matrices.units())
    facts.matrices.push_back(unit.text());
  if (llvm::Error error = checkResources(options, facts.shared))
    return std::move(error);

  DeviceBuilder builder(device);
  Entry entry(builder, result.info, facts, device);
  Emitter emitter(builder, layouts, dots, matrices, forms, device,
                  distribution.workgroup, options.fpFusion);
  if (failed(emitter.run(*kernel, entry.begin())))
    return failureOf("the kernel cannot be compiled for vulkan");
  facts.needsServices = emitter.hasReports();
  entry.end();
  builder.finish();
  builder.removeUnused();
  if (llvm::Error error = checkCapabilities(builder, *kernel, device))
    return std::move(error);
  result.words = builder.assemble();
  if (result.words.empty())
    return failureOf(builder.misuse().c_str());
  return result;
}

} // namespace nereid::vulkan
