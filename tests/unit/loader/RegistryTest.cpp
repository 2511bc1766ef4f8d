// RegistryTest.cpp - tables of this process, the end of plugins, and threads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "LoaderFixture.h"

#include "plugin/Choice.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <thread>

namespace nereid::host {
namespace {

std::vector<std::string> events; // of the tables below, in order

nereid_status_t createEvent(const nereid_host_t *host, nereid_state_t **,
                            const nereid_call_t *) {
  events.push_back("create for " + std::string(view(host->name)));
  return NEREID_OK;
}
nereid_status_t shutdownFirst(nereid_state_t *, const nereid_call_t *) {
  events.push_back("shutdown first");
  return NEREID_OK;
}
nereid_status_t shutdownSecond(nereid_state_t *, const nereid_call_t *) {
  events.push_back("shutdown second");
  return NEREID_OK;
}

/// The slots of a driver that can be told to be anything.
nereid_driver_t paperDriver() {
  nereid_driver_t driver = {};
  driver.struct_size = sizeof driver;
  driver.probe = [](nereid_state_t *, nereid_probe_t *out,
                    const nereid_writer_t *reason, const nereid_call_t *) {
    out->score = 100;
    out->device_count = 1;
    return reason->write(reason, "paper", 5);
  };
  driver.get_target = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.synchronize = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.synchronize_device = [](auto...) -> nereid_status_t {
    return NEREID_OK;
  };
  driver.visit_properties = [](auto...) -> nereid_status_t {
    return NEREID_OK;
  };
  driver.allocate = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.free = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.copy = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.load_image = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.unload_module = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.get_kernel = [](auto...) -> nereid_status_t { return NEREID_OK; };
  driver.launch = [](auto...) -> nereid_status_t { return NEREID_OK; };
  return driver;
}

class Registry : public LoaderFixture {
protected:
  void SetUp() override {
    LoaderFixture::SetUp();
    events.clear();
    options.pluginDirs.clear();
    for (nereid_plugin_t *table : {&first, &second}) {
      table->struct_size = sizeof *table;
      table->abi_major = NEREID_ABI_MAJOR;
      table->abi_minor = NEREID_ABI_MINOR;
      table->abi_revision = NEREID_ABI_REVISION;
      table->device_type = borrow("paper");
      table->driver = &driver;
      table->create = createEvent;
    }
    first.id = borrow("first");
    second.id = borrow("second");
    first.shutdown = shutdownFirst;
    second.shutdown = shutdownSecond;
  }
  nereid_driver_t driver = paperDriver();
  nereid_plugin_t first = {}, second = {};
};

TEST_F(Registry, ATableIsFoundByItsDeviceTypeUntilItIsUnregistered) {
  options.loader.hostName = "a test";
  Result<std::shared_ptr<Plugin>> added = make().registerTable(&first);
  ASSERT_TRUE(added);
  EXPECT_THAT(events, ElementsAre("create for a test"));
  EXPECT_EQ(*registry->backend("paper"), *added);
  EXPECT_NE((*added)->info.buildId, "")
      << "the cache needs to tell builds apart";
  EXPECT_TRUE(registry->unregister(**added));
  EXPECT_FALSE(registry->backend("paper"));
  EXPECT_FALSE(registry->unregister(**added));
  EXPECT_EQ(events.size(), 1u) << "somebody still holds it";
  added = Failure{NEREID_NOT_FOUND, "let go"};
  EXPECT_THAT(events, ElementsAre("create for a test", "shutdown first"));
  EXPECT_EQ(registry->candidate(0)->code(), "unregistered");
}

TEST_F(Registry, ADriverWithAnAbsurdNumberOfDevicesIsInactive) {
  driver.probe = [](nereid_state_t *, nereid_probe_t *out,
                    const nereid_writer_t *, const nereid_call_t *) {
    out->score = 100;
    out->device_count = UINT32_MAX;
    return nereid_status_t{NEREID_OK};
  };
  Result<std::shared_ptr<Plugin>> added = make().registerTable(&first);
  ASSERT_TRUE(added);
  EXPECT_EQ((*added)->probe().result.score, 0);
  EXPECT_EQ((*added)->probe().result.device_count, 0u);
  EXPECT_EQ((*added)->probe().reason,
            "its probe returned 4294967295 devices, expected at most 4096");
}

TEST_F(Registry, ADriverIsAskedOnceAndNotForAnotherOnesTarget) {
  static int asked;
  asked = 0;
  driver.probe = [](nereid_state_t *, nereid_probe_t *out,
                    const nereid_writer_t *, const nereid_call_t *) {
    ++asked;
    out->score = 1;
    out->device_count = 1;
    return nereid_status_t{NEREID_OK};
  };
  Result<std::shared_ptr<Plugin>> added = make().registerTable(&first);
  ASSERT_TRUE(added);
  EXPECT_FALSE(choose({*added}, "another", ""));
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(choose({*added}, first.id.data, ""));
  EXPECT_TRUE(choose({*added}, "", ""));
  EXPECT_EQ(asked, 1);
}

TEST_F(Registry, TheSameIdIsNotRegisteredTwiceButAgainLater) {
  const Plugin *plugin = make().registerTable(&first)->get();
  second.id = first.id;
  Result<std::shared_ptr<Plugin>> again = registry->registerTable(&second);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.failure().text, HasSubstr("'first' is loaded already"));
  EXPECT_TRUE(registry->unregister(*plugin));
  EXPECT_TRUE(registry->registerTable(&second));
}

TEST_F(Registry, ABadTableIsRefusedWithAReason) {
  make();
  EXPECT_FALSE(registry->registerTable(nullptr));
  nereid_plugin_t tiny = {};
  tiny.struct_size = 4;
  EXPECT_FALSE(registry->registerTable(&tiny));
  second.id = borrow("Not An Id");
  EXPECT_FALSE(registry->registerTable(&second));
  first.description = {nullptr, 7};
  EXPECT_FALSE(registry->registerTable(&first));
  driver.struct_size = 4;
  first.description = {};
  EXPECT_FALSE(registry->registerTable(&first));
  ASSERT_EQ(registry->candidateCount(), 5u);
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(registry->candidate(i)->code(), "bad-table");
}

TEST_F(Registry, ATableOfAnotherVersionIsRefused) {
  make();
  first.abi_revision = NEREID_ABI_REVISION - 1;
  EXPECT_FALSE(registry->registerTable(&first));
  second.abi_major = NEREID_ABI_MAJOR + 1;
  EXPECT_FALSE(registry->registerTable(&second));
  ASSERT_EQ(registry->candidateCount(), 2u);
  EXPECT_EQ(registry->candidate(0)->code(), "abi-revision");
  EXPECT_EQ(registry->candidate(1)->code(), "abi-major");
  EXPECT_TRUE(events.empty()) << "nothing of them is called";
}

TEST_F(Registry, PluginsEndInTheReverseOrderOfTheirStart) {
  make();
  ASSERT_TRUE(registry->registerTable(&first));
  ASSERT_TRUE(registry->registerTable(&second));
  events.clear();
  registry.reset();
  EXPECT_THAT(events, ElementsAre("shutdown second", "shutdown first"));
}

TEST_F(Registry, ALibraryIsClosedOnlyIfItsPluginAllowsIt) {
  for (const char *name : {"unloadable", "good"}) {
    std::shared_ptr<Plugin> plugin = *make().load(place(name).string());
    const void *address = reinterpret_cast<const void *>(plugin->driver.launch);
    EXPECT_TRUE(registry->unregister(*plugin));
    plugin.reset();
    std::ifstream maps("/proc/self/maps");
    std::string text(std::istreambuf_iterator<char>(maps), {});
    bool isMapped =
        text.find((root / name).string() + ".so") != std::string::npos;
    EXPECT_EQ(isMapped, std::string(name) == "good") << address;
  }
}

// What is mapped stays mapped: the new file's build id must not stand for it.
TEST_F(Registry, AReplacedFileIsNotLoadedWithItsOldCode) {
  fs::path path = place("good", "plugin.so");
  ASSERT_TRUE(make().load(path.string()));
  registry.reset();
  place("newer", "other.so");
  fs::rename(root / "other.so", path);
  EXPECT_FALSE(make().load(path.string()));
  EXPECT_EQ(registry->candidate(0)->code(), "other-build-mapped");
  EXPECT_THAT(registry->candidate(0)->detail, HasSubstr("fixture.good"));
}

TEST_F(Registry, ARefusedPluginIsNamedWhenItIsRequested) {
  place("entry_fails");
  options.pluginDirs = root.string();
  discover();
  Result<Choice> choice = registry->choose("fixture.entry_fails");
  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.failure().text, HasSubstr("failed on purpose"));
  Result<std::shared_ptr<Plugin>> other = registry->backend("fixture.entry");
  EXPECT_THAT(other.failure().text, HasSubstr("no plugin is called"));
}

