// CppTest.cpp - nereid/ops.hpp, with operators of the generic pack.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace nereid;

static std::string pythonWithTriton() {
  for (const char *release : {"3.9.0", "3.6.0"}) {
    std::string found =
        std::string(BUILD_DIR "/venv-") + release + "/bin/python";
    if (std::filesystem::exists(found))
      return found;
  }
  return {};
}

namespace {
struct Loaded {
  detail::Owner<nereid_runtime_t, nereid_runtime_destroy> runtime;
  Expected<Operators> operators = Error{};

  explicit Loaded(const std::string &python) {
    auto settings = detail::sized<nereid_runtime_options_t>();
    settings.flags = NEREID_RUNTIME_IGNORE_ENVIRONMENT |
                     NEREID_RUNTIME_ALLOW_WRITABLE | NEREID_RUNTIME_NO_CACHE;
    settings.plugin_dirs = detail::borrow(PLUGIN_DIR);
    nereid_runtime_t *made = nullptr;
    EXPECT_EQ(nereid_runtime_create(&settings, &made), NEREID_OK);
    runtime = decltype(runtime)(made);
    auto search = detail::sized<nereid_ops_options_t>();
    search.flags = NEREID_OPS_IGNORE_ENVIRONMENT | NEREID_OPS_NO_INSTALLED |
                   NEREID_OPS_ALLOW_WRITABLE;
    search.pack_dirs = detail::borrow(GENERIC_PACK);
    Expected<Packs> packs = Packs::find(&search);
    EXPECT_TRUE(packs);
    auto load = detail::sized<nereid_ops_load_t>();
    load.runtime = made;
    load.python = detail::borrow(python);
    EXPECT_EQ(
        nereid_runtime_backend(made, detail::borrow("cpu"), &load.backend),
        NEREID_OK);
    operators = packs->load(load);
  }
};
} // namespace

TEST(OpsCppTest, CallsWithNamedTensorsListsAndAttributes) {
  std::string python = pythonWithTriton();
  if (python.empty())
    GTEST_SKIP() << "no Python with Triton in " BUILD_DIR "/venv-*";
  Loaded loaded(python);
  ASSERT_TRUE(loaded.operators) << loaded.operators.error().text;
  Expected<Operator> cat = loaded.operators->find("cat");
  ASSERT_TRUE(cat) << cat.error().text;
  std::vector<int32_t> a = {1, 2, 3, 4}, b = {5, 6}, out(6);
  Tensor left(a.data(), {2, 2}), right(b.data(), {2, 1}),
      all(out.data(), {2, 3});
  Expected<void> called = cat->call({{"xs", std::vector<Tensor>{left, right}}},
                                    {{"out", all}}, {{"dim", -1}});
  ASSERT_TRUE(called) << called.error().text;
  nereid_backend_t *backend = nullptr;
  ASSERT_EQ(nereid_runtime_backend(loaded.runtime.get(), detail::borrow("cpu"),
                                   &backend),
            NEREID_OK);
  ASSERT_EQ(nereid_backend_synchronize(backend, 0, 0), NEREID_OK);
  EXPECT_THAT(out, testing::ElementsAre(1, 2, 5, 3, 4, 6));
}

TEST(OpsCppTest, ExplainsACall) {
  Loaded loaded("");
  ASSERT_TRUE(loaded.operators) << loaded.operators.error().text;
  Expected<Operator> softmax = loaded.operators->find("softmax");
  ASSERT_TRUE(softmax) << softmax.error().text;
  std::vector<float> memory(2 * 20000);
  Tensor x(memory.data(), {2, 20000});
  Expected<std::string> text = softmax->explain({{"x", x}}, {}, {{"dim", 1}});
  ASSERT_TRUE(text) << text.error().text;
  EXPECT_THAT(*text, testing::HasSubstr("\"variant\": \"stored_rows\""));
  EXPECT_THAT(*text, testing::HasSubstr("does not hold"));
}

TEST(OpsCppTest, FailuresAreValues) {
  Loaded loaded("");
  ASSERT_TRUE(loaded.operators) << loaded.operators.error().text;
  Expected<Operator> wrong = loaded.operators->find("softmx");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().status, NEREID_NOT_FOUND);
  EXPECT_THAT(wrong.error().text, testing::HasSubstr("did you mean 'softmax'"));
  Expected<Operator> softmax = loaded.operators->find("softmax");
  ASSERT_TRUE(softmax);
  std::vector<int32_t> memory(4);
  Tensor x(memory.data(), {4});
  Expected<std::string> explained = softmax->explain({{"x", x}});
  ASSERT_FALSE(explained);
  EXPECT_EQ(explained.error().status, NEREID_UNIMPLEMENTED);
  Expected<void> called = softmax->call({{"x", x}}, {{"y", x}});
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().status, NEREID_UNIMPLEMENTED);
  EXPECT_EQ(called.error().text,
            "error: softmax: x is i32, expected f16, bf16, f32 or f64");
}
