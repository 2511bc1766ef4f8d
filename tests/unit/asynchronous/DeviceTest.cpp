// DeviceTest.cpp - memory, kernels and their failures on the asynchronous
// devices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "AsynchronousFixture.h"

#include <algorithm>
#include <cstring>

using namespace nereid::test;
using testing::Each;
using testing::HasSubstr;

namespace {
class AsynchronousDevice : public AsynchronousTest {
protected:
  // `count` elements: 2 in x, 3 in y, and 4 where the sum goes.
  AddArguments prepare(uint32_t device, nereid_stream_t stream, int count) {
    AddArguments arguments = {};
    nereid_address_t *const addresses[] = {&arguments.x, &arguments.y,
                                           &arguments.out};
    float value = 2;
    for (nereid_address_t *address : addresses) {
      *address = allocate(device, static_cast<uint64_t>(count) * 4);
      nereid_fill_t fill = {sizeof fill, 4,      stream,
                            *address,    &value, static_cast<uint64_t>(count)};
      EXPECT_EQ(nereid_backend_fill(backend, device, &fill), NEREID_OK)
          << lastError();
      ++value;
    }
    arguments.n = count;
    return arguments;
  }
  std::vector<float> sum(uint32_t device, nereid_stream_t stream,
                         const AddArguments &arguments) {
    std::vector<float> result(static_cast<size_t>(arguments.n));
    EXPECT_EQ(download(device, stream, result, arguments.out), NEREID_OK);
    EXPECT_EQ(synchronize(device, stream), NEREID_OK) << lastError();
    return result;
  }
};

TEST_F(AsynchronousDevice, AddsVectorsOnBothDevices) {
  for (uint32_t device : {0u, 1u}) {
    nereid_function_t *add = load(device, vectorAdd());
    ASSERT_NE(add, nullptr);
    nereid_stream_t stream = createStream(device);
    AddArguments arguments = prepare(device, stream, 5000);
    ASSERT_EQ(launch(add, stream, 20, &arguments, 32), NEREID_OK)
        << lastError();
    EXPECT_THAT(sum(device, stream, arguments), Each(5.0f));
    EXPECT_EQ(nereid_backend_destroy_stream(backend, device, stream),
              NEREID_OK);
    nereid_function_destroy(add);
  }
}

TEST_F(AsynchronousDevice, GetsAlignedArgumentsFromAnyBlock) {
  nereid_function_t *add = load(0, vectorAdd());
  ASSERT_NE(add, nullptr);
  AddArguments arguments = prepare(0, 0, 100);
  alignas(64) char block[128];
  std::memcpy(block + 8, &arguments, 32);
  ASSERT_EQ(launch(add, 0, 1, block + 8, 32), NEREID_OK) << lastError();
  EXPECT_THAT(sum(0, 0, arguments), Each(5.0f));
  nereid_function_destroy(add);
}

TEST_F(AsynchronousDevice, ReportsAFaultOnceAndWorksAgain) {
  nereid_function_t *add = load(0, vectorAdd());
  ASSERT_NE(add, nullptr);
  AddArguments good = prepare(0, 0, 300), bad = good;
  bad.y += 4; // the last element is past the end
  nereid_stream_t other = createStream(0);
  ASSERT_EQ(launch(add, 0, 2, &bad, 32), NEREID_OK);
  ASSERT_EQ(launch(add, other, 2, &good, 32), NEREID_OK);
  EXPECT_EQ(synchronize(0, other), NEREID_OK) << lastError();
  EXPECT_EQ(synchronize(0, 0), NEREID_DEVICE_FAULT);
  EXPECT_THAT(lastError(), HasSubstr("a load of 4 bytes at 0x"));
  EXPECT_THAT(lastError(), HasSubstr(".py:"));
  EXPECT_EQ(synchronize(0, 0), NEREID_OK);
  EXPECT_EQ(nereid_backend_synchronize_device(backend, 0), NEREID_OK);
  ASSERT_EQ(launch(add, 0, 2, &good, 32), NEREID_OK);
  EXPECT_THAT(sum(0, 0, good), Each(5.0f));

  ASSERT_EQ(launch(add, other, 2, &bad, 32), NEREID_OK);
  EXPECT_EQ(nereid_backend_synchronize_device(backend, 0), NEREID_DEVICE_FAULT);
  EXPECT_EQ(synchronize(0, other), NEREID_OK);
  nereid_function_destroy(add);
}

TEST_F(AsynchronousDevice, SkipsWorkBetweenAFaultAndItsReport) {
  nereid_function_t *add = load(0, vectorAdd());
  ASSERT_NE(add, nullptr);
  AddArguments good = prepare(0, 0, 300), bad = good;
  ASSERT_EQ(synchronize(0, 0), NEREID_OK);
  bad.x = 64; // a pointer of the host, or nothing
  ASSERT_EQ(launch(add, 0, 2, &bad, 32), NEREID_OK);
  ASSERT_EQ(launch(add, 0, 2, &good, 32), NEREID_OK);
  EXPECT_EQ(synchronize(0, 0), NEREID_DEVICE_FAULT);
  EXPECT_THAT(sum(0, 0, good), Each(4.0f)); // as it was filled
  nereid_function_destroy(add);
}

TEST_F(AsynchronousDevice, ACopyOutOfRangeIsAFault) {
  nereid_address_t memory = allocate(1, 64);
  std::vector<char> data(65);
  EXPECT_EQ(upload(1, 0, memory, data), NEREID_OK);
  EXPECT_EQ(synchronize(1, 0), NEREID_DEVICE_FAULT);
  EXPECT_THAT(lastError(), HasSubstr("a copy's destination, 65 bytes at 0x"));
  data.resize(64);
  EXPECT_EQ(upload(1, 0, memory, data), NEREID_OK);
  EXPECT_EQ(synchronize(1, 0), NEREID_OK);
}

TEST_F(AsynchronousDevice, AnAssertionIsAFaultWithItsPlace) {
  constexpr std::string_view kernel = R"(module {
  tt.func public @k(%n: i32) {
    %c = arith.constant 5 : i32
    %0 = arith.cmpi slt, %n, %c : i32
    %1 = tt.splat %0 : i1 -> tensor<4xi1>
    tt.assert %1, "n is small" : tensor<4xi1> loc("a.py":12:3)
    tt.return
  }
})";
  for (bool debug : {true, false}) {
    nereid_function_t *function =
        load(0, kernel, {integer("debug", debug, NEREID_TYPE_BOOL)});
    ASSERT_NE(function, nullptr);
    for (int32_t n : {4, 5}) {
      alignas(64) int32_t arguments[2] = {n, 0};
      ASSERT_EQ(launch(function, 0, 1, arguments, 8), NEREID_OK) << lastError();
      bool fails = debug && n == 5;
      EXPECT_EQ(synchronize(0, 0), fails ? NEREID_DEVICE_FAULT : NEREID_OK);
      if (fails)
        EXPECT_THAT(lastError(),
                    HasSubstr(":12: assertion failed: n is small"));
    }
    nereid_function_destroy(function);
  }
}

