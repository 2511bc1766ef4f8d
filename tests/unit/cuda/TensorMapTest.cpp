// TensorMapTest.cpp - tensor maps made of descriptors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "../cpu/allocations.h"
#include "CudaFixture.h"

#include <thread>

namespace nereid::test {

using namespace cuda;

/// Kernels that take a descriptor of rank 2 with blocks of 64 x 32 and an i32.
class CudaTensorMapTest : public CudaTest {
protected:
  static Metadata metadata(int64_t type = 6, int64_t flags = 0) {
    return kernelMetadata("k", {"*f16", "i64", "i64", "i64", "i64", "i1", "i1",
                                "i32", "i32", "i64", "i64", "i32"})
        .list("tensor_maps", {0, 2, 3, type, flags, 64, 32})
        .list("parameters", {-1, 7, 8, 9, 10, 11})
        .integer("scratch_parameters", 2);
  }
  nereid_kernel_t *loadWith(const Metadata &metadata) {
    return loadKernel(ptx("k", {".align 64 .b8[128]", ".u32", ".u32", ".u64",
                                ".u64", ".u32", ".u64", ".u64"}),
                      metadata);
  }
  static Block block(uint64_t pointer, int64_t rows = 100,
                     int64_t columns = 200, int64_t stride = 256,
                     bool isNan = false, bool isTf32 = false) {
    Block block;
    block.add(pointer).add(rows).add(columns).add(stride).add<int64_t>(1);
    block.add<uint8_t>(isNan).add<uint8_t>(isTf32);
    block.add(static_cast<int32_t>(rows)).add(static_cast<int32_t>(columns));
    block.add(stride).add<int64_t>(1).add<int32_t>(42);
    return block;
  }
  FakeTensorMap lastMap() {
    return fakeCudaTensorMap(lastLaunch().parameters.at(0).data());
  }
};

TEST_F(CudaTensorMapTest, MakesAMapOfADescriptor) {
  nereid_kernel_t *k = loadWith(metadata());
  ASSERT_TRUE(k) << errors();
  ASSERT_EQ(launch(k, request(block(0x10000))), NEREID_OK) << errors();
  FakeTensorMap map = lastMap();
  EXPECT_EQ(map.address, 0x10000u);
  EXPECT_EQ(map.type, 6u);
  EXPECT_EQ(map.rank, 2u);
  EXPECT_EQ(map.swizzle, 3u);
  EXPECT_EQ(map.fill, 0u);
  // The fastest dimension first.
  EXPECT_EQ(map.sizes[0], 200u);
  EXPECT_EQ(map.sizes[1], 100u);
  EXPECT_EQ(map.strides[0], 512u);
  EXPECT_EQ(map.box[0], 32u);
  EXPECT_EQ(map.box[1], 64u);
  EXPECT_EQ(lastLaunch().parameter<int32_t>(1), 100);
  EXPECT_EQ(lastLaunch().parameter<int32_t>(5), 42);
  EXPECT_EQ(lastLaunch().parameter<uint64_t>(6), 0u);
}

TEST_F(CudaTensorMapTest, UsesTheFlagsOfTheCaller) {
  nereid_kernel_t *k = loadWith(metadata(7));
  ASSERT_EQ(launch(k, request(block(0x10000, 100, 200, 256, true))), NEREID_OK);
  EXPECT_EQ(lastMap().fill, 1u);
  EXPECT_EQ(lastMap().type, 7u);
  ASSERT_EQ(launch(k, request(block(0x10000, 100, 200, 256, false, true))),
            NEREID_OK);
  EXPECT_EQ(lastMap().fill, 0u);
  EXPECT_EQ(lastMap().type, 11u); // TF32
}

TEST_F(CudaTensorMapTest, DoublesTheSizeOfPaddedPairs) {
  nereid_kernel_t *k = loadWith(metadata(14, 1));
  ASSERT_TRUE(k) << errors();
  ASSERT_EQ(launch(k, request(block(0x10000))), NEREID_OK) << errors();
  EXPECT_EQ(lastMap().sizes[0], 400u);
  EXPECT_EQ(lastMap().sizes[1], 100u);
  EXPECT_EQ(lastMap().strides[0], 256u);
}

TEST_F(CudaTensorMapTest, KeepsTheLastMaps) {
  nereid_kernel_t *k = loadWith(metadata());
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(launch(k, request(block(0x10000))), NEREID_OK);
  EXPECT_EQ(fakeCudaCalls("cuTensorMapEncodeTiled"), 1u);
  // Anything that differs makes another map.
  for (const Block &other :
       {block(0x20000), block(0x10000, 101), block(0x10000, 100, 201),
        block(0x10000, 100, 200, 264), block(0x10000, 100, 200, 256, true)}) {
    uint64_t before = fakeCudaCalls("cuTensorMapEncodeTiled");
    ASSERT_EQ(launch(k, request(other)), NEREID_OK) << errors();
    EXPECT_EQ(fakeCudaCalls("cuTensorMapEncodeTiled"), before + 1);
  }
}

// Kernels of every kind: plain ones, with scratch, in clusters, with tensor
// maps.
TEST_F(CudaTensorMapTest, LaunchesAllocateNothing) {
  nereid_address_t scratch = allocate(128);
  nereid_kernel_t *kernels[] = {
      loadKernel(ptx("k", {".u64"}), kernelMetadata("k", {"i64"})),
      loadKernel(ptx("k", {".u64"}), kernelMetadata("k")
                                         .integer("scratch_size", 128)
                                         .integer("scratch_parameters", 1)),
      loadKernel(ptx("k", {}), kernelMetadata("k").integer("num_ctas", 4)),
      loadWith(metadata()),
  };
  Block arguments = block(0x10000);
  nereid_launch_t launched = request(arguments);
  launched.scratch = scratch;
  launched.scratch_size = 128;
  fakeCudaSetBare(true);
  for (nereid_kernel_t *k : kernels) {
    ASSERT_TRUE(k);
    EXPECT_EQ(kDriver.launch(k, &launched, nullptr), NEREID_OK);
    uint64_t before = cpu::test::allocationCount();
    for (int i = 0; i < 100; ++i)
      kDriver.launch(k, &launched, nullptr);
    EXPECT_EQ(cpu::test::allocationCount(), before);
  }
  fakeCudaSetBare(false);
  free(scratch);
}

TEST_F(CudaTensorMapTest, MapsOfSeveralThreadsDoNotMix) {
  nereid_kernel_t *k = loadWith(metadata());
  std::vector<std::thread> threads;
  // Pointers that share an entry of the cache, and others.
  for (uint64_t i = 1; i <= 4; ++i)
    threads.emplace_back([&, i] {
      Record own;
      for (uint64_t n = 0; n < 200; ++n) {
        int64_t rows = static_cast<int64_t>(1 + n % 3 * 1000 + i);
        Block arguments = block(i * 0x10000, rows);
        nereid_launch_t launched = request(arguments);
        EXPECT_EQ(kDriver.launch(k, &launched, own), NEREID_OK) << own.errors;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const FakeLaunch &seen : fakeCudaLaunches()) {
    FakeTensorMap map = fakeCudaTensorMap(seen.parameters[0].data());
    EXPECT_EQ(map.sizes[1], seen.parameter<uint32_t>(1));
    EXPECT_EQ(map.address / 0x10000, (map.sizes[1] - 1) % 1000);
  }
  synchronize();
}

TEST_F(CudaTensorMapTest, RefusesADescriptorThatIsNotPossible) {
  nereid_kernel_t *k = loadWith(metadata());
  EXPECT_EQ(launch(k, request(block(0x10008))), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(errors(),
              HasSubstr("the descriptor '0' is not possible as a tensor map: "
                        "address 0x10008, sizes [100, 200], strides [256, 1] "
                        "of 2 bytes, block [64, 32]"));
  EXPECT_EQ(launch(k, request(block(0x10000, 100, 200, 201))),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(launch(k, request(block(0x10000, 0))), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(fakeCudaLaunches(), IsEmpty());
}

// Bit 21 of the second word, which the fake sets as those drivers do.
TEST_F(CudaTensorMapTest, RepairsMapsOfSmallTensorsOfOlderDrivers) {
  auto bit = [&] { return lastLaunch().parameter<CUtensorMap>(0).opaque[1]; };
  nereid_kernel_t *k = loadWith(metadata());
  ASSERT_EQ(launch(k, request(block(0x10000, 100))), NEREID_OK);
  EXPECT_EQ(bit(), 0u);
  ASSERT_EQ(launch(k, request(block(0x10000, 1000))), NEREID_OK);
  EXPECT_NE(bit(), 0u);
  synchronize();
  close();
  fakeCudaReset();
  fakeCudaMachine().version = 13020;
  k = loadWith(metadata());
  ASSERT_EQ(launch(k, request(block(0x10000, 100))), NEREID_OK);
  EXPECT_NE(bit(), 0u);
}

} // namespace nereid::test
