// KernelInfo.cpp - facts about a kernel as metadata of its module.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   !nereid.cpu.kernel = !{!0, !1, !2}
//   !0 = !{!"name", !"add_kernel"}
//   !1 = !{!"argument", !"x", !"*f32", i64 0}
//   !2 = !{!"arguments_size", i64 32}
//
// A kernel whose work has a formula has an entry for each step, in order:
//   !3 = !{!"work", i64 KIND, i64 A, i64 B}
// and one whose programs can be divided, for each step of the condition:
//   !4 = !{!"parts_condition", i64 KIND, i64 A, i64 B}
// or, whose atomic operations are disjoint along an axis, of that condition:
//   !5 = !{!"disjoint_condition", i64 KIND, i64 A, i64 B}

#include "KernelInfo.h"

#include "../image.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace nereid::cpu {

static constexpr char kMetadataName[] = "nereid.cpu.kernel";

void KernelInfo::set(const codegen::Work &work) {
  this->work = work.formula;
  bytesPerProgram = work.bytes;
  flopsPerProgram = work.flops;
  streamedBytesPerProgram = work.leastStoredBytes;
  streamedStep = work.storedStep;
  atomicsPerProgram = work.atomics;
  atomicsStep = work.atomicsStep;
  const std::pair<bool, uint32_t> table[] = {
      {work.communicates, NEREID_CPU_KERNEL_COMMUNICATES},
      {work.prints, NEREID_CPU_KERNEL_PRINTS},
      {work.asserts, NEREID_CPU_KERNEL_ASSERTS},
      {work.isEstimated, NEREID_CPU_KERNEL_ESTIMATED},
      {work.communicates && !work.mayWait, NEREID_CPU_KERNEL_NEVER_WAITS}};
  for (auto [holds, flag] : table)
    flags |= holds ? flag : 0;
}

static llvm::Metadata *makeNumber(llvm::LLVMContext &context, uint64_t value) {
  return llvm::ConstantAsMetadata::get(
      llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value));
}

void attachKernelInfo(llvm::Module &module, const KernelInfo &info) {
  llvm::LLVMContext &context = module.getContext();
  auto word = [&](llvm::StringRef text) -> llvm::Metadata * {
    return llvm::MDString::get(context, text);
  };
  llvm::NamedMDNode *list = module.getOrInsertNamedMetadata(kMetadataName);
  list->clearOperands();
  auto add = [&](llvm::ArrayRef<llvm::Metadata *> fields) {
    list->addOperand(llvm::MDNode::get(context, fields));
  };
  add({word("name"), word(info.name)});
  for (const KernelArgument &argument : info.arguments)
    add({word("argument"), word(argument.name), word(argument.type),
         makeNumber(context, argument.offset)});
  const std::pair<const char *, uint64_t> numbers[] = {
      {"arguments_size", info.argumentsSize},
      {"scratch_size", info.scratchSize},
      {"scratch_align", info.scratchAlign},
      {"flags", info.flags},
      {"bytes_per_program", info.bytesPerProgram},
      {"flops_per_program", info.flopsPerProgram},
      {"streamed_bytes_per_program", info.streamedBytesPerProgram},
      {"streamed_step", info.streamedStep},
      {"atomics_per_program", info.atomicsPerProgram},
      {"atomics_step", info.atomicsStep},
      {"parts", info.parts},
      {"disjoint_axis", info.disjointAxis},
  };
  for (auto [name, value] : numbers)
    add({word(name), makeNumber(context, value)});
  auto addSteps = [&](const char *name, const auto &steps) {
    for (const nereid_work_step_t &step : steps)
      add({word(name), makeNumber(context, step.kind),
           makeNumber(context, step.a), makeNumber(context, step.b)});
  };
  addSteps("work", info.work);
  addSteps("parts_condition", info.partsCondition);
  addSteps("disjoint_condition", info.disjointCondition);
}

static llvm::Expected<std::string> textAt(const llvm::MDNode &node,
                                          unsigned index) {
  if (index < node.getNumOperands())
    if (auto *text = llvm::dyn_cast<llvm::MDString>(node.getOperand(index)))
      return text->getString().str();
  return llvm::createStringError(
      "metadata nereid.cpu.kernel: field %u of an entry is not a string",
      index);
}

static llvm::Expected<uint64_t> numberAt(const llvm::MDNode &node,
                                         unsigned index) {
  if (index < node.getNumOperands())
    if (auto *value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(
            node.getOperand(index)))
      if (value->getBitWidth() <= 64)
        return value->getZExtValue();
  return llvm::createStringError(
      "metadata nereid.cpu.kernel: field %u of an entry is not an integer",
      index);
}