TEST_F(AsynchronousDevice, RefusesACooperativeLaunch) {
  nereid_function_t *add = load(0, vectorAdd());
  ASSERT_NE(add, nullptr);
  AddArguments arguments = prepare(0, 0, 10);
  auto request = nereid::detail::sized<nereid_launch_t>();
  request.grid[0] = request.grid[1] = request.grid[2] = 1;
  request.arguments = &arguments;
  request.arguments_size = 32;
  request.flags = NEREID_LAUNCH_COOPERATIVE;
  EXPECT_EQ(nereid_function_launch(add, &request), NEREID_UNIMPLEMENTED);
  nereid_function_destroy(add);
}

TEST_F(AsynchronousDevice, CopiesRectanglesAndBetweenDevices) {
  std::vector<int32_t> from(32), to(32, -1);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<int32_t>(i);
  nereid_address_t here = allocate(0, 128), there = allocate(1, 128);
  ASSERT_EQ(upload(0, 0, here, from), NEREID_OK);
  ASSERT_EQ(synchronize(0, 0), NEREID_OK);
  nereid_copy_peer_t peer = {sizeof peer, 0, 0, there, here, 128};
  ASSERT_EQ(nereid_backend_copy_peer(backend, 1, &peer), NEREID_OK)
      << lastError();
  nereid_copy_2d_t rectangle = {sizeof rectangle,
                                NEREID_COPY_DEVICE_TO_HOST,
                                0,
                                reinterpret_cast<uintptr_t>(to.data()),
                                16,
                                there + 4,
                                32,
                                8,
                                3};
  ASSERT_EQ(nereid_backend_copy_2d(backend, 1, &rectangle), NEREID_OK)
      << lastError();
  ASSERT_EQ(synchronize(1, 0), NEREID_OK) << lastError();
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(to[row * 4], static_cast<int32_t>(row * 8 + 1));
    EXPECT_EQ(to[row * 4 + 1], static_cast<int32_t>(row * 8 + 2));
    EXPECT_EQ(to[row * 4 + 2], -1);
  }
}

