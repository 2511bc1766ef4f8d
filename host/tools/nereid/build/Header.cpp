// Header.cpp - writes C11 that is C++17 too.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/Header.h"

#include "Text.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace nereid::tool {

std::string identifierOf(std::string_view name) {
  std::string result;
  for (char c : name)
    result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
    result.insert(0, "_");
  return result;
}

// Words that cannot name a parameter, in C or in C++, and those that the
// function uses itself.
static bool isTaken(const std::string &name) {
  static const std::set<std::string> words = {
      "alignas",  "alignof",   "and",      "asm",      "auto",     "bool",
      "break",    "case",      "catch",    "char",     "class",    "compl",
      "const",    "constexpr", "continue", "decltype", "default",  "delete",
      "do",       "double",    "else",     "enum",     "explicit", "export",
      "extern",   "false",     "float",    "for",      "friend",   "goto",
      "if",       "inline",    "int",      "long",     "mutable",  "namespace",
      "new",      "noexcept",  "not",      "nullptr",  "operator", "or",
      "private",  "protected", "public",   "register", "restrict", "return",
      "short",    "signed",    "sizeof",   "static",   "struct",   "switch",
      "template", "this",      "throw",    "true",     "try",      "typedef",
      "typeid",   "typename",  "union",    "unsigned", "using",    "virtual",
      "void",     "volatile",  "while",    "xor",      "device",   "grid_x",
      "grid_y",   "grid_z",    "stream",   "launch",   "block"};
  return words.contains(name);
}

static std::vector<std::string> parameterNames(const Json &arguments) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const Json &argument : arguments) {
    std::string name = identifierOf(argument.value("name", ""));
    while (isTaken(name) || used.contains(name))
      name += '_';
    used.insert(name);
    names.push_back(name);
  }
  return names;
}

namespace {
struct ScalarType {
  const char *type, *c, *exact; ///< `exact`: associations of _Generic
};
} // namespace

static const ScalarType *scalarOf(const std::string &type) {
  static constexpr ScalarType types[] = {
      {"i1", "bool", "bool: ($)"},
      {"i8", "int8_t", "signed char: ($)"},
      {"i16", "int16_t", "short: ($)"},
      {"i32", "int32_t", "int: ($)"},
      {"i64", "int64_t", "long: ($), long long: ($)"},
      {"u8", "uint8_t", "unsigned char: ($)"},
      {"u16", "uint16_t", "unsigned short: ($)"},
      {"u32", "uint32_t", "unsigned int: ($)"},
      {"u64", "uint64_t", "unsigned long: ($), unsigned long long: ($)"},
      // The bits: C has no type for them everywhere.
      {"f16", "uint16_t", "unsigned short: ($)"},
      {"bf16", "uint16_t", "unsigned short: ($)"},
      {"f32", "float", "float: ($)"},
      {"f64", "double", "double: ($)"}};
  for (const ScalarType &each : types)
    if (type == each.type)
      return &each;
  return nullptr;
}

// "*f32" is nereid_pointer_f32_t, "**i8" nereid_pointer_pointer_i8_t.
static std::string pointerType(std::string_view type) {
  std::string name = "nereid_";
  for (; type.starts_with('*'); type.remove_prefix(1))
    name += "pointer_";
  return name + identifierOf(type) + "_t";
}

static std::string replaceAll(std::string text, std::string_view from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// A pointer of each type, once in a translation unit whatever the number of
// headers: passing an f16 pointer for an f32 one does not compile.
static std::string pointerTypes(const std::vector<Json> &kernels) {
  std::set<std::string> types;
  for (const Json &kernel : kernels)
    for (const Json &argument : kernel["arguments"])
      if (std::string type = argument.value("type", ""); type.starts_with('*'))
        types.insert(pointerType(type));
  std::string text;
  for (const std::string &type : types)
    text += "#ifndef NEREID_HAS_" + type + "\n#define NEREID_HAS_" + type +
            "\ntypedef struct " + type + " {\n  nereid_address_t address;\n} " +
            type + ";\n#endif\n";
  return text;
}

static std::string bytesText(nereid_bytes_t bytes) {
  std::string text;
  for (uint64_t i = 0; i < bytes.size; ++i) {
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02x",
                  static_cast<const unsigned char *>(bytes.data)[i]);
    text += (i ? (i % 8 ? ", " : ",\n  ") : "  ") + std::string(byte);
  }
  return text;
}