TEST_F(Registry, AnExplanationHasTheErrorOfTheChoice) {
  place("entry_fails");
  options.pluginDirs = root.string();
  discover();
  ASSERT_TRUE(registry->registerTable(&first));
  auto explained = [this](std::string_view name) {
    return std::string(nlohmann::json::parse(registry->explain(name))["error"]);
  };
  for (std::string_view name : {"fixture.entry_fails", "frist", "nothing:1"})
    EXPECT_EQ(explained(name), registry->choose(name).failure().text);
  EXPECT_THAT(explained("fixture.entry_fails"), HasSubstr("failed on purpose"));
  EXPECT_EQ(explained(":1"), registry->choose(":1").failure().text);
}

TEST_F(Registry, TheTargetOfTheEnvironmentIsChosen) {
  options.target = "second";
  make();
  ASSERT_TRUE(registry->registerTable(&first));
  ASSERT_TRUE(registry->registerTable(&second));
  EXPECT_EQ(registry->choose({})->plugin->info.id, "second");
  EXPECT_EQ(registry->choose("first")->plugin->info.id, "first");
  nlohmann::json json = nlohmann::json::parse(registry->explain({}));
  EXPECT_EQ(json["rule"], "environment");
}

TEST_F(Registry, ATieIsReportedOnce) {
  make();
  ASSERT_TRUE(registry->registerTable(&first));
  ASSERT_TRUE(registry->registerTable(&second));
  EXPECT_EQ(registry->choose({})->plugin->info.id, "first");
  EXPECT_THAT(messages(), HasSubstr("'second'"));
  std::string before = messages();
  EXPECT_TRUE(registry->choose({}));
  EXPECT_EQ(messages(), before);
}

