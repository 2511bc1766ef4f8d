// MemoryTest.cpp - allocation, copies, fills, pinned and imported memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

#include <cstring>
#include <random>

using namespace nereid::test;
using testing::HasSubstr;

namespace {
class VulkanMemory : public VulkanTest {
protected:
  std::vector<char> randomBytes(size_t size) {
    std::vector<char> bytes(size);
    for (char &byte : bytes)
      byte = static_cast<char>(random());
    return bytes;
  }
  const nereid_memory_t &memory() {
    return plugin->extension<nereid_memory_t>(NEREID_EXT_MEMORY);
  }
  const nereid_interop_t &interop() {
    return plugin->extension<nereid_interop_t>(NEREID_EXT_INTEROP);
  }
  nereid_status_t copyRows(const nereid_copy_2d_t &copy) {
    const nereid_copy_2d_t *in = &copy;
    return call(memory().copy_2d, plugin->state, 0u, in);
  }
  std::mt19937 random{1};
};

uintptr_t number(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
} // namespace

TEST_F(VulkanMemory, AllocatesAlignedAndSeparate) {
  std::map<nereid_address_t, uint64_t> blocks;
  for (uint64_t size : {1u, 7u, 256u, 257u, 100000u, 5u << 20, 20u << 20})
    for (uint64_t alignment : {0u, 64u, 4096u, 65536u}) {
      nereid_address_t address = allocate(size, alignment);
      EXPECT_EQ(address % std::max<uint64_t>(alignment, 64), 0u);
      blocks[address] = size;
    }
  uint64_t end = 0;
  for (auto [address, size] : blocks) {
    EXPECT_GE(address, end);
    end = address + size;
  }
}

TEST_F(VulkanMemory, FreedMemoryIsUsedAgain) {
  // More than the device has, in all, in pieces of every kind.
  uint64_t total = std::stoull(plugin->properties(0)["memory_bytes"]);
  uint64_t step = std::min<uint64_t>(total / 4, 512u << 20);
  for (uint64_t done = 0; done < 8 * step; done += step)
    free(allocate(step));
  std::vector<nereid_address_t> small;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 200; ++i)
      small.push_back(allocate(1 + random() % 40000));
    std::shuffle(small.begin(), small.end(), random);
    for (int i = 0; i < 150; ++i) {
      free(small.back());
      small.pop_back();
    }
  }
}

