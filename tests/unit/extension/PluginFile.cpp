// PluginFile.cpp - a plugin file opened without a host.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "PluginFile.h"

#include <dlfcn.h>

#include <stdexcept>

namespace nereid::test {

void TestCall::take(const nereid_call_t *call,
                    const nereid_diagnostic_t *diagnostic) {
  auto &self = *static_cast<TestCall *>(call->user);
  std::string text;
  if (diagnostic->line)
    text = std::to_string(diagnostic->line) + ':' +
           std::to_string(diagnostic->column) + ": ";
  self.messages.push_back(text.append(view(diagnostic->message)));
}

nereid_status_t TestWriter::append(const nereid_writer_t *writer,
                                   const void *data, uint64_t size) {
  static_cast<TestWriter *>(writer->user)
      ->text.append(static_cast<const char *>(data), size);
  return NEREID_OK;
}

template <typename Item, typename Print>
static std::string listText(const nereid_value_t &value, Print print) {
  std::string text = "[";
  for (uint64_t i = 0; i < value.list_size; ++i)
    text += (i ? "," : "") + print(static_cast<const Item *>(value.list)[i]);
  return text + "]";
}

static std::string valueText(const nereid_value_t &value) {
  auto number = [](auto n) { return std::to_string(n); };
  switch (value.type) {
  case NEREID_TYPE_I64:
  case NEREID_TYPE_BOOL:
    return std::to_string(value.i64);
  case NEREID_TYPE_F64:
    return std::to_string(value.f64);
  case NEREID_TYPE_I64_LIST:
    return listText<int64_t>(value, number);
  case NEREID_TYPE_F64_LIST:
    return listText<double>(value, number);
  case NEREID_TYPE_STRING_LIST:
    return listText<nereid_string_t>(
        value, [](nereid_string_t text) { return std::string(view(text)); });
  default:
    return std::string(view(value.text));
  }
}

nereid_status_t TestValues::take(const nereid_value_sink_t *sink,
                                 const nereid_value_t *value) {
  auto &self = *static_cast<TestValues *>(sink->user);
  self.values[std::string(view(value->name))] = valueText(*value);
  return NEREID_OK;
}

PluginFile::PluginFile(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(dlerror());
  auto *entry = reinterpret_cast<nereid_plugin_entry_1_t>(
      dlsym(library, NEREID_PLUGIN_ENTRY_NAME));
  host.struct_size = sizeof(host);
  host.abi_major = NEREID_ABI_MAJOR;
  host.abi_minor = NEREID_ABI_MINOR;
  host.abi_revision = NEREID_ABI_REVISION;
  host.name = borrow("test");
  host.plugin_path = borrow(path);
  TestCall call;
  if (!entry || entry(&host, &plugin, &call) != NEREID_OK ||
      (plugin->create && plugin->create(&host, &state, &call) != NEREID_OK))
    throw std::runtime_error(call.text());
}

PluginFile::~PluginFile() {
  TestCall call;
  if (plugin && plugin->shutdown)
    plugin->shutdown(state, &call);
  dlclose(library);
}

} // namespace nereid::test
