// UseChain.cpp - the length of use chains, and stacks that are large enough.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/UseChain.h"

#include "kernel/FatalErrors.h"
#include "kernel/QuietThreads.h"

#include "llvm/ADT/DenseMap.h"

#include <cstring>
#include <optional>
#include <pthread.h>

namespace nereid::codegen {

/// The chain length for which any thread's stack suffices.
static constexpr unsigned kShortChain = 200;

// Untouched pages cost nothing.
static constexpr size_t kBaseStack = size_t(8) << 20;
static constexpr size_t kStackOfOperation = size_t(16) << 10;

UseChain longestUseChain(mlir::ModuleOp module) {
  // Of an operation with regions: so far, while they are walked.
  llvm::DenseMap<mlir::Operation *, unsigned> lengths;
  UseChain longest;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    unsigned length = 0;
    for (mlir::Value operand : op->getOperands()) {
      mlir::Operation *definition = operand.getDefiningOp();
      if (!definition)
        definition = operand.getParentBlock()->getParentOp();
      length = std::max(length, lengths.lookup(definition));
    }
    lengths[op] = ++length;
    if (length > longest.length)
      longest = {length, op};
    // The results of the operation around it come from here.
    if (op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      unsigned &around = lengths[op->getParentOp()];
      around = std::max(around, length);
    }
  });
  return longest;
}

namespace {
struct Job {
  llvm::function_ref<llvm::Error()> work;
  std::optional<llvm::Error> error;
};
} // namespace

static void *runJob(void *argument) {
  auto *job = static_cast<Job *>(argument);
  job->error.emplace(runGuarded(job->work));
  return nullptr;
}

llvm::Error runAlongChain(unsigned length,
                          llvm::function_ref<llvm::Error()> work) {
  if (length <= kShortChain)
    return work();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes,
                            kBaseStack + length * kStackOfOperation);
  Job job = {work, std::nullopt};
  pthread_t thread;
  int status = 0;
  {
    QuietThreads quiet;
    status = pthread_create(&thread, &attributes, runJob, &job);
  }
  pthread_attr_destroy(&attributes);
  if (status != 0)
    return llvm::createStringError("no thread for a chain of %u operations: %s",
                                   length, std::strerror(status));
  pthread_join(thread, nullptr);
  return std::move(*job.error);
}

} // namespace nereid::codegen