TEST_F(VulkanMemory, RefusesMoreThanThereIs) {
  nereid_allocation_t request = {sizeof request, 0, uint64_t{1} << 60, 0};
  nereid_address_t address = 77;
  const nereid_allocation_t *in = &request;
  nereid_address_t *out = &address;
  EXPECT_EQ(call(plugin->driver().allocate, plugin->state, 0u, in, out),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(error, HasSubstr("no device memory for 1152921504606846976"));
  EXPECT_THAT(error, HasSubstr("bytes are allocated"));
  EXPECT_EQ(address, 77u);
  request.alignment = 48;
  EXPECT_EQ(call(plugin->driver().allocate, plugin->state, 0u, in, out),
            NEREID_INVALID_ARGUMENT);
}

TEST_F(VulkanMemory, FreesOnlyWhatItAllocated) {
  nereid_address_t block = allocate(100), zero = 0;
  EXPECT_EQ(call(plugin->driver().free, plugin->state, 0u, block + 8),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call(plugin->driver().free, plugin->state, 0u, zero), NEREID_OK);
  free(block);
  EXPECT_EQ(call(plugin->driver().free, plugin->state, 0u, block),
            NEREID_INVALID_ARGUMENT);
}

TEST_F(VulkanMemory, CopiesRoundTrip) {
  // Odd sizes, and larger than the staging memory of one piece.
  for (size_t size : {1u, 3u, 4097u, 1u << 20, (40u << 20) + 13}) {
    std::vector<char> bytes = randomBytes(size), back(size);
    nereid_address_t first = allocate(size + 1), second = allocate(size + 1);
    ASSERT_EQ(upload(first + 1, bytes), NEREID_OK) << error;
    ASSERT_EQ(copy(NEREID_COPY_DEVICE_TO_DEVICE, second, first + 1, size),
              NEREID_OK)
        << error;
    ASSERT_EQ(download(back, second), NEREID_OK) << error;
    ASSERT_EQ(synchronize(), NEREID_OK) << error;
    EXPECT_TRUE(bytes == back) << size;
    free(first);
    free(second);
  }
}

TEST_F(VulkanMemory, CopiesInOrderThroughHostMemory) {
  // The second copy reads what the first one writes, without a wait between.
  std::vector<char> bytes = randomBytes(5000), between(5000);
  nereid_address_t first = allocate(5000), second = allocate(5000);
  ASSERT_EQ(upload(first, bytes), NEREID_OK);
  ASSERT_EQ(download(between, first), NEREID_OK);
  ASSERT_EQ(upload(second, between), NEREID_OK);
  EXPECT_EQ(contents<char>(second, 5000), bytes);
}

TEST_F(VulkanMemory, RefusesCopiesBeyondAnAllocation) {
  std::vector<char> bytes(65);
  nereid_address_t block = allocate(64);
  EXPECT_EQ(upload(block, bytes), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("the destination of a copy, 65 bytes at 0x"));
  EXPECT_EQ(download(bytes, block), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(upload(number(bytes.data()), bytes), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(copy(9, block, block, 4), NEREID_INVALID_ARGUMENT);
}

TEST_F(VulkanMemory, CopiesRectangles) {
  struct Case {
    uint64_t width, height, hostPitch, devicePitch;
  };
  for (auto [width, height, hostPitch, devicePitch] :
       {Case{5, 7, 9, 16}, Case{64, 32, 64, 64}, Case{1, 600, 3, 5},
        Case{9u << 20, 2, 9u << 20, (9u << 20) + 3}}) {
    std::vector<char> from = randomBytes(hostPitch * height);
    std::vector<char> back(hostPitch * height, 7), expected = back;
    nereid_address_t first = allocate(devicePitch * height);
    nereid_address_t second = allocate(devicePitch * height);
    nereid_copy_2d_t up = {};
    up.struct_size = sizeof up;
    up.direction = NEREID_COPY_HOST_TO_DEVICE;
    up.destination = first;
    up.destination_pitch = devicePitch;
    up.source = number(from.data());
    up.source_pitch = hostPitch;
    up.width = width;
    up.height = height;
    ASSERT_EQ(copyRows(up), NEREID_OK) << error;
    nereid_copy_2d_t across = up;
    across.direction = NEREID_COPY_DEVICE_TO_DEVICE;
    across.destination = second;
    across.source = first;
    across.source_pitch = devicePitch;
    ASSERT_EQ(copyRows(across), NEREID_OK) << error;
    nereid_copy_2d_t down = across;
    down.direction = NEREID_COPY_DEVICE_TO_HOST;
    down.source = second;
    down.destination = number(back.data());
    down.destination_pitch = hostPitch;
    ASSERT_EQ(copyRows(down), NEREID_OK) << error;
    ASSERT_EQ(synchronize(), NEREID_OK) << error;
    for (uint64_t row = 0; row < height; ++row)
      std::memcpy(expected.data() + row * hostPitch,
                  from.data() + row * hostPitch, width);
    EXPECT_TRUE(back == expected) << width << " x " << height;
    free(first);
    free(second);
  }
}

TEST_F(VulkanMemory, FillsWithEveryPattern) {
  const char pattern[] = "abcdefgh";
  constexpr uint64_t kRoom = 3u << 20;
  nereid_address_t block = allocate(kRoom);
  for (uint32_t size : {1u, 2u, 4u, 8u})
    for (uint64_t count : {1u, 3u, 5u, 4099u, (2u << 20) / 8 + 1})
      for (uint64_t start : {0u, 1u, 2u, 3u}) {
        std::vector<char> zeros(kRoom), expected(kRoom);
        ASSERT_EQ(upload(block, zeros), NEREID_OK);
        nereid_fill_t fill = {sizeof fill,          size,    0,
                              block + start * size, pattern, count};
        const nereid_fill_t *in = &fill;
        ASSERT_EQ(call(memory().fill, plugin->state, 0u, in), NEREID_OK)
            << error;
        for (uint64_t i = 0; i < count; ++i)
          std::memcpy(expected.data() + (start + i) * size, pattern, size);
        ASSERT_TRUE(contents<char>(block, kRoom) == expected)
            << size << ' ' << count << ' ' << start;
      }
}

TEST_F(VulkanMemory, CopiesFromAndToPinnedMemory) {
  nereid_allocation_t request = {sizeof request, 0, 10000, 4096};
  void *pinned = nullptr;
  const nereid_allocation_t *in = &request;
  void **out = &pinned;
  ASSERT_EQ(call(memory().allocate_host, plugin->state, 0u, in, out), NEREID_OK)
      << error;
  EXPECT_EQ(number(pinned) % 4096, 0u);
  std::vector<char> bytes = randomBytes(10000);
  std::memcpy(pinned, bytes.data(), bytes.size());
  nereid_address_t block = allocate(10000);
  ASSERT_EQ(copy(NEREID_COPY_HOST_TO_DEVICE, block, number(pinned), 10000),
            NEREID_OK)
      << error;
  ASSERT_EQ(synchronize(), NEREID_OK);
  std::memset(pinned, 0, 10000);
  ASSERT_EQ(copy(NEREID_COPY_DEVICE_TO_HOST, number(pinned), block, 10000),
            NEREID_OK)
      << error;
  ASSERT_EQ(synchronize(), NEREID_OK);
  EXPECT_EQ(std::memcmp(pinned, bytes.data(), 10000), 0);
  EXPECT_EQ(call(memory().free_host, plugin->state, 0u, pinned), NEREID_OK);
}

TEST_F(VulkanMemory, KernelsReachImportedMemory) {
  std::vector<float> x(3000, 1.5f), out(3000);
  nereid_address_t imported[2] = {};
  std::vector<float> *vectors[] = {&x, &out};
  for (int i = 0; i < 2; ++i) {
    nereid_import_t object = {sizeof object, 0, text("host.pointer"),
                              number(vectors[i]->data()), 3000 * 4};
    const nereid_import_t *in = &object;
    nereid_address_t *address = &imported[i];
    nereid_status_t status =
        call(interop().import_pointer, plugin->state, 0u, in, address);
    if (status == NEREID_UNIMPLEMENTED)
      GTEST_SKIP() << "this driver does not import host memory: " << error;
    ASSERT_EQ(status, NEREID_OK) << error;
  }
  AddArguments arguments = {imported[0], imported[0], imported[1], 3000};
  ASSERT_EQ(launch(kernel("vector_add"), 47, &arguments, 32), NEREID_OK);
  ASSERT_EQ(synchronize(), NEREID_OK) << error;
  EXPECT_THAT(out, testing::Each(3.0f));
  // Imported memory is not freed but released, and is then unknown.
  EXPECT_EQ(call(plugin->driver().free, plugin->state, 0u, imported[0]),
            NEREID_INVALID_ARGUMENT);
  for (nereid_address_t address : imported)
    EXPECT_EQ(call(interop().release_pointer, plugin->state, 0u, address),
              NEREID_OK);
  EXPECT_EQ(call(interop().release_pointer, plugin->state, 0u, imported[0]),
            NEREID_INVALID_ARGUMENT);
}

TEST_F(VulkanMemory, RefusesToImportWhatIsNotHostMemory) {
  nereid_import_t object = {sizeof object, 0, text("cuda.pointer"), 64, 64};
  nereid_address_t address = 0;
  const nereid_import_t *in = &object;
  nereid_address_t *out = &address;
  EXPECT_EQ(call(interop().import_pointer, plugin->state, 0u, in, out),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(error, HasSubstr("cannot import a 'cuda.pointer'"));
}

TEST_F(VulkanMemory, ReportsFreeMemory) {
  nereid_memory_info_t info = {};
  info.struct_size = sizeof info;
  nereid_memory_info_t *out = &info;
  ASSERT_EQ(call(memory().get_info, plugin->state, 0u, out), NEREID_OK);
  EXPECT_GT(info.total, 0u);
  EXPECT_LE(info.free, info.total);
}

TEST_F(VulkanMemory, FlushesTheCaches) {
  const auto &benchmark =
      plugin->extension<nereid_benchmark_t>(NEREID_EXT_BENCHMARK);
  auto freeBytes = [&] {
    nereid_memory_info_t info = {};
    info.struct_size = sizeof info;
    nereid_memory_info_t *out = &info;
    EXPECT_EQ(call(memory().get_info, plugin->state, 0u, out), NEREID_OK);
    return info.free;
  };
  uint64_t before = freeBytes();
  ASSERT_EQ(call(benchmark.flush_cache, plugin->state, 0u, 0u), NEREID_OK);
  uint64_t after = freeBytes();
  EXPECT_LT(after, before);
  ASSERT_EQ(call(benchmark.flush_cache, plugin->state, 0u, 0u), NEREID_OK);
  EXPECT_EQ(freeBytes(), after) << "the memory is used again";
}
