// Emit.cpp - LLVM's code generator and its assembler.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emit.h"

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

/// Keeps the first error of the parser.
static void keepError(const llvm::SMDiagnostic &diagnostic, void *into) {
  auto &message = *static_cast<std::string *>(into);
  if (!message.empty() || diagnostic.getKind() != llvm::SourceMgr::DK_Error)
    return;
  message = "assembly:" + std::to_string(diagnostic.getLineNo()) + ":" +
            std::to_string(diagnostic.getColumnNo() + 1) + ": " +
            diagnostic.getMessage().str();
}

llvm::Expected<Bytes> assemble(llvm::StringRef text, const Target &target) {
  const llvm::TargetMachine &machine = *target.machine;
  const llvm::Target &llvmTarget = machine.getTarget();
  const llvm::Triple &triple = machine.getTargetTriple();
  const llvm::MCSubtargetInfo &features = *machine.getMCSubtargetInfo();
  std::string message;
  llvm::SourceMgr sources;
  sources.setDiagHandler(keepError, &message);
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
  if (parser->Run(/*NoInitialTextSection=*/false) || !message.empty())
    return llvm::createStringError(message.empty() ? "assembly is not valid"
                                                   : message);
  return out;
}

} // namespace nereid::cpu
