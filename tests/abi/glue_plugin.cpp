// glue_plugin.cpp - a plugin written with the C++ glue, which throws wherever
// its target says.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include <nereid/plugin.hpp>

#include <vector>

namespace glue = nereid::plugin;

namespace {

class Glue {
public:
  explicit Glue(const nereid_host_t &host) {
    if (glue::view(host.name) == "refused")
      throw glue::Error(NEREID_UNAVAILABLE, "this host is refused");
  }

  nereid_status_t scoreTarget(const nereid_target_t *target, int32_t *outScore,
                              const nereid_call_t *) const {
    std::string_view how = glue::view(target->backend);
    if (how == "error")
      throw glue::Error(NEREID_INCOMPATIBLE, "thrown on purpose");
    if (how == "success")
      throw glue::Error(NEREID_OK, "no failure at all");
    if (how == "memory")
      throw std::bad_alloc();
    if (how == "exception")
      (void)std::vector<int>().at(1);
    if (how == "integer")
      throw 1;
    *outScore = how == "glue" ? 100 : 0;
    return NEREID_OK;
  }

  nereid_status_t writeDependencies(const nereid_options_t *,
                                    const nereid_writer_t *writer,
                                    const nereid_call_t *) {
    glue::write(writer, "dependencies");
    return NEREID_OK;
  }

  nereid_status_t destroyOptions(nereid_options_t *, const nereid_call_t *) {
    throw 1;
  }
};

// [glue]
const nereid_compiler_t compiler = [] {
  nereid_compiler_t table = {};
  table.struct_size = sizeof(table);
  table.score_target = glue::slot<&Glue::scoreTarget>;
  table.write_dependencies = glue::slot<&Glue::writeDependencies>;
  table.destroy_options = glue::slot<&Glue::destroyOptions>;
  return table;
}();

const nereid_plugin_t plugin = [] {
  nereid_plugin_t table = {};
  table.struct_size = sizeof(table);
  table.abi_major = NEREID_ABI_MAJOR;
  table.abi_minor = NEREID_ABI_MINOR;
  table.abi_revision = NEREID_ABI_REVISION;
  table.id = glue::borrow(NEREID_PLUGIN_ID);
  table.version = glue::borrow(NEREID_PLUGIN_VERSION);
  table.device_type = glue::borrow("glue");
  table.compiler = &compiler;
  table.create = glue::create<Glue>;
  table.shutdown = glue::shutdown<Glue>;
  return table;
}();
// [/glue]
} // namespace

nereid_status_t nereid_plugin_entry_1(const nereid_host_t *,
                                      const nereid_plugin_t **outPlugin,
                                      const nereid_call_t *) {
  *outPlugin = &plugin;
  return NEREID_OK;
}
