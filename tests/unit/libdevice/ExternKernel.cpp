// ExternKernel.cpp - kernels that apply one external function to arrays.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ExternKernel.h"

#include "nereid/ext/libdevice.h"
#include "gtest/gtest.h"

#include <cstdio>

namespace nereid::test {

static Runtime makeRuntime() {
  auto options = detail::sized<nereid_runtime_options_t>();
  options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE;
  Expected<Runtime> runtime = Runtime::create(&options);
  if (!runtime)
    std::abort();
  return std::move(*runtime);
}

static Backend loadPlugin(const Runtime &runtime, const std::string &path) {
  Expected<Backend> backend = runtime.load(path);
  if (!backend) {
    std::fputs(backend.error().text.c_str(), stderr);
    std::abort();
  }
  return *backend;
}

LoadedPlugin::LoadedPlugin(const std::string &path)
    : runtime(makeRuntime()), loaded(loadPlugin(runtime, path)) {}

static std::string copyOf(nereid_string_t text) {
  return {text.data, text.size};
}

static std::string signless(nereid_string_t type) {
  std::string text = copyOf(type);
  if (text.front() == 'u')
    text.front() = 'i';
  return text;
}

static nereid_status_t addFunction(const nereid_libdevice_sink_t *sink,
                                   const nereid_libdevice_function_t *given) {
  ListedFunction function = {copyOf(given->name), copyOf(given->symbol),
                             signless(given->result), {}};
  for (uint64_t i = 0; i < given->operand_count; ++i)
    function.operands.push_back(signless(given->operands[i]));
  static_cast<std::vector<ListedFunction> *>(sink->user)->push_back(function);
  return NEREID_OK;
}

std::vector<ListedFunction> LoadedPlugin::functions() const {
  std::vector<ListedFunction> list;
  auto *table = static_cast<const nereid_libdevice_t *>(
      nereid_backend_extension(loaded.get(),
                               detail::borrow(NEREID_EXT_LIBDEVICE)));
  EXPECT_NE(table, nullptr);
  if (!table)
    return list;
  auto target = detail::sized<nereid_target_t>();
  EXPECT_EQ(nereid_backend_target(loaded.get(), 0, &target), NEREID_OK);
  nereid_libdevice_sink_t sink = {sizeof sink, 0, &list, addFunction};
  auto call = detail::sized<nereid_call_t>();
  EXPECT_EQ(table->visit_functions(nereid_backend_state(loaded.get()), &target,
                                   &sink, &call),
            NEREID_OK);
  return list;
}

size_t sizeOf(const std::string &type) { return type.ends_with("64") ? 8 : 4; }

static std::string tile(const std::string &element) {
  return "tensor<1024x" + element + ">";
}

static std::string pointers(const std::string &number,
                            const std::string &type) {
  std::string pointer = "!tt.ptr<" + type + ">";
  return "  %s" + number + " = tt.splat %a" + number + " : " + pointer +
         " -> " + tile(pointer) + "\n  %p" + number + " = tt.addptr %s" +
         number + ", %index : " + tile(pointer) + ", " + tile("i32") + "\n";
}

static std::string operationOf(const ListedFunction &function,
                               const std::string &operands,
                               const std::string &types,
                               const std::string &result) {
  if (function.symbol.starts_with("math."))
    return function.symbol + " " + operands + " : " + result;
  return "tt.extern_elementwise " + operands +
         " {libname = \"\", libpath = \"\", pure = true, symbol = \"" +
         function.symbol + "\"} : (" + types + ") -> " + result;
}

std::string textOf(const ListedFunction &function) {
  std::string result = function.result == "i1" ? "i32" : function.result;
  std::string arguments, loads, operands, types;
  size_t count = function.operands.size();
  for (size_t i = 0; i < count; ++i) {
    const std::string &type = function.operands[i];
    std::string number = std::to_string(i);
    arguments += "%a" + number + ": !tt.ptr<" + type + ">, ";
    loads += pointers(number, type) + "  %x" + number + " = tt.load %p" +
             number + " : " + tile("!tt.ptr<" + type + ">") + "\n";
    operands += (i ? ", %x" : "%x") + number;
    types += (i ? ", " : "") + tile(type);
  }
  std::string last = std::to_string(count);
  return "tt.func public @kernel(" + arguments + "%a" + last + ": !tt.ptr<" +
         result + ">) {\n  %block = arith.constant 1024 : i32\n"
         "  %id = tt.get_program_id x : i32\n"
         "  %start = arith.muli %id, %block : i32\n"
         "  %starts = tt.splat %start : i32 -> tensor<1024xi32>\n"
         "  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : "
         "tensor<1024xi32>\n"
         "  %index = arith.addi %starts, %range : tensor<1024xi32>\n" +
         loads + "  %y = " +
         operationOf(function, operands, types, tile(result)) + "\n" +
         pointers(last, result) + "  tt.store %p" + last + ", %y : " +
         tile("!tt.ptr<" + result + ">") + "\n  tt.return\n}\n";
}

ExternKernel::ExternKernel(const LoadedPlugin &plugin,
                           const ListedFunction &function,
                           const std::string &cpu)
    : backend(plugin.backend()), resultSize(sizeOf(function.result)) {
  load(textOf(function), cpu);
}

void ExternKernel::load(const std::string &text, const std::string &cpu) {
  nereid_value_t option = {};
  option.name = detail::borrow("cpu");
  option.type = NEREID_TYPE_STRING;
  option.text = detail::borrow(cpu);
  nereid_compile_request_t request = {};
  request.source = {text.data(), text.size()};
  request.source_name = detail::borrow("kernel.ttir");
  request.options = &option;
  request.option_count = cpu.empty() ? 0 : 1;
  Expected<Artifact> artifact = backend.compile(request);
  ASSERT_TRUE(artifact) << artifact.error().text;
  Expected<Function> loaded = backend.load(*artifact);
  ASSERT_TRUE(loaded) << loaded.error().text;
  kernel.push_back(std::move(*loaded));
}

Bytes ExternKernel::run(const std::vector<Bytes> &operands,
                        size_t count) const {
  Bytes result(count * resultSize);
  if (kernel.empty())
    return result;
  std::vector<Memory> memories;
  std::vector<nereid_address_t> block;
  auto allocate = [&](const Bytes &bytes) {
    Expected<Memory> memory = backend.allocate(bytes.size());
    ASSERT_TRUE(memory) << memory.error().text;
    block.push_back(memory->address());
    memories.push_back(std::move(*memory));
  };
  for (const Bytes &operand : operands) {
    allocate(operand);
    EXPECT_TRUE(memories.back().write(operand.data()));
  }
  allocate(result);
  Expected<void> launched =
      kernel[0].launchPacked({uint32_t(count / kBlock)}, 0, block.data(),
                             block.size() * sizeof block[0]);
  EXPECT_TRUE(launched) << launched.error().text;
  EXPECT_TRUE(memories.back().read(result.data()));
  return result;
}

} // namespace nereid::test
