// ImageTest.cpp - what is known of an image before the driver library sees it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "image.h"
#include "Images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nereid::test {

using namespace cuda;
using testing::HasSubstr;
using testing::IsEmpty;

static Image imageOf(const std::string &bytes) {
  Image image;
  EXPECT_THAT(readImage(bytes, image), IsEmpty());
  return image;
}
static std::string problemOf(const std::string &bytes) {
  Image image;
  return readImage(bytes, image);
}

// The flags are those that ptxas of CUDA 12.8 to 13.4 writes.
TEST(CudaImageTest, ReadsTheArchitectureOfACubin) {
  struct {
    uint32_t flags;
    uint8_t osAbi;
    const char *arch;
  } cases[] = {{0x004b054b, 0x33, "sm_75"},  {0x00500550, 0x33, "sm_80"},
               {0x005a055a, 0x33, "sm_90"},  {0x005a0d5a, 0x33, "sm_90a"},
               {0x06006402, 0x41, "sm_100"}, {0x0600640a, 0x41, "sm_100a"},
               {0x0600780a, 0x41, "sm_120a"}};
  for (const auto &one : cases) {
    Image image = imageOf(cubin(one.flags, one.osAbi));
    EXPECT_EQ(image.kind, ImageKind::Cubin);
    ASSERT_EQ(image.code.size(), 1u);
    EXPECT_EQ(image.code[0].text(), one.arch);
  }
}

TEST(CudaImageTest, ReadsTheVersionAndTargetOfPtx) {
  Image image = imageOf(ptx("k", {}, "sm_90a", "8.7"));
  EXPECT_EQ(image.kind, ImageKind::Ptx);
  EXPECT_EQ(image.code[0].text(), "PTX 8.7 for sm_90a");
  image = imageOf("// by hand\n/* at\nlength **/ .version 9.0 // newest\n"
                  ".target sm_100f, debug\n");
  EXPECT_EQ(image.code[0].text(), "PTX 9.0 for sm_100f");
  EXPECT_EQ(imageOf(ptx("k", {}) + std::string(3, '\0')).kind, ImageKind::Ptx);
}

TEST(CudaImageTest, ReadsTheCodeOfAFatbin) {
  Image image =
      imageOf(fatbin({{false, 80, cubin(0x500550)}, {true, 90, ptx("k", {})}}));
  EXPECT_EQ(image.kind, ImageKind::Fatbin);
  ASSERT_EQ(image.code.size(), 2u);
  EXPECT_EQ(image.code[0].text(), "sm_80");
  EXPECT_EQ(image.code[1].text(), "PTX for sm_90");
}

TEST(CudaImageTest, KnowsWhichDevicesRunAnArchitecture) {
  auto runs = [](ImageCode code, int capability) {
    return code.runsOn(capability);
  };
  EXPECT_TRUE(runs({false, 80, 0, 0}, 80));
  EXPECT_TRUE(runs({false, 80, 0, 0}, 86));
  EXPECT_FALSE(runs({false, 86, 0, 0}, 80));
  EXPECT_FALSE(runs({false, 80, 0, 0}, 90));
  EXPECT_TRUE(runs({false, 90, 'a', 0}, 90));
  EXPECT_FALSE(runs({false, 100, 'a', 0}, 103));
  EXPECT_TRUE(runs({true, 80, 0, 80}, 120));
  EXPECT_FALSE(runs({true, 90, 0, 80}, 80));
  EXPECT_FALSE(runs({true, 90, 'a', 80}, 100));
  EXPECT_TRUE(runs({true, 100, 'f', 88}, 103));
  EXPECT_FALSE(runs({true, 100, 'f', 88}, 120));
}

TEST(CudaImageTest, SaysWhatADeviceLacks) {
  auto problem = [](const std::string &bytes, int capability) {
    return imageProblem(imageOf(bytes), capability, 84,
                        "device 'A100' is sm_80", "the driver (CUDA 12.4)");
  };
  EXPECT_EQ(problem(cubin(0x005a0d5a), 80),
            "the image is for sm_90a, device 'A100' is sm_80");
  EXPECT_EQ(
      problem(ptx("k", {}, "sm_80", "8.7"), 80),
      "the image is PTX 8.7 for sm_80, the driver (CUDA 12.4) compiles up "
      "to PTX 8.4: update the driver, or compile for an older PTX");
  EXPECT_THAT(problem(ptx("k", {}, "sm_80", "8.4"), 80), IsEmpty());
  EXPECT_THAT(problem(cubin(0x00500550), 80), IsEmpty());
  // Some code of a fatbin is enough.
  std::string both =
      fatbin({{false, 90, cubin(0x5a055a)}, {true, 75, ptx("k", {})}});
  EXPECT_THAT(problem(both, 80), IsEmpty());
  EXPECT_EQ(problem(both, 70), "the image is for sm_90, PTX for sm_75, device "
                               "'A100' is sm_80");
}

TEST(CudaImageTest, RefusesWhatIsNoImage) {
  EXPECT_THAT(problemOf(""), HasSubstr("empty"));
  EXPECT_THAT(problemOf("hello"), HasSubstr("neither"));
  EXPECT_THAT(problemOf(".version x"), HasSubstr(".version"));
  EXPECT_THAT(problemOf(".version 8.0\n.entry k"), HasSubstr(".target"));
  EXPECT_THAT(problemOf(".version 8.0\n.target compute_90"),
              HasSubstr(".target"));
  std::string text = ptx("k", {});
  text[text.size() / 2] = '\0';
  EXPECT_THAT(problemOf(text), HasSubstr("NUL"));
  std::string other = cubin(0x500550);
  other[18] = 62;
  other[19] = 0;
  EXPECT_THAT(problemOf(other), HasSubstr("machine 62"));
  other = cubin(0x500550);
  other[4] = 1;
  EXPECT_THAT(problemOf(other), HasSubstr("64 bits"));
  EXPECT_THAT(problemOf(cubin(0x500550, 3)), HasSubstr("OS ABI 3"));
}

TEST(CudaImageTest, RefusesACubinAtEveryLength) {
  std::string bytes = cubin(0x500550);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(problemOf(bytes.substr(0, size)), Not(IsEmpty())) << size;
  EXPECT_THAT(problemOf(bytes + "more"), IsEmpty());
}

TEST(CudaImageTest, RefusesAFatbinAtEveryLength) {
  std::string bytes = fatbin({{false, 80, "code"}, {true, 90, "text"}});
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(problemOf(bytes.substr(0, size)), Not(IsEmpty())) << size;
}

// No change of a byte makes anything be read outside the image: the sanitizers
// watch.
TEST(CudaImageTest, SurvivesEveryChangedByte) {
  for (const std::string &bytes :
       {cubin(0x500550), fatbin({{false, 80, "code"}, {true, 90, "text"}}),
        ptx("k", {".u64"})})
    for (size_t i = 0; i < bytes.size(); ++i)
      for (char value : {'\0', '\x7f', '\xff'}) {
        std::string changed = bytes;
        changed[i] = value;
        (void)problemOf(changed);
      }
}

} // namespace nereid::test
