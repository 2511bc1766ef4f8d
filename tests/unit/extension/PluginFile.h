// PluginFile.h - a plugin file opened without a host, for tests of the plugin
// itself.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_EXTENSION_PLUGINFILE_H
#define NEREID_TESTS_EXTENSION_PLUGINFILE_H

#include "nereid/plugin.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::test {

inline std::string_view view(nereid_string_t text) {
  return text.size ? std::string_view(text.data, text.size)
                   : std::string_view();
}
inline nereid_string_t borrow(std::string_view text) {
  return {text.data(), text.size()};
}

/// One call into the plugin; keeps what is reported, "line:column: message".
class TestCall : public nereid_call_t {
public:
  std::vector<std::string> messages;

  TestCall() : nereid_call_t{sizeof(nereid_call_t), 0, this, take, nullptr} {}
  TestCall(const TestCall &) = delete;
  TestCall &operator=(const TestCall &) = delete;

  /// The message since the last call of this; one is expected.
  std::string text() {
    std::string text =
        messages.size() == 1 ? messages.front() : "not one message";
    messages.clear();
    return text;
  }

private:
  static void take(const nereid_call_t *call,
                   const nereid_diagnostic_t *diagnostic);
};

/// Takes what a slot writes.
class TestWriter : public nereid_writer_t {
public:
  std::string text;

  TestWriter() : nereid_writer_t{sizeof(nereid_writer_t), 0, this, append} {}
  TestWriter(const TestWriter &) = delete;
  TestWriter &operator=(const TestWriter &) = delete;

private:
  static nereid_status_t append(const nereid_writer_t *writer, const void *data,
                                uint64_t size);
};

/// Takes values, as text: "name=4", "name=[0,8]", "name=text".
class TestValues : public nereid_value_sink_t {
public:
  std::map<std::string, std::string> values;

  TestValues()
      : nereid_value_sink_t{sizeof(nereid_value_sink_t), 0, this, take} {}
  TestValues(const TestValues &) = delete;
  TestValues &operator=(const TestValues &) = delete;

private:
  static nereid_status_t take(const nereid_value_sink_t *sink,
                              const nereid_value_t *value);
};

/// Opens, creates and shuts down the plugin at \p path.
class PluginFile {
public:
  const nereid_plugin_t *plugin = nullptr;
  nereid_state_t *state = nullptr;

  explicit PluginFile(const char *path);
  ~PluginFile();
  PluginFile(const PluginFile &) = delete;
  PluginFile &operator=(const PluginFile &) = delete;

  const nereid_compiler_t &compiler() const { return *plugin->compiler; }
  const nereid_driver_t &driver() const { return *plugin->driver; }
  const void *extension(std::string_view id) const {
    return plugin->get_extension(state, borrow(id));
  }

private:
  void *library = nullptr;
  nereid_host_t host = {};
};

} // namespace nereid::test

#endif // NEREID_TESTS_EXTENSION_PLUGINFILE_H
