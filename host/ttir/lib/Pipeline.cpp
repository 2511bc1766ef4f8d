// Pipeline.cpp: the passes in their usual order.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "nereid/ttir/Passes.h"

using namespace mlir;
using namespace nereid::tt;

void nereid::tt::addStandardPipeline(OpPassManager &pm) {
  pm.addPass(createReplaceNumberOps());
  // Pointers and descriptors are followed within functions more precisely than
  // across calls.
  pm.addPass(createInlineCalls());
  pm.addPass(createCanonicalize());
  pm.addPass(createTritonRewriteTensorPointer());
  pm.addPass(createTritonRewriteTensorDescriptorToPointer());
  pm.addPass(createCanonicalize());
  pm.addPass(createTritonCombine());
  pm.addPass(createTritonReorderBroadcast());
  pm.addPass(createCSEPass());
  pm.addPass(createDropUnusedFunctions());
  pm.addPass(createTritonLoopUnroll());
  pm.addPass(createTritonLoopInvariantCodeMotion());
  pm.addPass(createRestoreNumberOps());
}

void nereid::tt::registerTTIRPasses() {
  registerTritonTTIRPasses();
  PassPipelineRegistration<>("ttir-standard",
                             "Everything that every backend wants to have run",
                             addStandardPipeline);
}