// Exact types of scalars, in both languages.
static constexpr const char *preamble = R"(
#include <nereid/host/archive.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#include <type_traits>
#ifndef NEREID_HAS_EXACT
#define NEREID_HAS_EXACT
namespace nereid {
// A number of this type: no other one converts to it.
template <typename Type> struct Exact {
  Type value;
  template <typename Given,
            typename = std::enable_if_t<
                std::is_floating_point_v<Given> ==
                    std::is_floating_point_v<Type> &&
                std::is_same_v<Given, bool> == std::is_same_v<Type, bool> &&
                std::is_arithmetic_v<Given> &&
                std::is_signed_v<Given> == std::is_signed_v<Type> &&
                sizeof(Given) == sizeof(Type)>>
  Exact(Given given) : value(static_cast<Type>(given)) {}
};
} // namespace nereid
#endif
#endif
)";

static constexpr const char *openFunctions = R"(
// The names and arguments of the kernels; an archive with others is refused.
static const uint8_t @_contract[16] = {
$contract
};

// Opens the archive in a file.
static inline nereid_status_t @_open(const char *path,
                                     nereid_archive_t **out_archive) {
  nereid_archive_open_t request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.path.data = path;
  request.path.size = strlen(path);
  request.contract.data = @_contract;
  request.contract.size = sizeof @_contract;
  return nereid_archive_open(&request, out_archive);
}

// Opens the archive that is linked into the program: `nereid build --object`.
#ifdef __cplusplus
extern "C" {
#endif
extern const unsigned char @_nra[];
extern const unsigned char @_nra_end[];
#ifdef __cplusplus
}
#endif
static inline nereid_status_t @_open_linked(nereid_archive_t **out_archive) {
  nereid_archive_open_t request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.memory.data = @_nra;
  request.memory.size = (uint64_t)(@_nra_end - @_nra);
  request.name.data = "@";
  request.name.size = strlen(request.name.data);
  request.contract.data = @_contract;
  request.contract.size = sizeof @_contract;
  return nereid_archive_open(&request, out_archive);
}
)";

// Text whose JSON is also a literal of C.
static bool isPlainText(const Json &value) {
  if (!value.is_string())
    return false;
  const auto &text = value.get_ref<const std::string &>();
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '?'; });
}

// Integers are constant expressions in both languages.
static std::string constantsText(const Json &kernel, const std::string &name) {
  std::string text;
  for (const Json &constant : kernel["constants"]) {
    const Json &value = constant["value"];
    std::string full = name + "_" + identifierOf(constant.value("name", ""));
    bool isSmall = value.is_number_integer() &&
                   value.get<int64_t>() >= INT32_MIN &&
                   value.get<int64_t>() <= INT32_MAX;
    if (isSmall)
      text += "enum { " + full + " = " + value.dump() + " };\n";
    else if (value.is_boolean())
      text +=
          "enum { " + full + " = " + (value.get<bool>() ? "1" : "0") + " };\n";
    else if (value.is_number() || isPlainText(value))
      text += "#define " + full + " " + value.dump() + "\n";
  }
  return text;
}

static std::string describeText(const Json &kernel) {
  // Names may hold anything; in a comment they are ASCII on one line.
  std::string text = "// " + printable(kernel.value("name", ""));
  if (std::string group = kernel.value("group", ""); !group.empty())
    text += ", group " + printable(group);
  text += ".\n";
  for (const Json &argument : kernel["arguments"])
    text += "//   " + printable(argument.value("name", "")) + ": " +
            argument.value("type", "") + '\n';
  return text;
}

