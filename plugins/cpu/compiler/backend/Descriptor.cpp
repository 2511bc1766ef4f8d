// Descriptor.cpp - the constant that the driver reads, and the text that the
// compiler reads again.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Descriptor.h"

#include "../image.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/JSON.h"

namespace nereid::cpu {

static constexpr char kSection[] = ".nereid.kernel";

static std::string toText(const KernelInfo &info) {
  llvm::json::Array arguments;
  for (const KernelArgument &argument : info.arguments)
    arguments.push_back(
        llvm::json::Object{{"name", argument.name},
                           {"type", argument.type},
                           {"offset", static_cast<int64_t>(argument.offset)}});
  llvm::json::Value value = llvm::json::Object{
      {"name", info.name},
      {"arguments", std::move(arguments)},
      {"arguments_size", static_cast<int64_t>(info.argumentsSize)},
      {"scratch_size", static_cast<int64_t>(info.scratchSize)}};
  return llvm::formatv("{0}", value).str();
}

static llvm::Error checkEntry(const llvm::Function *entry) {
  if (!entry || entry->isDeclaration())
    return llvm::createStringError(
        llvm::Twine("the module does not define a function ") + kEntryName);
  llvm::LLVMContext &context = entry->getContext();
  auto *pointer = llvm::PointerType::get(context, 0);
  auto *wide = llvm::Type::getInt64Ty(context);
  auto *expected = llvm::FunctionType::get(
      llvm::Type::getInt32Ty(context),
      {pointer, pointer, pointer, wide, pointer}, false);
  if (entry->getFunctionType() != expected)
    return llvm::createStringError(
        llvm::Twine("function ") + kEntryName +
        " has another type than i32 (ptr, ptr, ptr, i64, ptr)");
  return llvm::Error::success();
}

llvm::Error addDescriptor(llvm::Module &module) {
  auto info = readKernelInfo(module);
  if (!info)
    return info.takeError();
  // LLVM treats a function of such a name as an intrinsic, and reads operands
  // that this one does not have.
  if (llvm::StringRef(info->name).starts_with("llvm."))
    return llvm::createStringError(
        "the kernel is named '" + info->name +
        "', expected a name that does not begin with 'llvm.', as those of "
        "LLVM's intrinsics do");
  llvm::Function *entry = module.getFunction(kEntryName);
  if (llvm::Error error = checkEntry(entry))
    return error;
  // Debuggers and profilers see the kernel's name. With the suffix it cannot be
  // confused with a function of the C library.
  entry->setName(info->name + ".cpu");
  entry->setLinkage(llvm::GlobalValue::InternalLinkage);

  llvm::LLVMContext &context = module.getContext();
  auto *name = llvm::ConstantDataArray::getString(context, info->name);
  auto *nameGlobal = new llvm::GlobalVariable(
      module, name->getType(), true, llvm::GlobalValue::PrivateLinkage, name);
  auto number32 = [&](uint64_t value) -> llvm::Constant * {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  };
  auto number64 = [&](uint64_t value) -> llvm::Constant * {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
  };
  auto formula =
      [&](const std::vector<nereid_work_step_t> &steps) -> llvm::Constant * {
    if (steps.empty())
      return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
    std::vector<uint64_t> words;
    for (const nereid_work_step_t &step : steps)
      for (int64_t word : {step.kind, step.a, step.b})
        words.push_back(static_cast<uint64_t>(word));
    auto *array = llvm::ConstantDataArray::get(context, words);
    return new llvm::GlobalVariable(module, array->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, array);
  };
  // The fields of nereid_cpu_kernel_t, in order.
  auto *fields =
      llvm::ConstantStruct::getAnon({number32(sizeof(nereid_cpu_kernel_t)),
                                     number32(info->flags),
                                     nameGlobal,
                                     entry,
                                     number64(info->argumentsSize),
                                     number64(info->scratchSize),
                                     number64(info->scratchAlign),
                                     number64(info->bytesPerProgram),
                                     number64(info->flopsPerProgram),
                                     number64(info->streamedBytesPerProgram),
                                     formula(info->work),
                                     number64(info->work.size()),
                                     number64(info->parts),
                                     formula(info->partsCondition),
                                     number64(info->partsCondition.size()),
                                     number64(info->streamedStep),
                                     number64(info->atomicsPerProgram),
                                     number64(info->atomicsStep),
                                     formula(info->disjointCondition),
                                     number64(info->disjointCondition.size()),
                                     number64(info->disjointAxis)});
  new llvm::GlobalVariable(module, fields->getType(), true,
                           llvm::GlobalValue::ExternalLinkage, fields,
                           NEREID_CPU_KERNEL_SYMBOL);

  auto *text =
      llvm::ConstantDataArray::getString(context, toText(*info), false);
  auto *textGlobal = new llvm::GlobalVariable(
      module, text->getType(), true, llvm::GlobalValue::ExternalLinkage, text,
      "nereid_cpu_kernel_text");
  textGlobal->setVisibility(llvm::GlobalValue::HiddenVisibility);
  textGlobal->setSection(kSection);
  return llvm::Error::success();
}

static llvm::Expected<KernelInfo> fromText(llvm::StringRef text) {
  auto parsed = llvm::json::parse(text);
  if (!parsed)
    return parsed.takeError();
  KernelInfo info;
  const llvm::json::Object *object = parsed->getAsObject();
  const llvm::json::Array *arguments =
      object ? object->getArray("arguments") : nullptr;
  if (!arguments)
    return llvm::createStringError("the description of the kernel is not a "
                                   "JSON object with arguments");
  info.name = object->getString("name").value_or("").str();
  info.argumentsSize = object->getInteger("arguments_size").value_or(0);
  info.scratchSize = object->getInteger("scratch_size").value_or(0);
  for (const llvm::json::Value &value : *arguments) {
    const llvm::json::Object *argument = value.getAsObject();
    if (!argument)
      return llvm::createStringError("an argument is not a JSON object");
    info.arguments.push_back(
        {argument->getString("name").value_or("").str(),
         argument->getString("type").value_or("").str(),
         static_cast<uint64_t>(argument->getInteger("offset").value_or(0))});
  }
  return info;
}

llvm::Expected<KernelInfo> readDescriptor(llvm::MemoryBufferRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    auto name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != kSection)
      continue;
    auto contents = section.getContents();
    if (!contents)
      return contents.takeError();
    return fromText(*contents);
  }
  return llvm::createStringError(llvm::Twine("there is no section ") +
                                 kSection);
}

} // namespace nereid::cpu
