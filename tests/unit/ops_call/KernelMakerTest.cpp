// KernelMakerTest.cpp - where the TTIR of kernels comes from, and when it is
// made again.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels/KernelMaker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

using namespace nereid::ops;
using nereid::host::Failure;
using nereid::host::Result;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {
class KernelMakerTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "nereid-maker-XXXXXX";
    folder = mkdtemp(name.data());
    fs::create_directories(folder + "/ops");
    write("ops/k.py",
          "import triton\n"
          "import triton.language as tl\n"
          "from helper import DOUBLE\n\n"
          "@triton.jit\n"
          "def scale(x, dims, N: tl.constexpr, BY: tl.constexpr = 2):\n"
          "    at = tl.arange(0, N)\n"
          "    tl.store(x + at * dims[1], tl.load(x + at) * BY * dims[0])\n\n"
          "@triton.jit\n"
          "def wrong(x):\n"
          "    tl.store(x, missing)\n");
    write("ops/helper.py", "DOUBLE = 2\n");
    for (const char *release : {"3.9.0", "3.6.0"}) {
      std::string found =
          std::string(BUILD_DIR "/venv-") + release + "/bin/python";
      if (python.empty() && fs::exists(found))
        python = found;
    }
    options.python = python;
    options.cacheDir = folder + "/cache";
    request.file = folder + "/ops/k.py";
    request.function = "scale";
    request.arguments =
        R"([{"name": "x", "type": "*fp32", "hint": "16"},
            {"name": "dims", "items": [{"type": "i32", "hint": ""},
                                       {"type": "i32", "hint": "1"}]}])";
    request.constants = R"({"N": 8})";
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string &name, const std::string &text) {
    std::ofstream(folder + "/" + name) << text;
  }
  /// The failure's text; empty if a kernel was made.
  std::string error(const KernelRequest &wanted) {
    KernelMaker maker(options);
    Result<KernelText> text = maker.make(wanted);
    return text ? "" : text.failure().text;
  }
  /// Makes every kernel "made" and has read a library of Triton.
  void useCallback() {
    write("library", "1");
    options.callback = [this](const std::string &) -> Result<std::string> {
      struct stat facts;
      std::string path = folder + "/library";
      stat(path.c_str(), &facts);
      return R"({"ttir": "made", "arguments": [["x", 0]], "library": [")" +
             path + "\", " + std::to_string(facts.st_size) + ", " +
             std::to_string(int64_t(facts.st_mtim.tv_sec) * 1000000000 +
                            facts.st_mtim.tv_nsec) +
             "]}";
    };
  }
  /// How many kernels another process would have to make.
  uint64_t madeAgain() {
    KernelMaker maker(options);
    Result<KernelText> text = maker.make(request);
    EXPECT_TRUE(text) << text.failure().text;
    return maker.made();
  }

  std::string folder, python;
  KernelMakerOptions options;
  KernelRequest request;
};

/// The same with a real Triton.
class KernelMakerWithTriton : public KernelMakerTest {
protected:
  void SetUp() override {
    KernelMakerTest::SetUp();
    if (python.empty())
      GTEST_SKIP() << "no Python with Triton in " BUILD_DIR "/venv-*";
  }
};
} // namespace

TEST_F(KernelMakerWithTriton, MakesAKernelOnce) {
  KernelMaker maker(options);
  Result<KernelText> text = maker.make(request);
  ASSERT_TRUE(text) << text.failure().text;
  EXPECT_THAT(text->ttir, HasSubstr("tt.func public @scale"));
  EXPECT_THAT(text->ttir, HasSubstr("tt.divisibility = 16"));
  // Locations do not name this folder: the kernel is the same everywhere.
  EXPECT_THAT(text->ttir, testing::Not(HasSubstr(folder)));
  // The second item of the tuple is the constant 1.
  ASSERT_EQ(text->arguments.size(), 2u);
  EXPECT_EQ(text->arguments[0].name, "x");
  EXPECT_EQ(text->arguments[1].name, "dims");
  EXPECT_EQ(text->arguments[1].item, 0u);
  EXPECT_EQ(maker.made(), 1u);
  EXPECT_EQ(madeAgain(), 0u);
}

TEST_F(KernelMakerWithTriton, ChangedSourcesAreReadAgain) {
  KernelMaker maker(options);
  ASSERT_TRUE(maker.make(request));
  // A module that the kernel's imports, in the same worker.
  write("ops/helper.py", "raise ValueError('changed')\n");
  Result<KernelText> text = maker.make(request);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.failure().text, HasSubstr("changed"));
}

TEST_F(KernelMakerWithTriton, NamesTheLineOfAMistake) {
  KernelRequest wrong = request;
  wrong.function = "wrong";
  wrong.arguments = R"([{"name": "x", "type": "*fp32", "hint": ""}])";
  wrong.constants = "{}";
  EXPECT_THAT(error(wrong), HasSubstr("k.py:12: kernel 'wrong': "));
  EXPECT_THAT(error(wrong), HasSubstr("missing is not defined"));
}

TEST_F(KernelMakerWithTriton, SuggestsNames) {
  KernelRequest wrong = request;
  wrong.function = "scal";
  EXPECT_THAT(error(wrong),
              HasSubstr("has no kernel 'scal'; did you mean 'scale'?"));
  wrong = request;
  wrong.constants = R"({"M": 8, "N": 8})";
  EXPECT_THAT(error(wrong), HasSubstr("has no parameter 'M'"));
  wrong.constants = "{}";
  EXPECT_THAT(error(wrong), HasSubstr("has the parameter 'N', which is neither "
                                      "an argument nor a constant"));
}

TEST_F(KernelMakerTest, AChangedTritonMakesKernelsAgain) {
  useCallback();
  EXPECT_EQ(madeAgain(), 1u);
  EXPECT_EQ(madeAgain(), 0u);
  write("library", "22");
  EXPECT_EQ(madeAgain(), 1u);
  EXPECT_EQ(madeAgain(), 0u);
  // One that is no longer there has not changed.
  fs::remove(folder + "/library");
  EXPECT_EQ(madeAgain(), 0u);
}

TEST_F(KernelMakerTest, AnotherArgumentConstantOrFileIsAnotherKernel) {
  useCallback();
  EXPECT_EQ(madeAgain(), 1u);
  request.constants = R"({"N": 16})";
  EXPECT_EQ(madeAgain(), 1u);
  request.arguments = R"([{"name": "x", "type": "*fp16", "hint": "16"}])";
  EXPECT_EQ(madeAgain(), 1u);
  write("ops/helper.py", "DOUBLE = 3\n");
  EXPECT_EQ(madeAgain(), 1u);
  EXPECT_EQ(madeAgain(), 0u);
}

TEST_F(KernelMakerTest, RefusesWhatACallbackDoesNotReturnWhole) {
  options.callback = [](const std::string &) -> Result<std::string> {
    return std::string(R"({"ttir": 3})");
  };
  EXPECT_EQ(error(request), "the callback that makes kernels did not return an "
                            "object with 'ttir' and 'arguments'");
}

TEST_F(KernelMakerTest, SaysWhatAPythonThatEndsHasPrinted) {
  write("python", "#!/bin/sh\necho no license >&2\nexit 3\n");
  options.python = folder + "/python";
  fs::permissions(options.python, fs::perms::owner_all);
  EXPECT_THAT(error(request), HasSubstr("no license"));
  options.python = "no-such-python";
  EXPECT_THAT(error(request),
              HasSubstr("there is no 'no-such-python' in PATH"));
}
