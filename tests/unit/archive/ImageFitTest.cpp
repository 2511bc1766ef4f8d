// ImageFitTest.cpp - which images suit which devices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/ImageFit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::host;
using testing::HasSubstr;

static Target target(std::string type, std::string arch,
                     std::string features = {}, int32_t warp = 0) {
  Target made;
  made.backend = std::move(type);
  made.arch = std::move(arch);
  made.features = std::move(features);
  made.warpSize = warp;
  return made;
}

static ImageFit cpuFit(const std::string &needed, const Target &image,
                       const Target &device) {
  Values metadata;
  if (!needed.empty())
    metadata.addString("cpu_features", needed);
  return imageFit({image, "elf", &metadata}, device);
}

static ImageFit cudaFit(const std::string &kind, const std::string &image,
                        const std::string &device) {
  Values metadata;
  return imageFit({target("cuda", image), kind, &metadata},
                  target("cuda", device, "ptx87", 32));
}

TEST(ImageFit, RefusesAnotherDeviceType) {
  ImageFit fit = cpuFit("", target("cuda", "sm_90"), target("cpu", "x86_64"));
  EXPECT_EQ(fit.score, 0);
  EXPECT_EQ(fit.reason, "for device type 'cuda'");
}

TEST(ImageFit, PrefersTheExactTarget) {
  Target device = target("cpu", "x86_64", "znver4,+avx2,+fma", 1);
  EXPECT_EQ(cpuFit("+avx2", device, device).score, exactScore);
}

TEST(ImageFit, RunsCpuCodeWhoseFeaturesAreThere) {
  Target device = target("cpu", "x86_64", "znver4,+avx2,+fma,+sse2", 1);
  Target v2 = target("cpu", "x86_64", "x86-64-v2");
  Target v3 = target("cpu", "x86_64", "x86-64-v3");
  ImageFit less = cpuFit("+sse2", v2, device);
  ImageFit more = cpuFit("+sse2,+avx2", v3, device);
  EXPECT_GT(less.score, 0);
  EXPECT_GT(more.score, less.score);
  ImageFit tooMuch =
      cpuFit("+sse2,+avx512f", target("cpu", "x86_64", "x86-64-v4"), device);
  EXPECT_EQ(tooMuch.score, 0);
  EXPECT_EQ(tooMuch.reason, "needs CPU feature '+avx512f'");
  EXPECT_EQ(cpuFit("", target("cpu", "aarch64", "generic"), device).reason,
            "for aarch64, the device is x86_64");
}

TEST(ImageFit, RunsCpuCodeOfUnknownFeaturesOnTheSameCpuOnly) {
  Target device = target("cpu", "aarch64", "neoverse-n1,+neon", 1);
  EXPECT_GT(cpuFit("", target("cpu", "aarch64", "neoverse-n1"), device).score,
            0);
  EXPECT_GT(cpuFit("", target("cpu", "aarch64", "generic"), device).score, 0);
  EXPECT_EQ(cpuFit("", target("cpu", "aarch64", "neoverse-v2"), device).score,
            0);
}

TEST(ImageFit, RunsArmCodeWhoseFeaturesAreThere) {
  Target device = target("cpu", "aarch64", "generic,+fp-armv8,+neon,+lse", 1);
  ImageFit generic =
      cpuFit("+fp-armv8,+neon", target("cpu", "aarch64", "generic"), device);
  ImageFit n1 = cpuFit("+fp-armv8,+neon,+lse",
                       target("cpu", "aarch64", "neoverse-n1"), device);
  EXPECT_GT(generic.score, 0);
  EXPECT_GT(n1.score, generic.score);
  ImageFit v1 = cpuFit("+fp-armv8,+neon,+lse,+sve",
                       target("cpu", "aarch64", "neoverse-v1"), device);
  EXPECT_EQ(v1.score, 0);
  EXPECT_EQ(v1.reason, "needs CPU feature '+sve'");
}

TEST(ImageFit, RunsMachineCodeOnLaterMinorsOfItsMajor) {
  EXPECT_GT(cudaFit("cubin", "sm_80", "sm_86").score, 0);
  EXPECT_GT(cudaFit("cubin", "sm_86", "sm_86").score,
            cudaFit("cubin", "sm_80", "sm_86").score);
  EXPECT_EQ(cudaFit("cubin", "sm_86", "sm_80").score, 0);
  EXPECT_EQ(cudaFit("cubin", "sm_80", "sm_90a").score, 0);
  EXPECT_EQ(cudaFit("cubin", "sm_90a", "sm_100a").reason,
            "machine code for sm_90a, the device is sm_100a");
}

TEST(ImageFit, RunsPtxOnLaterArchitecturesUnlessItIsForOne) {
  EXPECT_GT(cudaFit("ptx", "sm_80", "sm_90a").score, 0);
  EXPECT_EQ(cudaFit("ptx", "sm_90a", "sm_100a").score, 0);
  EXPECT_GT(cudaFit("ptx", "sm_90a", "sm_90a").score,
            cudaFit("ptx", "sm_90", "sm_90a").score);
  EXPECT_EQ(cudaFit("ptx", "sm_90", "sm_80").score, 0);
  EXPECT_GT(cudaFit("cubin", "sm_90", "sm_90a").score,
            cudaFit("ptx", "sm_90a", "sm_90a").score);
  EXPECT_GT(cudaFit("ptx", "sm_100f", "sm_103a").score, 0);
  EXPECT_EQ(cudaFit("ptx", "sm_100f", "sm_120a").score, 0);
}

TEST(ImageFit, ComparesWhatItDoesNotUnderstand) {
  EXPECT_EQ(cudaFit("cubin", "sm_9x", "sm_90a").score, 0);
  EXPECT_GT(cudaFit("cubin", "custom", "custom").score, 0);
  EXPECT_EQ(cudaFit("cubin", "", "sm_90a").score, 0);
}

TEST(ImageFit, LetsTheDriverDecideForOtherDevices) {
  Values none;
  Target device = target("vulkan", "lavapipe", "a,b", 8);
  ImageFit same =
      imageFit({target("vulkan", "lavapipe"), "spirv", &none}, device);
  ImageFit other =
      imageFit({target("vulkan", "hopper"), "spirv", &none}, device);
  EXPECT_GT(same.score, other.score);
  EXPECT_GT(other.score, 0);
  EXPECT_EQ(
      imageFit({target("vulkan", "hopper", "", 32), "spirv", &none}, device)
          .reason,
      "for 32 threads in lock step, the device has 8");
}

TEST(ImageFit, ComparesArchitecturesOfHipWithoutTheirFeatures) {
  Values none;
  Target device = target("hip", "gfx90a:sramecc+:xnack-", "", 64);
  EXPECT_GT(imageFit({target("hip", "gfx90a"), "hsaco", &none}, device).score,
            0);
  EXPECT_EQ(imageFit({target("hip", "gfx942"), "hsaco", &none}, device).score,
            0);
}
