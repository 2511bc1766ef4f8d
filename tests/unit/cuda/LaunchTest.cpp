// LaunchTest.cpp - what reaches the driver library when a kernel is launched.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CudaFixture.h"
#include "streams.h"

#include <thread>

namespace nereid::test {

using namespace cuda;

/// The value of an attribute; null if the launch does not have it.
static const CUlaunchAttributeValue *attributeOf(const FakeLaunch &launch,
                                                 uint32_t id) {
  for (const CUlaunchAttribute &attribute : launch.attributes)
    if (attribute.id == id)
      return &attribute.value;
  return nullptr;
}

TEST_F(CudaTest, PassesArgumentsGridAndStream) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {".u64", ".u8", ".u32", ".f64", ".u16"}),
                 kernelMetadata("k", {"*f32", "i1", "i32", "f64", "bf16"})
                     .integer("shared", 1024));
  ASSERT_TRUE(k) << errors();
  nereid_stream_t stream = createStream();
  Block block;
  block.add<uint64_t>(0x1234560).add<uint8_t>(1).add<int32_t>(-7);
  block.add(2.5).add<uint16_t>(0x3f80);
  nereid_launch_t launched = request(block, 10, 20, 30);
  launched.stream = stream;
  ASSERT_EQ(launch(k, launched), NEREID_OK) << errors();
  FakeLaunch seen = lastLaunch();
  EXPECT_EQ(seen.kernel, "k");
  EXPECT_THAT(seen.grid, testing::ElementsAre(10u, 20u, 30u));
  EXPECT_THAT(seen.block, testing::ElementsAre(128u, 1u, 1u));
  EXPECT_EQ(seen.shared, 1024u);
  EXPECT_EQ(handleOf(seen.stream), stream);
  EXPECT_THAT(seen.attributes, IsEmpty());
  EXPECT_EQ(seen.parameter<uint64_t>(0), 0x1234560u);
  EXPECT_EQ(seen.parameter<uint8_t>(1), 1);
  EXPECT_EQ(seen.parameter<int32_t>(2), -7);
  EXPECT_EQ(seen.parameter<double>(3), 2.5);
  EXPECT_EQ(seen.parameter<uint16_t>(4), 0x3f80);
}

TEST_F(CudaTest, PassesAHundredArguments) {
  std::vector<std::string> parameters(100, ".u64"), types(100, "i64");
  nereid_kernel_t *k =
      loadKernel(ptx("k", parameters), kernelMetadata("k", types));
  ASSERT_TRUE(k) << errors();
  Block block;
  for (int64_t i = 0; i < 100; ++i)
    block.add(i * i);
  ASSERT_EQ(launch(k, request(block)), NEREID_OK) << errors();
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(lastLaunch().parameter<int64_t>(static_cast<size_t>(i)), i * i);
}

TEST_F(CudaTest, ComputesOnTheDevice) {
  nereid_module_t *module =
      load(ptx("nereid_check", {".u64", ".u64", ".u64"}),
           kernelMetadata("nereid_check", {"*f32", "*f32", "*f32"}));
  nereid_kernel_t *k = kernel(module, "nereid_check");
  ASSERT_TRUE(k) << errors();
  std::vector<float> x(64, 1.5f), y(64, 2);
  nereid_address_t a = allocate(256), b = allocate(256), c = allocate(256);
  upload(a, x);
  upload(b, y);
  ASSERT_EQ(launch(k, request(Block().add(a).add(b).add(c))), NEREID_OK);
  EXPECT_EQ(download<float>(c, 64), std::vector<float>(64, 3.5f));
  for (nereid_address_t address : {a, b, c})
    free(address);
}

TEST_F(CudaTest, LeavesOutArgumentsThatTheKernelLacks) {
  nereid_kernel_t *k = loadKernel(
      ptx("k", {".u32", ".u64"}),
      kernelMetadata("k", {"*f32", "i1", "i32"}).list("parameters", {2, 0}));
  ASSERT_TRUE(k) << errors();
  Block block;
  block.add<uint64_t>(0x40).add<uint8_t>(1).add<int32_t>(9);
  ASSERT_EQ(launch(k, request(block)), NEREID_OK) << errors();
  EXPECT_EQ(lastLaunch().parameter<int32_t>(0), 9);
  EXPECT_EQ(lastLaunch().parameter<uint64_t>(1), 0x40u);
}

TEST_F(CudaTest, RefusesABlockThatIsTooShort) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {".u64"}), kernelMetadata("k", {"i64"}));
  EXPECT_EQ(launch(k, request(Block())), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(errors(), "the block of arguments has 0 bytes, that of kernel 'k' "
                      "has 8");
  EXPECT_THAT(fakeCudaLaunches(), IsEmpty());
}

