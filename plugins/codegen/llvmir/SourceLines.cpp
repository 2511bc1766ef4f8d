// SourceLines.cpp - debug information: the source lines of a kernel's code.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/SourceLines.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nereid::codegen {

/// The file location in `location`; null if there is none.
static FileLineColLoc placeOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return place;
  if (auto name = dyn_cast<NameLoc>(location))
    return placeOf(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = placeOf(part))
        return place;
  return nullptr;
}

/// The call site in `location`; null if there is none.
static CallSiteLoc callOf(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return call;
  if (auto name = dyn_cast<NameLoc>(location))
    return callOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (CallSiteLoc call = callOf(part))
        return call;
  return nullptr;
}

/// Is `place` in Triton's own library, which users do not debug?
static bool isLibrary(FileLineColLoc place) {
  return place.getFilename().getValue().contains("/triton/language/");
}

SourceLines::SourceLines(tt::FuncOp kernel, llvm::Function &entry)
    : builder(*entry.getParent()) {
  llvm::Module &module = *entry.getParent();
  // A module may have several kernels, or forms of one.
  module.setModuleFlag(llvm::Module::Warning, "Debug Info Version",
                       llvm::DEBUG_METADATA_VERSION);
  module.setModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  FileLineColLoc place = placeOf(kernel.getLoc());
  llvm::DIFile *file = fileOf(place ? place.getFilename().getValue() : "");
  builder.createCompileUnit(llvm::dwarf::DW_LANG_Python, file, "nereid",
                            /*isOptimized=*/true, "", 0);
  kernelScope = subprogram(kernel.getName(), file, place ? place.getLine() : 0);
  entry.setSubprogram(kernelScope);
}

llvm::DIFile *SourceLines::fileOf(llvm::StringRef path) {
  llvm::DIFile *&file = files[path];
  if (!file)
    file = builder.createFile(llvm::sys::path::filename(path),
                              llvm::sys::path::parent_path(path));
  return file;
}

llvm::DISubprogram *SourceLines::subprogram(llvm::StringRef name,
                                            llvm::DIFile *file, unsigned line) {
  llvm::DISubroutineType *type =
      builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  return builder.createFunction(
      file, name, "", file, line, type, line, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
}

llvm::DILocation *SourceLines::make(FileLineColLoc place,
                                    llvm::DILocation *caller) {
  llvm::DISubprogram *scope = kernelScope;
  llvm::DIFile *file = fileOf(place.getFilename().getValue());
  if (caller) {
    // Inlining does not preserve the names of helpers: use their file instead.
    llvm::DISubprogram *&helper = helpers[file];
    if (!helper)
      helper = subprogram(llvm::sys::path::stem(file->getFilename()), file, 0);
    scope = helper;
  }
  llvm::DIScope *inFile = scope;
  if (scope->getFile() != file)
    inFile = builder.createLexicalBlockFile(scope, file, 0);
  return llvm::DILocation::get(kernelScope->getContext(), place.getLine(),
                               place.getColumn(), inFile, caller);
}

llvm::DILocation *SourceLines::locate(Location location) {
  auto found = known.find(location);
  if (found != known.end())
    return found->second;
  FileLineColLoc place = placeOf(location);
  llvm::DILocation *result = nullptr;
  if (CallSiteLoc call = callOf(location)) {
    llvm::DILocation *caller = locate(call.getCaller());
    result = !place || (caller && isLibrary(place)) ? caller
                                                    : make(place, caller);
  } else if (place) {
    result = make(place, nullptr);
  }
  known[location] = result;
  return result;
}

llvm::DebugLoc SourceLines::find(Location location) {
  if (llvm::DILocation *found = locate(location))
    return found;
  return llvm::DILocation::get(kernelScope->getContext(),
                               kernelScope->getLine(), 0, kernelScope);
}

} // namespace nereid::codegen