static std::string launchText(const Json &kernel, const std::string &name,
                              uint32_t number) {
  const Json &arguments = kernel["arguments"];
  std::vector<std::string> names = parameterNames(arguments);
  std::string cParameters, cxxParameters, copies, checked, plain;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string type = arguments[i].value("type", "");
    std::string offset = std::to_string(arguments[i].value("offset", 0u));
    const ScalarType *scalar = scalarOf(type);
    std::string cType = scalar ? scalar->c : pointerType(type);
    std::string value = names[i] + (scalar ? "" : ".address");
    cParameters += ",\n    " + cType + " " + names[i];
    cxxParameters += ",\n    " +
                     (scalar ? "nereid::Exact<" + cType + ">" : cType) + " " +
                     names[i];
    copies += "  memcpy(block + " + offset + ", &" + value + ", sizeof " +
              value + ");\n";
    plain += ", " + names[i] + (scalar ? ".value" : "");
    checked +=
        ", " + (scalar ? "_Generic((" + names[i] + "), " +
                             replaceAll(scalar->exact, "$", names[i]) + ")"
                       : "(" + names[i] + ")");
  }
  std::string size = std::to_string(kernel.value("arguments_size", 0u));
  std::string room = size == "0" ? "8" : size;
  std::string list;
  for (const std::string &each : names)
    list += ", " + each;
  std::string text =
      describeText(kernel) + "enum { " + name +
      "_number = " + std::to_string(number) + " };\n" +
      constantsText(kernel, name) + "static inline nereid_status_t " + name +
      "_packed(\n    nereid_archive_device_t *device, uint32_t grid_x, "
      "uint32_t grid_y,\n    uint32_t grid_z, nereid_stream_t stream" +
      cParameters +
      ") {\n#ifdef __cplusplus\n  alignas(64) unsigned char block[" + room +
      "];\n#else\n  _Alignas(64) unsigned char block[" + room +
      "];\n#endif\n  nereid_launch_t launch;\n"
      "  memset(block, 0, sizeof block);\n" +
      copies +
      "  memset(&launch, 0, sizeof launch);\n"
      "  launch.struct_size = sizeof launch;\n"
      "  launch.grid[0] = grid_x;\n  launch.grid[1] = grid_y;\n"
      "  launch.grid[2] = grid_z;\n  launch.stream = stream;\n"
      "  launch.arguments = block;\n  launch.arguments_size = " +
      size + ";\n  return nereid_archive_launch(device, " + name +
      "_number, &launch);\n}\n";
  text += "#ifdef __cplusplus\nstatic inline nereid_status_t " + name +
          "(\n    nereid_archive_device_t *device, uint32_t grid_x, uint32_t "
          "grid_y,\n    uint32_t grid_z, nereid_stream_t stream" +
          cxxParameters + ") {\n  return " + name +
          "_packed(device, grid_x, grid_y, grid_z, stream" + plain +
          ");\n}\n#else\n#define " + name +
          "(device, grid_x, grid_y, grid_z, stream" + list + ") \\\n  " + name +
          "_packed((device), (grid_x), (grid_y), (grid_z), (stream)" + checked +
          ")\n#endif\n";
  return text;
}

static Expected<std::vector<Json>> describeKernels(const Archive &archive) {
  std::vector<Json> kernels;
  for (uint32_t i = 0; i < archive.info().kernel_count; ++i) {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_archive_describe_kernel(archive.get(), i, &buffer);
    Expected<Json> kernel = takeJson(status, buffer);
    if (!kernel)
      return kernel.error();
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

Expected<std::string> headerText(const Archive &archive,
                                 const std::string &prefix) {
  Expected<std::vector<Json>> kernels = describeKernels(archive);
  if (!kernels)
    return kernels.error();
  std::string guard = "NEREID_ARCHIVE_" + prefix + "_H";
  std::string text = "// The kernels of an archive, written by `nereid build`: "
                     "a launch function for each.\n// An argument of another "
                     "type is an error of the compiler.\n#ifndef " +
                     guard + "\n#define " + guard + "\n" + preamble + '\n' +
                     pointerTypes(*kernels);
  text += replaceAll(replaceAll(openFunctions, "@", prefix), "$contract",
                     bytesText(archive.info().contract));
  std::set<std::string> used = {prefix + "_open", prefix + "_open_linked",
                                prefix + "_nra", prefix + "_contract"};
  for (uint32_t i = 0; i < kernels->size(); ++i) {
    std::string kernel = (*kernels)[i].value("name", "");
    std::string name = prefix + "_" + identifierOf(kernel);
    if (!used.insert(name).second)
      return failure(workFailed, "kernel '" + kernel +
                                     "': its launch function would be '" +
                                     name +
                                     "', which is another one's; "
                                     "rename the kernel");
    text += '\n' + launchText((*kernels)[i], name, i);
  }
  return text + "\n#endif // " + guard + "\n";
}

} // namespace nereid::tool