static llvm::Error readArgument(const llvm::MDNode &node, KernelInfo &info) {
  auto name = textAt(node, 1);
  if (!name)
    return name.takeError();
  auto type = textAt(node, 2);
  if (!type)
    return type.takeError();
  auto offset = numberAt(node, 3);
  if (!offset)
    return offset.takeError();
  info.arguments.push_back({std::move(*name), std::move(*type), *offset});
  return llvm::Error::success();
}

/// Reads a step of the formula; one that refers to a later step is refused.
static llvm::Error readStep(const llvm::MDNode &node, const KernelInfo &info,
                            std::vector<nereid_work_step_t> &steps,
                            size_t most) {
  int64_t fields[3];
  for (unsigned i = 0; i < 3; ++i) {
    auto field = numberAt(node, i + 1);
    if (!field)
      return field.takeError();
    fields[i] = static_cast<int64_t>(*field);
  }
  auto [kind, a, b] = fields;
  int64_t earlier = static_cast<int64_t>(steps.size());
  auto isValid = [&]() -> bool {
    switch (kind) {
    case NEREID_WORK_CONSTANT:
      return true;
    case NEREID_WORK_ARGUMENT:
      return a >= 0 && b >= 1 && b <= 8 &&
             uint64_t(a) + uint64_t(b) <= info.argumentsSize;
    case NEREID_WORK_PROGRAM_ID:
    case NEREID_WORK_GRID_SIZE:
      return a >= 0 && a < 3;
    default:
      return kind > 0 && kind <= NEREID_WORK_MAX && a >= 0 && a < earlier &&
             b >= 0 && b < earlier;
    }
  };
  if (!isValid() || steps.size() == most)
    return llvm::createStringError(
        "metadata nereid.cpu.kernel: a step of a formula is not valid");
  steps.push_back({kind, a, b});
  return llvm::Error::success();
}

static llvm::Error readEntry(const llvm::MDNode &node, KernelInfo &info) {
  auto key = textAt(node, 0);
  if (!key)
    return key.takeError();
  if (*key == "argument")
    return readArgument(node, info);
  if (*key == "work")
    return readStep(node, info, info.work, NEREID_WORK_MAX_STEPS);
  if (*key == "parts_condition")
    return readStep(node, info, info.partsCondition,
                    NEREID_CPU_MAX_CONDITION_STEPS);
  if (*key == "disjoint_condition")
    return readStep(node, info, info.disjointCondition,
                    NEREID_CPU_MAX_CONDITION_STEPS);
  if (*key == "name") {
    auto name = textAt(node, 1);
    if (!name)
      return name.takeError();
    info.name = std::move(*name);
    return llvm::Error::success();
  }
  auto value = numberAt(node, 1);
  if (!value)
    return value.takeError();
  if (*key == "flags") {
    info.flags = static_cast<uint32_t>(*value);
    return llvm::Error::success();
  }
  uint64_t *field =
      llvm::StringSwitch<uint64_t *>(*key)
          .Case("arguments_size", &info.argumentsSize)
          .Case("scratch_size", &info.scratchSize)
          .Case("scratch_align", &info.scratchAlign)
          .Case("bytes_per_program", &info.bytesPerProgram)
          .Case("flops_per_program", &info.flopsPerProgram)
          .Case("streamed_bytes_per_program", &info.streamedBytesPerProgram)
          .Case("streamed_step", &info.streamedStep)
          .Case("atomics_per_program", &info.atomicsPerProgram)
          .Case("atomics_step", &info.atomicsStep)
          .Case("parts", &info.parts)
          .Case("disjoint_axis", &info.disjointAxis)
          .Default(nullptr);
  if (!field)
    return llvm::createStringError(
        "metadata nereid.cpu.kernel: unknown entry '" + *key + "'");
  *field = *value;
  return llvm::Error::success();
}

llvm::Expected<KernelInfo> readKernelInfo(const llvm::Module &module) {
  const llvm::NamedMDNode *list = module.getNamedMetadata(kMetadataName);
  if (!list)
    return llvm::createStringError(
        "the module has no metadata nereid.cpu.kernel");
  KernelInfo info;
  for (const llvm::MDNode *node : list->operands())
    if (llvm::Error error = readEntry(*node, info))
      return std::move(error);
  if (info.name.empty())
    return llvm::createStringError(
        "metadata nereid.cpu.kernel: the kernel has no name");
  const std::pair<const char *, uint64_t> steps[] = {
      {"streamed_step", info.streamedStep}, {"atomics_step", info.atomicsStep}};
  for (auto [name, step] : steps)
    if (step && step >= info.work.size())
      return llvm::createStringError(
          "metadata nereid.cpu.kernel: %s is not a step of the work", name);
  if (info.disjointAxis > 2)
    return llvm::createStringError(
        "metadata nereid.cpu.kernel: disjoint_axis is not an axis");
  return info;
}

} // namespace nereid::cpu