TEST_F(Registry, HostExtensionsReachThePlugin) {
  static const int table = 42;
  options.loader.extensions.find = [](std::string_view id) -> const void * {
    return id == "nereid.test/1" ? &table : nullptr;
  };
  options.loader.extensions.identity = [](std::string_view) {
    return std::string("build 1");
  };
  static const void *found, *unknown;
  first.create = [](const nereid_host_t *host, nereid_state_t **,
                    const nereid_call_t *) -> nereid_status_t {
    found = host->get_extension(host, borrow("nereid.test/1"));
    unknown = host->get_extension(host, borrow("nereid.other/1"));
    return NEREID_OK;
  };
  Result<std::shared_ptr<Plugin>> added = make().registerTable(&first);
  ASSERT_TRUE(added);
  EXPECT_EQ((*added)->usedExtensions, "nereid.test/1=build 1\n")
      << "its kernels depend on it";
  EXPECT_EQ(found, &table);
  EXPECT_EQ(unknown, nullptr);
}

TEST_F(Registry, ReadersAndLoadersWorkAtOnce) {
  for (const char *name : {"good", "other", "newer", "older", "entry_fails"})
    place(name);
  options.pluginDirs = root.string();
  make();
  std::atomic<bool> isOver = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!isOver) {
        for (const std::shared_ptr<Plugin> &plugin : registry->backends())
          EXPECT_FALSE(plugin->info.id.empty());
        size_t count = registry->candidateCount();
        for (size_t line = 0; line < count; ++line)
          EXPECT_FALSE(registry->candidate(line)->code().empty());
        EXPECT_FALSE(registry->report().empty());
        EXPECT_FALSE(registry->explain({}).empty());
        (void)registry->choose({});
        (void)registry->backend("fixture.good");
      }
    });
  std::vector<std::thread> loaders;
  for (const char *name : {"good", "other", "newer", "older", "entry_fails"})
    loaders.emplace_back([this, name] {
      for (int i = 0; i < 20; ++i) {
        fs::path path = root / (std::string(name) + ".so");
        Result<std::shared_ptr<Plugin>> plugin = registry->load(path.string());
        if (plugin)
          (void)registry->unregister(**plugin);
      }
    });
  loaders.emplace_back([this] { registry->discover(); });
  loaders.emplace_back([this] {
    for (int i = 0; i < 20; ++i)
      if (auto plugin = registry->registerTable(&first))
        (void)registry->unregister(**plugin);
  });
  for (std::thread &thread : loaders)
    thread.join();
  isOver = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(registry->backends().size(), 4u);
}

} // namespace
} // namespace nereid::host
