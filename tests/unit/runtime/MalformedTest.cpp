// MalformedTest.cpp - texts and lists with a size but no data, wherever a host
// program may pass one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace {
constexpr nereid_string_t kNoData = {nullptr, 100};

class MalformedTest : public RuntimeFixture {
protected:
  /// The error of a compilation with one option; it must be refused.
  std::string errorOf(const nereid_value_t &option) {
    nereid_compile_request_t given = request();
    given.options = &option;
    given.option_count = 1;
    return errorOf(given);
  }
  std::string errorOf(const nereid_compile_request_t &given) {
    nereid_artifact_t *artifact = nullptr;
    status = nereid_compile(backend, &given, &artifact);
    EXPECT_EQ(artifact, nullptr);
    nereid_artifact_destroy(artifact);
    nereid_buffer_t *key = nullptr;
    EXPECT_EQ(nereid_compile_key(backend, &given, &key), status)
        << "compile and compile_key disagree";
    nereid_buffer_destroy(key);
    return lastError();
  }
};
} // namespace

TEST_F(MalformedTest, ListsWithoutData) {
  for (nereid_type_t type :
       {NEREID_TYPE_I64_LIST, NEREID_TYPE_F64_LIST, NEREID_TYPE_STRING_LIST}) {
    nereid_value_t value = {};
    value.name = text("sizes");
    value.type = type;
    value.list_size = 4;
    EXPECT_THAT(errorOf(value),
                HasSubstr("value 'sizes' is a list of 4 items without data"));
    EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
    value.list_size = UINT64_MAX;
    EXPECT_THAT(errorOf(value), HasSubstr("without data"));
    EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  }
}

TEST_F(MalformedTest, TextsOfOptionsWithoutData) {
  for (nereid_type_t type : {NEREID_TYPE_STRING, NEREID_TYPE_BYTES}) {
    nereid_value_t value = {};
    value.name = text("num_warps");
    value.type = type;
    value.text = kNoData;
    EXPECT_THAT(errorOf(value), HasSubstr("'num_warps'"));
    EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  }
  nereid_string_t items[] = {text("a"), kNoData};
  nereid_value_t list = {};
  list.name = text("num_warps");
  list.type = NEREID_TYPE_STRING_LIST;
  list.list = items;
  list.list_size = 2;
  EXPECT_THAT(errorOf(list), HasSubstr("'num_warps'"));
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
}

TEST_F(MalformedTest, AnOptionWithoutAName) {
  nereid_value_t value = {};
  value.name = kNoData;
  value.type = NEREID_TYPE_I64;
  EXPECT_THAT(errorOf(value), HasSubstr("a value has no name"));
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
}

TEST_F(MalformedTest, ListsOfARequestWithoutData) {
  nereid_compile_request_t given = request();
  given.source = {nullptr, 100};
  EXPECT_THAT(errorOf(given), HasSubstr("source has a size but no data"));
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  given = request();
  given.option_count = 3;
  EXPECT_NE(errorOf(given), "");
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  given = request();
  given.replacement_count = 3;
  EXPECT_NE(errorOf(given), "");
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
}

// Text without data is empty, and an empty stage means none.
TEST_F(MalformedTest, TextsOfARequestWithoutDataAreEmpty) {
  nereid_compile_request_t given = request();
  given.source_name = given.start_at = given.stop_after = given.dump_dir =
      kNoData;
  nereid_artifact_t *artifact = nullptr;
  EXPECT_EQ(nereid_compile(backend, &given, &artifact), NEREID_OK)
      << lastError();
  nereid_artifact_destroy(artifact);
}

TEST_F(MalformedTest, NamesWithoutData) {
  nereid_backend_t *found = nullptr;
  EXPECT_NE(nereid_runtime_backend(runtime, kNoData, &found), NEREID_OK);
  EXPECT_NE(lastError(), "");
  EXPECT_NE(nereid_runtime_load(runtime, kNoData, &found), NEREID_OK);
  EXPECT_NE(lastError(), "");
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(nereid_backend_extension(backend, kNoData), nullptr);

  nereid_address_t address = 0;
  nereid_import_t object = {};
  object.struct_size = sizeof object;
  object.kind = kNoData;
  object.handle = 1;
  object.size = 8;
  EXPECT_NE(nereid_backend_import_pointer(backend, 0, &object, &address),
            NEREID_OK);
  EXPECT_NE(lastError(), "");
  nereid_stream_t stream = 0;
  EXPECT_NE(nereid_backend_import_stream(backend, 0, &object, &stream),
            NEREID_OK);
  EXPECT_NE(lastError(), "");
  EXPECT_NE(nereid_backend_import_context(backend, 0, &object), NEREID_OK);
  EXPECT_NE(lastError(), "");

  nereid_artifact_t *artifact = compile(request());
  ASSERT_NE(artifact, nullptr) << lastError();
  nereid_bytes_t bytes = {};
  EXPECT_EQ(nereid_artifact_stage(artifact, kNoData, &bytes), NEREID_NOT_FOUND);
  nereid_artifact_destroy(artifact);
}

TEST_F(MalformedTest, AnEmptyTarget) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  nereid_compile_request_t given = request();
  given.target = &target;
  for (nereid_string_t nothing : {nereid_string_t{}, kNoData}) {
    target.backend = target.arch = target.features = nothing;
    EXPECT_THAT(errorOf(given), HasSubstr("empty target"));
    EXPECT_NE(status, NEREID_INTERNAL);
  }
}
