// LoaderFixture.h - a folder of plugin files for one test, and a registry that
// looks into it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_LOADERFIXTURE_H
#define NEREID_TESTS_LOADERFIXTURE_H

#include "plugin/PluginRegistry.h"
#include "runtime/Log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nereid::host {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class LoaderFixture : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "nereid-loader-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    root = fs::canonical(name);
    unsetenv("NEREID_FIXTURE_RAN");
    // No plugins of the build tree or of this machine.
    options.usesDefaultDirs = false;
    options.pluginDirs = root.string();
  }
  void TearDown() override {
    registry.reset();
    fs::remove_all(root);
  }

  static fs::path fixture(const std::string &name) {
    return fs::path(NEREID_FIXTURE_DIR) / (name + ".so");
  }

  /// Copies fixture \p name into the folder.
  fs::path place(const std::string &name, const std::string &as = {}) {
    fs::path path = root / (as.empty() ? name + ".so" : as);
    fs::create_directories(path.parent_path());
    fs::copy_file(fixture(name), path, fs::copy_options::overwrite_existing);
    fs::permissions(path, fs::perms(0755));
    return path;
  }

  static std::string contents(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  fs::path write(const std::string &name, const std::string &bytes) {
    fs::path path = root / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms(0644));
    return path;
  }

  PluginRegistry &make() {
    registry = std::make_unique<PluginRegistry>(options, &log);
    return *registry;
  }
  PluginRegistry &discover() {
    make().discover();
    return *registry;
  }

  /// The report's line about the file \p name; a failure if there is none.
  const Candidate &line(const std::string &name) const {
    for (size_t i = 0; i < registry->candidateCount(); ++i)
      if (fs::path(registry->candidate(i)->path).filename() == name)
        return *registry->candidate(i);
    ADD_FAILURE() << "no line about " << name << " in\n" << registry->report();
    static const Candidate none;
    return none;
  }
  /// The reason code of the only file, which is fixture \p name.
  std::string codeOf(const std::string &name) {
    place(name);
    discover();
    return std::string(line(name + ".so").code());
  }
  std::vector<std::string> loadedIds() const {
    std::vector<std::string> ids;
    for (const std::shared_ptr<Plugin> &plugin : registry->backends())
      ids.push_back(plugin->info.id);
    return ids;
  }
  static bool ranCode() { return getenv("NEREID_FIXTURE_RAN"); }

  std::string messages() {
    std::lock_guard lock(mutex);
    return text;
  }

  fs::path root;
  RegistryOptions options;
  Log log{
      [](void *user, nereid_string_t, const nereid_diagnostic_t *diagnostic) {
        auto *self = static_cast<LoaderFixture *>(user);
        std::lock_guard lock(self->mutex);
        self->text += std::string(view(diagnostic->message)) + "\n";
      },
      this, NEREID_SEVERITY_WARNING};
  std::unique_ptr<PluginRegistry> registry;

private:
  std::mutex mutex;
  std::string text;
};

} // namespace nereid::host

#endif // NEREID_TESTS_LOADERFIXTURE_H