TEST_F(CudaTest, RaisesTheLimitOfSharedMemory) {
  nereid_kernel_t *small =
      loadKernel(ptx("k", {}), kernelMetadata("k").integer("shared", 48 << 10));
  ASSERT_EQ(launch(small, request(Block())), NEREID_OK) << errors();
  EXPECT_EQ(fakeCudaCalls("cuFuncSetAttribute"), 0u);
  nereid_kernel_t *large =
      loadKernel(ptx("k", {}), kernelMetadata("k").integer("shared", 232448));
  ASSERT_EQ(launch(large, request(Block())), NEREID_OK) << errors();
  EXPECT_EQ(fakeCudaCalls("cuFuncSetAttribute"), 1u);
  EXPECT_EQ(lastLaunch().shared, 232448u);
}

// ------------------------------------------------------------------- scratch

TEST_F(CudaTest, PassesNullForScratchThatIsNotUsed) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {".u32", ".u64", ".u64"}),
                 kernelMetadata("k", {"i32"}).integer("scratch_parameters", 2));
  ASSERT_TRUE(k) << errors();
  ASSERT_EQ(launch(k, request(Block().add<int32_t>(5))), NEREID_OK);
  EXPECT_EQ(lastLaunch().parameter<int32_t>(0), 5);
  EXPECT_EQ(lastLaunch().parameter<uint64_t>(1), 0u);
  EXPECT_EQ(lastLaunch().parameter<uint64_t>(2), 0u);
}

TEST_F(CudaTest, PassesGlobalAndProfileScratch) {
  nereid_kernel_t *k = loadKernel(ptx("k", {".u64", ".u64"}),
                                  kernelMetadata("k")
                                      .integer("scratch_parameters", 2)
                                      .integer("scratch_size", 192)
                                      .integer("profile_scratch_size", 64));
  ASSERT_TRUE(k) << errors();
  nereid_address_t scratch = allocate(6 * 192);
  nereid_launch_t launched = request(Block(), 3, 2);
  launched.scratch = scratch;
  launched.scratch_size = 6 * 192;
  ASSERT_EQ(launch(k, launched), NEREID_OK) << errors();
  EXPECT_EQ(lastLaunch().parameter<uint64_t>(0), scratch);
  EXPECT_EQ(lastLaunch().parameter<uint64_t>(1), scratch + 6 * 128);
  std::vector<uint8_t> bytes = download<uint8_t>(scratch, 6 * 192);
  for (size_t i = 0; i < bytes.size(); ++i)
    EXPECT_EQ(bytes[i], i < 6 * 128 ? 0xcd : 0) << i;

  launched.scratch_size -= 1;
  EXPECT_EQ(launch(k, launched), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(errors(), "the scratch memory has 1151 bytes, kernel 'k' needs 192 "
                      "for each of 3 x 2 x 1 programs");
  free(scratch);
}

TEST_F(CudaTest, PassesNullForTheKindOfScratchThatIsEmpty) {
  auto metadata = [](int64_t profile) {
    return kernelMetadata("k")
        .integer("scratch_parameters", 2)
        .integer("scratch_size", 64)
        .integer("profile_scratch_size", profile);
  };
  nereid_address_t scratch = allocate(64);
  for (int64_t profile : {0, 64}) {
    nereid_kernel_t *k =
        loadKernel(ptx("k", {".u64", ".u64"}), metadata(profile));
    nereid_launch_t launched = request(Block());
    launched.scratch = scratch;
    launched.scratch_size = 64;
    ASSERT_EQ(launch(k, launched), NEREID_OK) << errors();
    EXPECT_EQ(lastLaunch().parameter<uint64_t>(0), profile ? 0 : scratch);
    EXPECT_EQ(lastLaunch().parameter<uint64_t>(1), profile ? scratch : 0);
  }
  synchronize();
  free(scratch);
}

// ----------------------------------------------------- clusters and attributes

TEST_F(CudaTest, LaunchesAProgramOfSeveralThreadBlocks) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {}), kernelMetadata("k").integer("num_ctas", 4));
  ASSERT_TRUE(k) << errors();
  ASSERT_EQ(launch(k, request(Block(), 5, 3)), NEREID_OK) << errors();
  FakeLaunch seen = lastLaunch();
  EXPECT_THAT(seen.grid, testing::ElementsAre(20u, 3u, 1u));
  const auto *cluster =
      attributeOf(seen, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  ASSERT_TRUE(cluster);
  EXPECT_THAT(cluster->clusterDim, testing::ElementsAre(4u, 1u, 1u));
  const auto *policy = attributeOf(
      seen, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->clusterSchedulingPolicyPreference, 1u);
  EXPECT_EQ(launch(k, request(Block(), 0x7fffffff)), NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(errors(), HasSubstr("4 thread blocks each"));
}

TEST_F(CudaTest, LaunchesLargeClusters) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {}), kernelMetadata("k").integer("num_ctas", 16));
  ASSERT_TRUE(k) << errors();
  EXPECT_EQ(launch(k, request(Block())), NEREID_OK) << errors();
  EXPECT_FALSE(load(
      ptx("k", {}),
      kernelMetadata("k").integer("num_ctas", 16).list("cluster", {2, 1, 1})));
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(errors(), HasSubstr("clusters of 32 thread blocks"));
}