TEST_F(AsynchronousDevice, CountsItsMemory) {
  auto info = nereid::detail::sized<nereid_memory_info_t>();
  ASSERT_EQ(nereid_backend_memory_info(backend, 1, &info), NEREID_OK);
  uint64_t total = info.total;
  EXPECT_EQ(info.free, total);
  nereid_address_t memory = allocate(1, 1 << 20);
  ASSERT_EQ(nereid_backend_memory_info(backend, 1, &info), NEREID_OK);
  EXPECT_EQ(info.free, total - (1 << 20));
  nereid_allocation_t request = {sizeof request, 0, total, 0};
  nereid_address_t none = 0;
  EXPECT_EQ(nereid_backend_allocate(backend, 1, &request, &none),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(nereid_backend_free(backend, 0, memory), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_backend_free(backend, 1, memory), NEREID_OK);
  EXPECT_EQ(nereid_backend_free(backend, 1, memory), NEREID_INVALID_ARGUMENT);
  request.size = 100;
  request.alignment = 4096;
  ASSERT_EQ(nereid_backend_allocate(backend, 1, &request, &memory), NEREID_OK);
  EXPECT_EQ(memory % 4096, 0u);
}

TEST_F(AsynchronousDevice, CopiesThroughItsHostMemory) {
  nereid_allocation_t request = {sizeof request, 0, 400, 256};
  void *pointer = nullptr;
  ASSERT_EQ(nereid_backend_allocate_host(backend, 1, &request, &pointer),
            NEREID_OK)
      << lastError();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 256, 0u);
  auto *floats = static_cast<float *>(pointer);
  std::fill_n(floats, 100, 3.0f);
  nereid_address_t memory = allocate(1, 400);
  nereid_copy_t copy = {sizeof copy, NEREID_COPY_HOST_TO_DEVICE,           0,
                        memory,      reinterpret_cast<uintptr_t>(pointer), 400};
  ASSERT_EQ(nereid_backend_copy(backend, 1, &copy), NEREID_OK);
  std::vector<float> back(100);
  ASSERT_EQ(download(1, 0, back, memory), NEREID_OK);
  ASSERT_EQ(synchronize(1, 0), NEREID_OK) << lastError();
  EXPECT_THAT(back, Each(3.0f));
  EXPECT_EQ(nereid_backend_free_host(backend, 1, pointer), NEREID_OK);
  request.size = uint64_t(1) << 62;
  EXPECT_EQ(nereid_backend_allocate_host(backend, 1, &request, &pointer),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(nereid_backend_free(backend, 1, memory), NEREID_OK);
}

TEST_F(AsynchronousDevice, KernelsUseImportedMemoryOfTheHost) {
  nereid_function_t *add = load(0, vectorAdd());
  ASSERT_NE(add, nullptr);
  std::vector<float> out(100);
  AddArguments arguments = prepare(0, 0, 100);
  nereid_import_t object = {sizeof object, 0, text("host.pointer"),
                            reinterpret_cast<uintptr_t>(out.data()), 400};
  ASSERT_EQ(nereid_backend_import_pointer(backend, 0, &object, &arguments.out),
            NEREID_OK)
      << lastError();
  ASSERT_EQ(launch(add, 0, 1, &arguments, 32), NEREID_OK);
  ASSERT_EQ(synchronize(0, 0), NEREID_OK) << lastError();
  EXPECT_THAT(out, Each(5.0f));
  EXPECT_EQ(nereid_backend_release_pointer(backend, 0, arguments.out),
            NEREID_OK);
  ASSERT_EQ(launch(add, 0, 1, &arguments, 32), NEREID_OK);
  EXPECT_EQ(synchronize(0, 0), NEREID_DEVICE_FAULT);
  nereid_function_destroy(add);
}

TEST_F(AsynchronousDevice, ComputesWithIntegersAsTheSourceSays) {
  constexpr std::string_view kernel = R"(module {
  tt.func public @k(%p: !tt.ptr<i32>, %a: i32, %b: i32, %c: i8) {
    %n = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %zero = arith.constant dense<0> : tensor<16xi32>
    %0 = arith.divsi %a, %b : i32
    %1 = arith.remsi %a, %b : i32
    %2 = arith.xori %a, %b : i32
    %3 = arith.maxsi %a, %b : i32
    %4 = arith.muli %a, %b : i32
    %5 = arith.extsi %c : i8 to i32
    %6 = arith.extui %c : i8 to i32
    %less = arith.cmpi ult, %a, %b : i32
    %7 = arith.extui %less : i1 to i32
    %8 = arith.extsi %less : i1 to i32
    %f = arith.sitofp %a : i32 to f32
    %three = arith.constant 3.0 : f32
    %g = arith.divf %f, %three : f32
    %9 = arith.fptosi %g : f32 to i32
    %10 = arith.select %less, %a, %b : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %c9 = arith.constant 9 : i32
    %c10 = arith.constant 10 : i32
    %p0 = tt.addptr %p, %c0 : !tt.ptr<i32>, i32
    %p1 = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
    %p2 = tt.addptr %p, %c2 : !tt.ptr<i32>, i32
    %p3 = tt.addptr %p, %c3 : !tt.ptr<i32>, i32
    %p4 = tt.addptr %p, %c4 : !tt.ptr<i32>, i32
    %p5 = tt.addptr %p, %c5 : !tt.ptr<i32>, i32
    %p6 = tt.addptr %p, %c6 : !tt.ptr<i32>, i32
    %p7 = tt.addptr %p, %c7 : !tt.ptr<i32>, i32
    %p8 = tt.addptr %p, %c8 : !tt.ptr<i32>, i32
    %p9 = tt.addptr %p, %c9 : !tt.ptr<i32>, i32
    %p10 = tt.addptr %p, %c10 : !tt.ptr<i32>, i32
    tt.store %p0, %0 : !tt.ptr<i32>
    tt.store %p1, %1 : !tt.ptr<i32>
    tt.store %p2, %2 : !tt.ptr<i32>
    tt.store %p3, %3 : !tt.ptr<i32>
    tt.store %p4, %4 : !tt.ptr<i32>
    tt.store %p5, %5 : !tt.ptr<i32>
    tt.store %p6, %6 : !tt.ptr<i32>
    tt.store %p7, %7 : !tt.ptr<i32>
    tt.store %p8, %8 : !tt.ptr<i32>
    tt.store %p9, %9 : !tt.ptr<i32>
    tt.store %p10, %10 : !tt.ptr<i32>
    tt.return
  }
})";
  nereid_function_t *function = load(0, kernel);
  ASSERT_NE(function, nullptr);
  struct alignas(64) {
    nereid_address_t p;
    int32_t a, b;
    int8_t c;
  } arguments = {allocate(0, 44), -17, 5, -2};
  std::vector<int32_t> result(11);
  ASSERT_EQ(launch(function, 0, 1, &arguments, 24), NEREID_OK) << lastError();
  ASSERT_EQ(download(0, 0, result, arguments.p), NEREID_OK);
  ASSERT_EQ(synchronize(0, 0), NEREID_OK) << lastError();
  EXPECT_THAT(result, testing::ElementsAre(-3, -2, -17 ^ 5, 5, -85, -2, 254, 0,
                                           0, -5, 5));
  arguments.b = 0;
  ASSERT_EQ(launch(function, 0, 1, &arguments, 24), NEREID_OK);
  EXPECT_EQ(synchronize(0, 0), NEREID_DEVICE_FAULT);
  EXPECT_THAT(lastError(), HasSubstr("a division by zero"));
  nereid_function_destroy(function);
}

TEST_F(AsynchronousDevice, PrintsALineForEachElement) {
  nereid_function_t *function = load(0, R"(module {
  tt.func public @k() {
    %0 = tt.make_range {end = 6 : i32, start = 4 : i32} : tensor<2xi32>
    tt.print " value: " {hex = false, isSigned = array<i32: 1>} : %0 : tensor<2xi32>
    tt.return
  }
})");
  ASSERT_NE(function, nullptr);
  testing::internal::CaptureStdout();
  nereid_status_t launched = launch(function, 0, 1, nullptr, 0);
  nereid_status_t synchronized = synchronize(0, 0);
  std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_EQ(launched, NEREID_OK);
  EXPECT_EQ(synchronized, NEREID_OK);
  EXPECT_EQ(printed, "pid (0, 0, 0) idx (0) value: 4\n"
                     "pid (0, 0, 0) idx (1) value: 5\n");
  nereid_function_destroy(function);
}
} // namespace
