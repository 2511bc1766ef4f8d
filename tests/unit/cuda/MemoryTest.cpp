// MemoryTest.cpp - allocations, copies and fills.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CudaFixture.h"

#include <numeric>

namespace nereid::test {

using namespace cuda;

static std::vector<uint8_t> pattern(size_t size, uint8_t first = 1) {
  std::vector<uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

TEST_F(CudaTest, AlignsAllocations) {
  for (uint64_t alignment : {0, 64, 256, 4096, 1 << 20}) {
    nereid_address_t address = allocate(100, alignment);
    ASSERT_EQ(status, NEREID_OK) << errors();
    EXPECT_EQ(address % std::max<uint64_t>(alignment, 64), 0u);
    free(address);
    EXPECT_EQ(status, NEREID_OK) << errors();
  }
  allocate(100, 48);
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  allocate(UINT64_MAX, 1 << 20);
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
}

TEST_F(CudaTest, AllocatesWithoutWaitingForTheDevice) {
  nereid_address_t address = allocate(64);
  // A fill that has not run.
  uint8_t one = 1;
  nereid_fill_t fill = {sizeof fill, 1, 0, address, &one, 64};
  ASSERT_EQ(memory().fill(state(), 0, &fill, record.emplace()), NEREID_OK);
  free(allocate(1 << 20));
  int32_t isDone = 1;
  streams().query(state(), 0, 0, &isDone, record.emplace());
  EXPECT_EQ(isDone, 0);
  EXPECT_EQ(synchronize(), NEREID_OK);
  free(address);
  EXPECT_EQ(fakeCudaCalls("cuMemAlloc"), 0u);
}

TEST_F(CudaTest, AllocatesWhereThereAreNoPools) {
  fakeCudaMachine().hasMemoryPools = false;
  free(allocate(64));
  EXPECT_EQ(status, NEREID_OK);
  EXPECT_EQ(fakeCudaCalls("cuMemAlloc"), 1u);
  EXPECT_EQ(fakeCudaCalls("cuMemPoolCreate"), 0u);
}

TEST_F(CudaTest, AllocatesWherePoolsCannotBeMade) {
  fakeCudaFail("cuMemPoolCreate", CUDA_ERROR_NOT_SUPPORTED);
  free(allocate(64));
  EXPECT_EQ(status, NEREID_OK);
  EXPECT_EQ(fakeCudaCalls("cuMemAlloc"), 1u);
}

TEST_F(CudaTest, SaysHowMuchMemoryThereIs) {
  nereid_address_t half = allocate(128 << 20);
  allocate(200 << 20);
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(errors(), HasSubstr("cannot allocate 209715200 bytes of device "
                                  "memory (the device has 268435456, of which "
                                  "134217728 are free) on device 'Fake GPU'"));
  free(half);
}

TEST_F(CudaTest, AllocatesAllThatWasFreedInSmallerPieces) {
  std::vector<nereid_address_t> pieces;
  for (int i = 0; i < 15; ++i)
    pieces.push_back(allocate(16 << 20));
  for (nereid_address_t piece : pieces)
    free(piece);
  nereid_address_t whole = allocate(uint64_t{250} << 20);
  EXPECT_EQ(status, NEREID_OK) << errors();
  EXPECT_EQ(fakeCudaCalls("cuMemPoolTrimTo"), 1u);
  free(whole);
}

TEST_F(CudaTest, RefusesToFreeWhatIsNotAllocated) {
  nereid_address_t address = allocate(64);
  free(address + 64);
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  free(address);
  EXPECT_EQ(status, NEREID_OK);
  free(address);
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(errors(), HasSubstr("is allocated on device 'Fake GPU'"));
  free(0);
  EXPECT_EQ(status, NEREID_OK);
}

TEST_F(CudaTest, CopiesToTheDeviceAndBack) {
  std::vector<uint8_t> bytes = pattern(1000);
  nereid_address_t a = allocate(1000), b = allocate(1000);
  upload(a, bytes);
  EXPECT_EQ(copy(NEREID_COPY_DEVICE_TO_DEVICE, b, a, 1000), NEREID_OK);
  EXPECT_EQ(download<uint8_t>(b, 1000), bytes);
  EXPECT_EQ(copy(9, b, a, 1000), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(copy(NEREID_COPY_DEVICE_TO_DEVICE, b, a, 0), NEREID_OK);
  free(a);
  free(b);
}

// A kernel that runs may wait for what this thread has not submitted yet.
TEST_F(CudaTest, CopiesOfPageableMemoryDoNotWait) {
  constexpr size_t kSize = 10 << 20; // more than a piece of pinned memory
  std::vector<uint8_t> sent = pattern(kSize), expected = sent, received(kSize);
  nereid_address_t address = allocate(kSize);
  nereid_stream_t stream = createStream();
  uint8_t zero = 0;
  nereid_fill_t fill = {sizeof fill, 1, stream, address, &zero, kSize};
  ASSERT_EQ(memory().fill(state(), 0, &fill, record.emplace()), NEREID_OK);
  upload(address, sent, stream);
  std::fill(sent.begin(), sent.end(), 0); // it was read in the call
  EXPECT_EQ(copy(NEREID_COPY_DEVICE_TO_HOST,
                 reinterpret_cast<uint64_t>(received.data()), address, kSize,
                 stream),
            NEREID_OK);
  EXPECT_EQ(received[1], 0);
  int32_t isDone = 1;
  streams().query(state(), 0, stream, &isDone, record.emplace());
  EXPECT_EQ(isDone, 0);
  EXPECT_EQ(synchronize(stream), NEREID_OK);
  EXPECT_EQ(received, expected);
  // Then the pieces are used again.
  uint64_t pieces = fakeCudaCalls("cuMemHostAlloc");
  ASSERT_EQ(memory().fill(state(), 0, &fill, record.emplace()), NEREID_OK);
  upload(address, expected, stream);
  EXPECT_EQ(synchronize(stream), NEREID_OK);
  EXPECT_EQ(fakeCudaCalls("cuMemHostAlloc"), pieces);
  free(address);
  streams().destroy(state(), 0, stream, record.emplace());
}

TEST_F(CudaTest, CopiesOfPinnedMemoryAreDirect) {
  nereid_allocation_t request = {sizeof request, 0, 4096, 8192};
  void *pinned = nullptr;
  ASSERT_EQ(
      memory().allocate_host(state(), 0, &request, &pinned, record.emplace()),
      NEREID_OK);
  EXPECT_EQ(reinterpret_cast<uint64_t>(pinned) % 8192, 0u);
  std::memset(pinned, 7, 4096);
  nereid_address_t address = allocate(4096);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(copy(NEREID_COPY_HOST_TO_DEVICE, address,
                   reinterpret_cast<uint64_t>(pinned), 4096),
              NEREID_OK);
  EXPECT_EQ(fakeCudaCalls("cuMemcpyHtoDAsync"), 2u);
  EXPECT_EQ(synchronize(), NEREID_OK);
  EXPECT_EQ(download<uint8_t>(address, 4096), std::vector<uint8_t>(4096, 7));
  free(address);
  EXPECT_EQ(memory().free_host(state(), 0, pinned, record.emplace()),
            NEREID_OK);
  EXPECT_EQ(memory().free_host(state(), 0, pinned, record.emplace()),
            NEREID_INVALID_ARGUMENT);
}

// Direct on an idle stream, through pinned memory on a busy one.
TEST_F(CudaTest, CopiesRectangles) {
  for (bool isBusy : {false, true}) {
    std::vector<uint8_t> host = pattern(10 * 16), back(10 * 16, 0);
    nereid_address_t address = allocate(10 * 32);
    uint8_t zero = 0;
    nereid_fill_t fill = {sizeof fill, 1, 0, address, &zero, 10 * 32};
    ASSERT_EQ(memory().fill(state(), 0, &fill, record.emplace()), NEREID_OK);
    if (!isBusy)
      synchronize();
    nereid_copy_2d_t up = {sizeof up, NEREID_COPY_HOST_TO_DEVICE,
                           0,         address,
                           32,        reinterpret_cast<uint64_t>(host.data()),
                           16,        12,
                           10};
    EXPECT_EQ(memory().copy_2d(state(), 0, &up, record.emplace()), NEREID_OK);
    nereid_copy_2d_t down = {
        sizeof down, NEREID_COPY_DEVICE_TO_HOST,
        0,           reinterpret_cast<uint64_t>(back.data()),
        16,          address,
        32,          12,
        10};
    EXPECT_EQ(memory().copy_2d(state(), 0, &down, record.emplace()), NEREID_OK);
    EXPECT_EQ(fakeCudaCalls("cuLaunchHostFunc") != 0, isBusy);
    EXPECT_EQ(synchronize(), NEREID_OK);
    for (size_t row = 0; row < 10; ++row)
      for (size_t i = 0; i < 16; ++i)
        EXPECT_EQ(back[row * 16 + i], i < 12 ? host[row * 16 + i] : 0);
    free(address);
  }
}

TEST_F(CudaTest, FillsWithPatternsOfEverySize) {
  for (uint32_t size : {1, 2, 4, 8}) {
    const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    nereid_address_t address = allocate(10 * 8 + 8);
    nereid_fill_t fill = {sizeof fill, size, 0, address, bytes, 10};
    ASSERT_EQ(memory().fill(state(), 0, &fill, record.emplace()), NEREID_OK);
    std::vector<uint8_t> result = download<uint8_t>(address, 10 * size + 8);
    for (size_t i = 0; i < result.size(); ++i)
      EXPECT_EQ(result[i], i < 10 * size ? bytes[i % size] : 0xcd) << i;
    free(address);
  }
  nereid_fill_t odd = {sizeof odd, 3, 0, 64, "abc", 1};
  EXPECT_EQ(memory().fill(state(), 0, &odd, record.emplace()),
            NEREID_INVALID_ARGUMENT);
}

TEST_F(CudaTest, CopiesBetweenDevices) {
  fakeCudaMachine().devices = 2;
  nereid_address_t here = allocate(64), there = allocate(64, 0, 1);
  std::vector<uint8_t> bytes = pattern(64);
  upload(here, bytes);
  synchronize();
  for (int i = 0; i < 3; ++i) {
    nereid_copy_peer_t copy = {sizeof copy, 0, 0, there, here, 64};
    EXPECT_EQ(memory().copy_peer(state(), 1, &copy, record.emplace()),
              NEREID_OK)
        << errors();
  }
  EXPECT_EQ(synchronize(0, 1), NEREID_OK);
  std::vector<uint8_t> back(64);
  copy(NEREID_COPY_DEVICE_TO_HOST, reinterpret_cast<uint64_t>(back.data()),
       there, 64, 0, 1);
  synchronize(0, 1);
  EXPECT_EQ(back, bytes);
  // Once for each direction.
  EXPECT_EQ(fakeCudaCalls("cuMemPoolSetAccess"), 2u);
  free(here);
  free(there, 1);
}

TEST_F(CudaTest, ReportsFreeMemory) {
  nereid_address_t address = allocate(1 << 20);
  nereid_memory_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(memory().get_info(state(), 0, &info, record.emplace()), NEREID_OK);
  EXPECT_EQ(info.total, uint64_t{256} << 20);
  EXPECT_EQ(info.free, uint64_t{255} << 20);
  free(address);
}

TEST_F(CudaTest, EvictsTheCaches) {
  const auto &benchmark = extension<nereid_benchmark_t>(NEREID_EXT_BENCHMARK);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(benchmark.flush_cache(state(), 0, 0, record.emplace()),
              NEREID_OK);
  EXPECT_EQ(fakeCudaCalls("cuMemsetD8Async"), 2u);
  EXPECT_EQ(fakeCudaCalls("cuMemAllocFromPoolAsync"), 1u);
  synchronize();
}

// ------------------------------------------------------------------- imports

TEST_F(CudaTest, ImportsHostMemory) {
  std::vector<uint8_t> host(4096, 3);
  nereid_import_t object = {sizeof object, 0, text("host.pointer"),
                            reinterpret_cast<uint64_t>(host.data()), 4096};
  nereid_address_t first = 0, second = 0;
  ASSERT_EQ(
      interop().import_pointer(state(), 0, &object, &first, record.emplace()),
      NEREID_OK);
  ASSERT_EQ(
      interop().import_pointer(state(), 0, &object, &second, record.emplace()),
      NEREID_OK);
  EXPECT_EQ(first, second);
  EXPECT_EQ(fakeCudaCalls("cuMemHostRegister"), 1u);
  interop().release_pointer(state(), 0, first, record.emplace());
  EXPECT_EQ(fakeCudaCalls("cuMemHostUnregister"), 0u);
  interop().release_pointer(state(), 0, first, record.emplace());
  EXPECT_EQ(fakeCudaCalls("cuMemHostUnregister"), 1u);
}

TEST_F(CudaTest, ImportsPointersOfTheDevice) {
  fakeCudaMachine().devices = 2;
  nereid_address_t here = allocate(64), there = allocate(64, 0, 1), out = 0;
  auto import = [&](uint64_t handle, const char *kind = "cuda.pointer") {
    nereid_import_t object = {sizeof object, 0, text(kind), handle, 64};
    return interop().import_pointer(state(), 0, &object, &out,
                                    record.emplace());
  };
  EXPECT_EQ(import(here), NEREID_OK);
  EXPECT_EQ(out, here);
  EXPECT_EQ(interop().release_pointer(state(), 0, here, record.emplace()),
            NEREID_OK);
  EXPECT_EQ(import(0), NEREID_OK);
  EXPECT_EQ(import(there), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(errors(), HasSubstr("memory of device 1, of device 0"));
  int local = 0;
  EXPECT_EQ(import(reinterpret_cast<uint64_t>(&local)),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(errors(), HasSubstr("is not memory of CUDA"));
  EXPECT_EQ(import(here, "hip.pointer"), NEREID_UNIMPLEMENTED);
  EXPECT_EQ(errors(), "cannot import a 'hip.pointer', only a 'cuda.pointer' "
                      "or a 'host.pointer'");
  free(here);
  free(there, 1);
}

} // namespace nereid::test
