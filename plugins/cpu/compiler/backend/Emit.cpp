// Emit.cpp - LLVM's code generator and its assembler.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emit.h"

#include "kernel/Input.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::cpu {

void prepareModule(llvm::Module &module, const Target &target,
                   bool unwindTables) {
  module.setTargetTriple(target.machine->getTargetTriple().str());
  module.setDataLayout(target.machine->createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.setUWTableKind(unwindTables ? llvm::UWTableKind::Async
                                         : llvm::UWTableKind::None);
    if (!target.tuneCpu.empty())
      function.addFnAttr("tune-cpu", target.tuneCpu);
  }
}

llvm::Expected<Bytes> emitObject(llvm::Module &module, Target &target) {
  if (!target.generator) {
    auto generator = CodeGenerator::create(*target.machine,
                                           llvm::CodeGenFileType::ObjectFile);
    if (!generator)
      return generator.takeError();
    target.generator = std::move(*generator);
  }
  return target.generator->run(module);
}

llvm::Expected<Bytes> emitAssembly(llvm::Module &module, Target &target) {
  auto generator = CodeGenerator::create(*target.machine,
                                         llvm::CodeGenFileType::AssemblyFile);
  if (!generator)
    return generator.takeError();
  return (*generator)->run(module);
}

/// Records the first error of the parser.
static void recordError(const llvm::SMDiagnostic &diagnostic, void *into) {
  auto &first = *static_cast<std::optional<llvm::SMDiagnostic> *>(into);
  if (!first && diagnostic.getKind() == llvm::SourceMgr::DK_Error)
    first = diagnostic;
}

llvm::Expected<Bytes> assemble(llvm::StringRef text, const Target &target) {
  const llvm::TargetMachine &machine = *target.machine;
  const llvm::Target &llvmTarget = machine.getTarget();
  const llvm::Triple &triple = machine.getTargetTriple();
  const llvm::MCSubtargetInfo &features = *machine.getMCSubtargetInfo();
  std::optional<llvm::SMDiagnostic> problem;
  llvm::SourceMgr sources;
  sources.setDiagHandler(recordError, &problem);
  // A copy that ends with the NUL that the parser wants.
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "assembly"), llvm::SMLoc());

  llvm::MCContext context(triple, machine.getMCAsmInfo(),
                          machine.getMCRegisterInfo(), &features, &sources,
                          &machine.Options.MCOptions);
  std::unique_ptr<llvm::MCObjectFileInfo> files(
      llvmTarget.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(files.get());

  Bytes out;
  llvm::raw_svector_ostream stream(out);
  std::unique_ptr<llvm::MCAsmBackend> backend(llvmTarget.createMCAsmBackend(
      features, *machine.getMCRegisterInfo(), machine.Options.MCOptions));
  auto writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      llvmTarget.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  std::unique_ptr<llvm::MCStreamer> streamer(llvmTarget.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer),
      std::move(emitter), features));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(
      sources, context, *streamer, *machine.getMCAsmInfo()));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      llvmTarget.createMCAsmParser(features, *parser, *machine.getMCInstrInfo(),
                                   machine.Options.MCOptions));
  parser->setTargetParser(*targetParser);
  bool hasFailed = parser->Run(/*NoInitialTextSection=*/false);
  if (problem)
    return llvm::make_error<codegen::InputError>(problem->getLineNo(),
                                                 problem->getColumnNo() + 1,
                                                 problem->getMessage());
  if (hasFailed)
    return llvm::createStringError("the assembly is not valid");
  return out;
}

} // namespace nereid::cpu