TEST_F(CudaTest, LaunchesProgramsInClusters) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {}), kernelMetadata("k").list("cluster", {2, 3, 1}));
  ASSERT_TRUE(k) << errors();
  ASSERT_EQ(launch(k, request(Block(), 4, 6)), NEREID_OK) << errors();
  FakeLaunch seen = lastLaunch();
  EXPECT_THAT(seen.grid, testing::ElementsAre(4u, 6u, 1u));
  EXPECT_THAT(
      attributeOf(seen, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)->clusterDim,
      testing::ElementsAre(2u, 3u, 1u));
  EXPECT_EQ(launch(k, request(Block(), 4, 5)), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(errors(), "a grid of 4 x 5 x 1 programs cannot be divided into "
                      "clusters of 3 along axis 1");
  // The caller's go before those of the compiler.
  nereid_launch_t launched = request(Block(), 4, 5);
  launched.cluster[0] = 4;
  launched.cluster[1] = 1;
  ASSERT_EQ(launch(k, launched), NEREID_OK) << errors();
  EXPECT_THAT(attributeOf(lastLaunch(), CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
                  ->clusterDim,
              testing::ElementsAre(4u, 1u, 1u));
  launched.cluster[0] = 1u << 31;
  launched.grid[0] = 1u << 31;
  EXPECT_NE(launch(k, launched), NEREID_OK);
}

TEST_F(CudaTest, SetsAttributesOfTheKernelAndOfTheCaller) {
  nereid_kernel_t *plain = loadKernel(ptx("k", {}), kernelMetadata("k"));
  nereid_launch_t launched = request(Block());
  launched.flags = NEREID_LAUNCH_COOPERATIVE | NEREID_LAUNCH_PROGRAMMATIC;
  for (bool isCompiled : {false, true}) {
    nereid_kernel_t *k =
        isCompiled
            ? loadKernel(
                  ptx("k", {}),
                  kernelMetadata("k").flag("cooperative").flag("launch_pdl"))
            : plain;
    if (isCompiled)
      launched.flags = 0;
    ASSERT_EQ(launch(k, launched), NEREID_OK) << errors();
    FakeLaunch seen = lastLaunch();
    ASSERT_EQ(seen.attributes.size(), 2u);
    EXPECT_EQ(attributeOf(seen, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)->cooperative,
              1);
    EXPECT_EQ(
        attributeOf(seen, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            ->programmaticStreamSerializationAllowed,
        1);
  }
}

TEST_F(CudaTest, IgnoresProgrammaticLaunchesOnOlderDevices) {
  fakeCudaMachine().capability = 80;
  nereid_kernel_t *k =
      loadKernel(ptx("k", {}, "sm_80"), kernelMetadata("k").flag("launch_pdl"));
  nereid_launch_t launched = request(Block());
  launched.flags = NEREID_LAUNCH_PROGRAMMATIC;
  ASSERT_EQ(launch(k, launched), NEREID_OK) << errors();
  EXPECT_THAT(lastLaunch().attributes, IsEmpty());
}

TEST_F(CudaTest, SaysHowManyBlocksACooperativeLaunchMayHave) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {}), kernelMetadata("k").flag("cooperative"));
  EXPECT_EQ(launch(k, request(Block(), 2112)), NEREID_OK) << errors();
  EXPECT_EQ(launch(k, request(Block(), 100000)), NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(errors(), HasSubstr("100000 x 1 x 1 thread blocks of 128 threads "
                                  "and 0 bytes of shared memory, of which 2112 "
                                  "run at the same time"));
}

TEST_F(CudaTest, LaunchesFromSeveralThreads) {
  nereid_kernel_t *k =
      loadKernel(ptx("k", {".u64"}), kernelMetadata("k", {"i64"}));
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Record own;
      Block block;
      block.add(i);
      nereid_launch_t launched = request(block);
      for (int n = 0; n < 100; ++n)
        EXPECT_EQ(kDriver.launch(k, &launched, own), NEREID_OK) << own.errors;
    });
  for (std::thread &thread : threads)
    thread.join();
  std::vector<int> counts(4);
  for (const FakeLaunch &seen : fakeCudaLaunches())
    ++counts[seen.parameter<uint64_t>(0)];
  EXPECT_EQ(counts, std::vector<int>(4, 100));
  synchronize();
}

TEST_F(CudaTest, LaunchesWithoutACall) {
  nereid_kernel_t *k = loadKernel(ptx("k", {}), kernelMetadata("k"));
  Block block;
  nereid_launch_t launched = request(block);
  EXPECT_EQ(kDriver.launch(k, &launched, nullptr), NEREID_OK);
  fakeCudaFail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(kDriver.launch(k, &launched, nullptr), NEREID_OUT_OF_RESOURCES);
}

} // namespace nereid::test
