// InterfaceTest.cpp - nereid/tune.h as a host program uses it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/tune.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}
std::string error() {
  nereid_string_t reasons = nereid_error();
  return {reasons.data, reasons.size};
}

class TuneInterfaceTest : public testing::Test {
protected:
  TuneInterfaceTest() {
    std::string name = testing::TempDir() + "nereid-tune-XXXXXX";
    folder = mkdtemp(name.data());
    origin.struct_size = sizeof origin;
    origin.device_units = 8;
    origin.compiler_plugin = text("cpu");
    origin.compiler_release = text("0.1.0");
    origin.compiler_build = text("b1");
    origin.device_name = text("EPYC");
    origin.device_architecture = text("znver4");
  }
  ~TuneInterfaceTest() override {
    for (nereid_tune_store_t *store : stores)
      nereid_tune_close(store);
    std::filesystem::remove_all(folder);
  }

  nereid_tune_store_t *open(const std::string &name = "tuned.db") {
    std::string path = folder + '/' + name;
    nereid_tune_open_t request = {};
    request.struct_size = sizeof request;
    request.path = text(path);
    nereid_tune_store_t *store = nullptr;
    EXPECT_EQ(nereid_tune_open(&request, &store), NEREID_OK) << error();
    stores.push_back(store);
    return store;
  }

  nereid_tune_result_t result(const char *key, const char *configuration,
                              double median) const {
    nereid_tune_result_t made = {};
    made.struct_size = sizeof made;
    made.operator_name = text("softmax");
    made.key = text(key);
    made.strategies = text(R"({"n": "log2"})");
    made.variant = text("row");
    made.configuration = text(configuration);
    made.status = text("ok");
    made.protocol = text("events-1");
    made.median = median;
    made.spread = 1;
    made.samples = 25;
    made.origin = &origin;
    return made;
  }
  void record(nereid_tune_store_t *store, const nereid_tune_result_t &made) {
    EXPECT_EQ(nereid_tune_record(store, &made, 1), NEREID_OK) << error();
  }

  nereid_tune_query_t query(const char *key) const {
    nereid_tune_query_t made = {};
    made.struct_size = sizeof made;
    made.operator_name = text("softmax");
    made.key = text(key);
    made.strategies = text(R"({"n": "log2"})");
    made.origin = &origin;
    return made;
  }

  /// What `call` writes to the buffer that it gets.
  template <typename Call> static std::string taken(Call call) {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = call(&buffer);
    EXPECT_EQ(status, NEREID_OK) << error();
    if (status != NEREID_OK)
      return "null";
    nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
    std::string copy(static_cast<const char *>(bytes.data), bytes.size);
    nereid_buffer_destroy(buffer);
    return copy;
  }
  json lookUp(nereid_tune_store_t *store, const nereid_tune_query_t &wanted) {
    return json::parse(taken([&](nereid_buffer_t **out) {
      return nereid_tune_lookup(store, &wanted, out);
    }));
  }

  std::string folder;
  nereid_tune_origin_t origin = {};
  std::vector<nereid_tune_store_t *> stores;
};
} // namespace

TEST_F(TuneInterfaceTest, RecordsAndLooksUp) {
  nereid_tune_store_t *store = open();
  std::vector<nereid_tune_result_t> results = {
      result(R"({"n": 1000})", R"({"B": 1})", 100),
      result(R"({"n": 1000})", R"({"B": 2})", 50)};
  ASSERT_EQ(nereid_tune_record(store, results.data(), results.size()),
            NEREID_OK)
      << error();
  json found = lookUp(store, query(R"({"n": 900})"));
  EXPECT_EQ(found["choice"]["match"], "bucket");
  EXPECT_EQ(found["choice"]["trust"], "same");
  EXPECT_EQ(found["choice"]["configuration"]["B"], 2);
  EXPECT_EQ(found["bucket"]["n"], 1024);
  EXPECT_EQ(found["considered"].size(), 1u);

  nereid_tune_query_t far = query(R"({"n": 1000000})");
  EXPECT_TRUE(lookUp(store, far)["choice"].is_null());
  far.reach = 100;
  EXPECT_EQ(lookUp(store, far)["choice"]["match"], "nearest");
}

