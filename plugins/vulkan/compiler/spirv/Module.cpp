// Module.cpp - the sections of a module, and what it requires.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Module.h"

#include <algorithm>

namespace nereid::spirv {

Module::Module() : ids(1), types(1), constants(isComposite + 1) {
  ids.reserve(size_t(1) << 12);
  noted[0] = true; // "requires nothing"
  for (size_t i = 1; i < requirements().size(); ++i)
    if (requirements()[i].subject == Subject::Always)
      note(static_cast<uint8_t>(i));
}

Id Module::globalVariable(spv::StorageClass storage, TypeId pointee,
                          Id initializer) {
  TypeId pointer = pointerType(storage, pointee);
  Id id = newId(pointer);
  if (initializer)
    append(globals, spv::Op::OpVariable, pointer, id, storage, initializer);
  else
    append(globals, spv::Op::OpVariable, pointer, id, storage);
  interface.push_back(id);
  bool isExplicit =
      storage == spv::StorageClass::Workgroup && type(pointee).isBlock;
  if (isExplicit)
    note(findRequirement(Subject::ExplicitWorkgroup, 0));
  if (storage == spv::StorageClass::Workgroup ||
      storage == spv::StorageClass::Private)
    noteVariable(pointee, isExplicit);
  return id;
}

Id Module::builtIn(spv::BuiltIn which) {
  const uint32_t words[] = {toWord(spv::Op::OpVariable), toWord(which)};
  if (uint32_t known = interned[words])
    return {known};
  note(findRequirement(Subject::BuiltIn, which));
  bool isVector = which == spv::BuiltIn::NumWorkgroups ||
                  which == spv::BuiltIn::WorkgroupId ||
                  which == spv::BuiltIn::LocalInvocationId ||
                  which == spv::BuiltIn::GlobalInvocationId;
  Id id = globalVariable(spv::StorageClass::Input,
                         isVector ? vectorType(intType(32), 3) : intType(32));
  decorate(id, spv::Decoration::BuiltIn, which);
  interned[words] = id.number;
  return id;
}

Id Module::instructionSet() {
  if (!glsl)
    glsl = {newNumber()};
  return glsl;
}

void Module::setName(uint32_t target, std::string_view text) {
  LongInstruction instruction(names, spv::Op::OpName, target);
  instruction << text;
  instruction.end();
}

void Module::processed(std::string_view text) {
  LongInstruction instruction(processes, spv::Op::OpModuleProcessed);
  instruction << text;
  instruction.end();
}

FileId Module::file(std::string_view name) {
  for (const auto &[id, known] : files)
    if (known == name)
      return id;
  FileId id = {newNumber()};
  files.emplace_back(id, name);
  LongInstruction instruction(strings, spv::Op::OpString, id);
  instruction << name;
  instruction.end();
  return id;
}

std::string_view Module::fileName(FileId file) const {
  for (const auto &[id, known] : files)
    if (id == file)
      return known;
  return {};
}

void Module::entryPoint(FunctionId function, std::string_view name) {
  entryPoints.push_back({function, std::string(name)});
}

void Module::noteFirst(uint8_t requirement) {
  noted[requirement] = true;
  uses.push_back({requirement, here});
}

void Module::reportMisuse(std::string text) {
  if (!firstMisuse.empty())
    return;
  if (here.file)
    firstMisuse = std::string(fileName(here.file)) + ":" +
                  std::to_string(here.line) + ":" +
                  std::to_string(here.column) + ": ";
  firstMisuse += text;
}

/// Includes types of 8 and 16 bits that nothing else allows: neither memory of
/// their width nor arithmetic on them. Values may be rounded to such a type and
/// back.
std::vector<Module::Use> Module::allUses() const {
  std::vector<Use> all = uses;
  for (const Use &declaration : smallTypes) {
    uint32_t scalar = requirements()[declaration.requirement].key;
    uint32_t bits = bitsOf(static_cast<Scalar>(scalar));
    bool isAllowed = std::ranges::any_of(uses, [&](const Use &use) {
      const Requirement &row = requirements()[use.requirement];
      return (row.subject == Subject::Arithmetic && row.key == scalar) ||
             (row.subject == Subject::PointerTo && row.secondKey == bits) ||
             (row.subject == Subject::ExplicitWorkgroup && row.key == bits);
    });
    if (!isAllowed)
      all.push_back(declaration);
  }
  return all;
}

std::vector<spv::Capability> Module::usedCapabilities() const {
  std::vector<spv::Capability> used;
  for (const Use &use : allUses()) {
    spv::Capability capability = requirements()[use.requirement].capability;
    if (std::ranges::find(used, capability) == used.end())
      used.push_back(capability);
  }
  return used;
}

std::vector<MissingCapability>
Module::missing(const DeviceCapabilities &device) const {
  std::vector<MissingCapability> list;
  for (const Use &use : allUses()) {
    const Requirement &row = requirements()[use.requirement];
    const CapabilityInfo *info = findCapability(row.capability);
    bool isListed = std::ranges::any_of(
        list, [&](const auto &other) { return other.capability == info; });
    if (!isListed && !device.has(row.capability))
      list.push_back({info, row.what, std::string(fileName(use.location.file)),
                      use.location.line, use.location.column});
  }
  return list;
}

Words Module::assembleSections() const {
  constexpr uint32_t version = 0x00010600, generator = 0, schema = 0;
  Words module;
  size_t body = strings.size() + names.size() + processes.size() +
                annotations.size() + globals.size() + functions.size() +
                executionModes.size();
  module.reserve(body + 256 + interface.size() * entryPoints.size());
  module = {spv::MagicNumber, version, generator,
            static_cast<uint32_t>(ids.size()), schema};

  std::vector<std::string_view> extensions;
  std::vector<spv::Capability> used = usedCapabilities();
  for (spv::Capability capability : used) {
    append(module, spv::Op::OpCapability, capability);
    std::string_view extension = findCapability(capability)->extension;
    if (!extension.empty() &&
        std::ranges::find(extensions, extension) == extensions.end())
      extensions.push_back(extension);
  }
  for (std::string_view extension : extensions) {
    LongInstruction instruction(module, spv::Op::OpExtension);
    instruction << extension;
    instruction.end();
  }
  if (glsl) {
    LongInstruction instruction(module, spv::Op::OpExtInstImport, glsl);
    instruction << std::string_view("GLSL.std.450");
    instruction.end();
  }
  bool hasAddresses =
      std::ranges::find(
          used, spv::Capability::PhysicalStorageBufferAddresses) != used.end();
  append(module, spv::Op::OpMemoryModel,
         hasAddresses ? spv::AddressingModel::PhysicalStorageBuffer64
                      : spv::AddressingModel::Logical,
         spv::MemoryModel::Vulkan);
  for (const EntryPoint &entry : entryPoints) {
    LongInstruction instruction(module, spv::Op::OpEntryPoint,
                                spv::ExecutionModel::GLCompute, entry.function);
    instruction << std::string_view(entry.name)
                << std::span<const Id>(interface);
    instruction.end();
  }
  for (const Words *section : {&executionModes, &strings, &names, &processes,
                               &annotations, &globals, &functions})
    module.insert(module.end(), section->begin(), section->end());
  return module;
}

} // namespace nereid::spirv
