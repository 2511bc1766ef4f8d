// ChoiceTest.cpp - which driver wins, and what is said about it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace nereid::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<Plugin> driver(const std::string &id, int32_t score,
                               uint32_t flags = 0, uint32_t devices = 1) {
  auto plugin = std::make_shared<Plugin>();
  plugin->info.id = id;
  plugin->info.deviceType = id.substr(0, id.find('.'));
  plugin->hasDriver = true;
  Plugin::Probe probe;
  probe.result.score = score;
  probe.result.flags = flags;
  probe.result.device_count = devices;
  probe.reason = score > 0 ? "here" : "no /dev/" + id;
  plugin->assume(std::move(probe));
  return plugin;
}

constexpr uint32_t cpu = NEREID_PROBE_IS_HOST_CPU;

std::string winner(const PluginList &plugins, std::string_view name = {},
                   std::string_view environment = {}) {
  Result<Choice> choice = choose(plugins, name, environment);
  return choice ? choice->plugin->info.id + ":" + std::to_string(choice->device)
                : "error: " + choice.failure().text;
}

TEST(Choice, TakesTheBestScore) {
  PluginList plugins = {driver("a", 50), driver("b", 100), driver("c", 70)};
  EXPECT_EQ(winner(plugins), "b:0");
  EXPECT_EQ(choose(plugins, {}, {})->rule, ChoiceRule::Score);
}

TEST(Choice, ACpuNeverOutranksADevice) {
  PluginList plugins = {driver("cpu", 1000, cpu), driver("gpu", 1)};
  EXPECT_EQ(winner(plugins), "gpu:0");
  EXPECT_EQ(choose(plugins, {}, {})->rule, ChoiceRule::DeviceFirst);
}

TEST(Choice, ACpuIsTakenIfNoDeviceIsActive) {
  PluginList plugins = {driver("gpu", 0), driver("slow", 5, cpu),
                        driver("cpu", 10, cpu)};
  EXPECT_EQ(winner(plugins), "cpu:0");
}

TEST(Choice, ADummyIsTakenIfItIsNamed) {
  PluginList plugins = {driver("cpu", 0, cpu),
                        driver("dummy", 1, NEREID_PROBE_BY_NAME_ONLY)};
  EXPECT_EQ(winner(plugins, "dummy"), "dummy:0");
  EXPECT_EQ(winner(plugins, {}, "dummy"), "dummy:0");
  EXPECT_THAT(
      winner(plugins),
      HasSubstr("no driver is active\nnote: plugin 'cpu' is not active: "
                "no /dev/cpu\nnote: plugin 'dummy' is chosen only if "
                "it is named"));
}

TEST(Choice, ACpuIsTakenIfItIsNamed) {
  PluginList plugins = {driver("gpu", 100), driver("cpu", 1, cpu)};
  EXPECT_EQ(winner(plugins, "cpu"), "cpu:0");
  EXPECT_EQ(winner(plugins, {}, "cpu"), "cpu:0");
}

TEST(Choice, TheNameInTheCallBeatsTheEnvironment) {
  PluginList plugins = {driver("a", 1), driver("b", 2), driver("c", 3)};
  EXPECT_EQ(winner(plugins, "a", "b"), "a:0");
  EXPECT_EQ(winner(plugins, {}, "b"), "b:0");
}

TEST(Choice, TiesGoByOrderAndAreReported) {
  PluginList plugins = {driver("a", 7), driver("b", 9), driver("c", 9)};
  Result<Choice> choice = choose(plugins, {}, {});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->plugin->info.id, "b");
  EXPECT_EQ(choice->rule, ChoiceRule::Order);
  EXPECT_THAT(choice->ties, ElementsAre("c"));
}

TEST(Choice, ADeviceTypeMeansItsBestPlugin) {
  PluginList plugins = {driver("gpu.slow", 1), driver("gpu.fast", 9),
                        driver("gpu.off", 0)};
  EXPECT_EQ(winner(plugins, "gpu"), "gpu.fast:0");
  EXPECT_EQ(winner(plugins, "gpu.slow"), "gpu.slow:0");
}

TEST(Choice, AnIdGoesBeforeADeviceType) {
  PluginList plugins = {driver("gpu.fast", 9), driver("gpu", 1)};
  EXPECT_EQ(winner(plugins, "gpu"), "gpu:0");
}

TEST(Choice, ADeviceIsNamedByItsNumber) {
  PluginList plugins = {driver("gpu", 1, 0, 2)};
  EXPECT_EQ(winner(plugins, "gpu:1"), "gpu:1");
  EXPECT_THAT(winner(plugins, "gpu:2"), HasSubstr("has no device 2"));
}

TEST(Choice, InvalidNamesAreRefused) {
  PluginList plugins = {driver("gpu", 1)};
  for (const char *name : {"gpu:", "gpu:x", "gpu:1x", ":1", "gpu:-1", ":",
                           "gpu:99999999999", "gpu: 1"}) {
    Result<Choice> choice = choose(plugins, name, {});
    ASSERT_FALSE(choice) << name;
    EXPECT_EQ(choice.failure().status, NEREID_INVALID_ARGUMENT) << name;
  }
}

TEST(Choice, AnUnknownNameSuggestsTheNearest) {
  PluginList plugins = {driver("vulkan", 1), driver("cpu", 1, cpu)};
  EXPECT_THAT(winner(plugins, "vulcan"), HasSubstr("did you mean 'vulkan'"));
}

TEST(Choice, ANamedDriverThatIsInactiveIsAnErrorWithItsReason) {
  PluginList plugins = {driver("gpu", 0), driver("cpu", 1, cpu)};
  Result<Choice> choice = choose(plugins, {}, "gpu");
  ASSERT_FALSE(choice) << "NEREID_TARGET must not be passed over in silence";
  EXPECT_EQ(choice.failure().status, NEREID_UNAVAILABLE);
  EXPECT_THAT(choice.failure().text, HasSubstr("no /dev/gpu"));
}

TEST(Choice, WithoutAnActiveDriverEveryReasonIsReported) {
  EXPECT_THAT(winner({}), HasSubstr("no plugin is loaded"));
  std::string text = winner({driver("a", 0), driver("b", 5, 0, 0)});
  EXPECT_THAT(text, HasSubstr("no /dev/a"));
  EXPECT_THAT(text, HasSubstr("plugin 'b' is not active"));
}

TEST(Choice, TheExplanationListsDriversInTheirPlaces) {
  PluginList plugins = {driver("off", 0), driver("cpu", 900, cpu),
                        driver("slow", 1), driver("fast", 9)};
  Json json = explainChoice(plugins, {}, {});
  std::vector<std::string> ids;
  for (const Json &driver : json["drivers"])
    ids.push_back(driver["id"]);
  EXPECT_THAT(ids, ElementsAre("fast", "slow", "cpu", "off"));
  EXPECT_EQ(json["drivers"][0]["place"], 1);
  EXPECT_EQ(json["winner"]["id"], "fast");
  EXPECT_EQ(json["rule"], "score");
  EXPECT_EQ(json["drivers"][3]["reason"], "no /dev/off");
  Json failed = explainChoice(plugins, "of", {});
  EXPECT_TRUE(failed["winner"].is_null());
  EXPECT_THAT(std::string(failed["error"]), HasSubstr("'off'"));
}

} // namespace
} // namespace nereid::host