TEST_F(TuneInterfaceTest, ALookupSeesNewResultsAfterARefresh) {
  nereid_tune_store_t *store = open();
  EXPECT_TRUE(lookUp(store, query(R"({"n": 1})"))["choice"].is_null());
  record(store, result(R"({"n": 1})", R"({"B": 1})", 100));
  EXPECT_TRUE(lookUp(store, query(R"({"n": 1})"))["choice"].is_null());
  ASSERT_EQ(nereid_tune_refresh(store), NEREID_OK);
  EXPECT_EQ(lookUp(store, query(R"({"n": 1})"))["choice"]["match"], "exact");
}

TEST_F(TuneInterfaceTest, InformsAndLists) {
  nereid_tune_store_t *store = open();
  record(store, result(R"({"n": 1000})", R"({"B": 1})", 100));
  json info = json::parse(taken(
      [&](nereid_buffer_t **out) { return nereid_tune_info(store, out); }));
  EXPECT_EQ(info["results"], 1);
  EXPECT_EQ(info["format"], 1);
  EXPECT_EQ(info["read_only"], false);
  EXPECT_EQ(info["notices"], json::array());
  auto list = [&](const char *name) {
    return json::parse(taken([&](nereid_buffer_t **out) {
      return nereid_tune_list(store, text(name), out);
    }));
  };
  EXPECT_EQ(list("softmax")[0]["key_bucket"]["n"], 1024);
  EXPECT_GT(list("")[0]["time"], 1'000'000'000);
  EXPECT_EQ(list("matmul").size(), 0u);
}

TEST_F(TuneInterfaceTest, MergesComparesAndExchanges) {
  nereid_tune_store_t *store = open(), *other = open("other.db");
  record(store, result(R"({"n": 1})", R"({"B": 1})", 100));
  record(other, result(R"({"n": 1})", R"({"B": 1})", 50));
  json diff = json::parse(taken([&](nereid_buffer_t **out) {
    return nereid_tune_diff(store, other, out);
  }));
  EXPECT_EQ(diff["counts"]["faster"], 1);
  json merge = json::parse(taken([&](nereid_buffer_t **out) {
    return nereid_tune_merge(store, other, out);
  }));
  EXPECT_EQ(merge["faster"], 1);

  nereid_tune_exported_t exported = {};
  exported.struct_size = sizeof exported;
  std::string written = taken([&](nereid_buffer_t **out) {
    return nereid_tune_export(store, text(""), text("json"), &exported, out);
  });
  EXPECT_EQ(exported.written, 1u);
  nereid_tune_import_t request = {};
  request.struct_size = sizeof request;
  request.text = {written.data(), written.size()};
  request.name = text("results.json");
  json import = json::parse(taken([&](nereid_buffer_t **out) {
    return nereid_tune_import(open("third.db"), &request, out);
  }));
  EXPECT_EQ(import["added"], 1);

  request.text = {"{", 1};
  nereid_buffer_t *buffer = nullptr;
  EXPECT_EQ(nereid_tune_import(store, &request, &buffer),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(error(), StartsWith("error: results.json: line 1: "));

  EXPECT_THAT(taken([&](nereid_buffer_t **out) {
                return nereid_tune_report(store, other, out);
              }),
              HasSubstr("</html>"));
}

TEST_F(TuneInterfaceTest, Measures) {
  std::vector<double> samples = {1, 2, 3, 4, 100};
  nereid_tune_measurement_t slow = {}, fast = {};
  slow.struct_size = fast.struct_size = sizeof slow;
  ASSERT_EQ(nereid_tune_measure(samples.data(), samples.size(), &slow),
            NEREID_OK);
  EXPECT_EQ(slow.median, 3);
  EXPECT_EQ(slow.samples, 5u);
  for (double &sample : samples)
    sample = 0.1;
  ASSERT_EQ(nereid_tune_measure(samples.data(), samples.size(), &fast),
            NEREID_OK);
  uint32_t answer = 7;
  slow.spread = 0.1;
  ASSERT_EQ(nereid_tune_is_faster(&fast, &slow, &answer), NEREID_OK);
  EXPECT_EQ(answer, 1u);
  ASSERT_EQ(nereid_tune_is_faster(&slow, &fast, &answer), NEREID_OK);
  EXPECT_EQ(answer, 0u);
  ASSERT_EQ(nereid_tune_is_hopeless(samples.data(), 5, 0.01, &answer),
            NEREID_OK);
  EXPECT_EQ(answer, 1u);
  EXPECT_EQ(nereid_tune_measure(nullptr, 1, &fast), NEREID_INVALID_ARGUMENT);
}

TEST_F(TuneInterfaceTest, MistakesAreNamed) {
  nereid_tune_store_t *store = open();
  auto refused = [&](auto change) {
    nereid_tune_result_t made = result(R"({"n": 1})", "{}", 1);
    change(made);
    EXPECT_NE(nereid_tune_record(store, &made, 1), NEREID_OK);
    return error();
  };
  EXPECT_EQ(refused([](auto &r) { r.origin = nullptr; }),
            "error: results[0]: origin is null");
  EXPECT_EQ(refused([](auto &r) { r.is_default = 2; }),
            "error: results[0]: is_default is 2, expected 0 or 1");
  EXPECT_THAT(refused([](auto &r) { r.key = text("n"); }),
              StartsWith("error: results[0]: the key 'n' is not JSON"));
  EXPECT_THAT(refused([](auto &r) { r.strategies = text(R"({"n": "lg"})"); }),
              HasSubstr("unknown strategy 'lg'"));
  EXPECT_THAT(refused([](auto &r) { r.struct_size = 0; }),
              HasSubstr("struct_size of the results is 0"));

  nereid_tune_query_t wanted = query(R"({"n": 1})");
  nereid_buffer_t *buffer = nullptr;
  wanted.reach = -1;
  EXPECT_EQ(nereid_tune_lookup(store, &wanted, &buffer),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_tune_open(nullptr, &store), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_tune_info(nullptr, &buffer), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_tune_merge(store, nullptr, &buffer),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_tune_record(store, nullptr, 1), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_tune_record(store, nullptr, 0), NEREID_OK);
  nereid_tune_open_t request = {};
  request.struct_size = sizeof request;
  request.flags = 1u << 31;
  EXPECT_EQ(nereid_tune_open(&request, &store), NEREID_INVALID_ARGUMENT);
  nereid_tune_close(nullptr);
}

TEST_F(TuneInterfaceTest, AnOlderProgramsStructsAreShorter) {
  nereid_tune_store_t *store = open();
  // As if `origin` were the newest field: without it there is an error and no
  // crash.
  nereid_tune_result_t old = result(R"({"n": 1})", "{}", 1);
  old.struct_size = offsetof(nereid_tune_result_t, origin);
  EXPECT_EQ(nereid_tune_record(store, &old, 1), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "error: results[0]: origin is null");
}

TEST_F(TuneInterfaceTest, TheDefaultStoreFollowsTheEnvironment) {
  std::string path = folder + "/named.db";
  setenv("NEREID_TUNED", path.c_str(), 1);
  nereid_tune_open_t request = {};
  request.struct_size = sizeof request;
  nereid_tune_store_t *store = nullptr;
  ASSERT_EQ(nereid_tune_open(&request, &store), NEREID_OK) << error();
  nereid_tune_close(store);
  EXPECT_TRUE(std::filesystem::exists(path));
  unsetenv("NEREID_TUNED");
  setenv("XDG_STATE_HOME", folder.c_str(), 1);
  ASSERT_EQ(nereid_tune_open(&request, &store), NEREID_OK) << error();
  nereid_tune_close(store);
  EXPECT_TRUE(std::filesystem::exists(folder + "/nereid/tuned.db"));
}

TEST_F(TuneInterfaceTest, WithoutAHomeALibraryGoesOnWithoutAStore) {
  std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  unsetenv("NEREID_TUNED");
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  nereid_tune_open_t request = {};
  request.struct_size = sizeof request;
  nereid_tune_store_t *store = nullptr;
  EXPECT_EQ(nereid_tune_open(&request, &store), NEREID_NOT_FOUND);
  EXPECT_THAT(error(), StartsWith("error: there is no home folder for"));
  request.flags = NEREID_TUNE_OPTIONAL;
  ASSERT_EQ(nereid_tune_open(&request, &store), NEREID_OK) << error();
  stores.push_back(store);
  EXPECT_TRUE(lookUp(store, query(R"({"n": 1})"))["choice"].is_null());
  json info = json::parse(taken(
      [&](nereid_buffer_t **out) { return nereid_tune_info(store, out); }));
  EXPECT_EQ(info["notices"].size(), 1u);
  EXPECT_EQ(info["read_only"], true);
  setenv("HOME", home.c_str(), 1);
}
