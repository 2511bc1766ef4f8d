// DeviceTest.cpp - the library, devices, and the current context.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CudaFixture.h"

#include <map>
#include <variant>

namespace nereid::test {

using namespace cuda;

TEST_F(CudaTest, ProbesTheDevices) {
  fakeCudaMachine().devices = 2;
  auto [result, reason] = probe();
  EXPECT_EQ(result.score, 100);
  EXPECT_EQ(result.device_count, 2u);
  EXPECT_EQ(result.flags, 0u);
  EXPECT_EQ(reason, "2 devices: Fake GPU (sm_90a), Fake GPU (sm_90a); the "
                    "driver is for CUDA 12.8");
  EXPECT_EQ(fakeCudaCalls("cuDevicePrimaryCtxRetain"), 0u);
}

TEST_F(CudaTest, ProbesAMachineWithoutADriver) {
  setenv("NEREID_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
  auto [result, reason] = probe();
  EXPECT_EQ(result.score, 0);
  EXPECT_THAT(reason, HasSubstr("no NVIDIA driver"));
  EXPECT_THAT(reason, HasSubstr("/nonexistent/libcuda.so.1"));
  allocate(64);
  EXPECT_EQ(status, NEREID_UNAVAILABLE);
  EXPECT_THAT(errors(), HasSubstr("no NVIDIA driver"));
}

TEST_F(CudaTest, ProbesALibraryThatIsAnother) {
  setenv("NEREID_CUDA_LIBRARY", CUDA_PLUGIN, 1);
  auto [result, reason] = probe();
  EXPECT_EQ(result.score, 0);
  EXPECT_THAT(reason, HasSubstr("is not NVIDIA's driver library"));
}

TEST_F(CudaTest, ProbesADriverThatIsTooOld) {
  fakeCudaMachine().version = 11080;
  auto [result, reason] = probe();
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(reason, "the NVIDIA driver is for CUDA 11.8, one for CUDA 12.0 or "
                    "later was expected: update the driver");
}

TEST_F(CudaTest, ProbesADriverWithoutADevice) {
  fakeCudaMachine().devices = 0;
  auto [result, reason] = probe();
  EXPECT_EQ(result.score, 0);
  EXPECT_THAT(reason, HasSubstr("finds no device"));
}

TEST_F(CudaTest, ProbesADriverThatDoesNotStart) {
  fakeCudaFail("cuInit", CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  auto [result, reason] = probe();
  EXPECT_EQ(result.score, 0);
  EXPECT_THAT(reason, HasSubstr("does not start"));
  EXPECT_THAT(reason, HasSubstr("CUDA_ERROR_803"));
}

TEST_F(CudaTest, UsesSymbolsWhereTheLibraryHasNoLookUp) {
  fakeCudaMachine().hasProcAddress = false;
  EXPECT_EQ(probe().first.score, 100);
  free(allocate(64));
  EXPECT_EQ(status, NEREID_OK);
}

TEST_F(CudaTest, RefusesALibraryWithoutAnAbsolutePath) {
  setenv("NEREID_CUDA_LIBRARY", "libcuda.so.1", 1);
  try {
    open();
    FAIL() << "it was accepted";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.status(), NEREID_INVALID_ARGUMENT);
    EXPECT_STREQ(failure.what(), "NEREID_CUDA_LIBRARY is 'libcuda.so.1', an "
                                 "absolute path was expected");
  }
}

TEST_F(CudaTest, NamesTheTargetAsTritonDoes) {
  struct {
    int capability, version;
    const char *arch, *features;
  } cases[] = {{80, 12000, "sm_80", "ptx=8.0"},
               {90, 12050, "sm_90a", "ptx=8.5"},
               {90, 12060, "sm_90a", "ptx=8.5"},
               {100, 12080, "sm_100a", "ptx=8.7"},
               {120, 13010, "sm_120a", "ptx=9.1"}};
  for (const auto &one : cases) {
    fakeCudaReset();
    fakeCudaMachine().capability = one.capability;
    fakeCudaMachine().version = one.version;
    open();
    nereid_target_t target = {};
    target.struct_size = sizeof target;
    ASSERT_EQ(kDriver.get_target(state(), 0, &target, record.emplace()),
              NEREID_OK);
    EXPECT_EQ(plugin::view(target.backend), "cuda");
    EXPECT_EQ(plugin::view(target.arch), one.arch);
    EXPECT_EQ(plugin::view(target.features), one.features);
    EXPECT_EQ(target.warp_size, 32);
    close();
  }
}

TEST_F(CudaTest, HasThePropertiesThatTritonAsksFor) {
  std::map<std::string, std::variant<int64_t, std::string>> values;
  nereid_value_sink_t sink = {};
  sink.struct_size = sizeof sink;
  sink.user = &values;
  sink.add = [](const nereid_value_sink_t *sink,
                const nereid_value_t *value) -> nereid_status_t {
    auto &known = *static_cast<decltype(values) *>(sink->user);
    std::string name(plugin::view(value->name));
    if (value->type == NEREID_TYPE_STRING)
      known[name] = std::string(plugin::view(value->text));
    else if (value->type == NEREID_TYPE_I64_LIST)
      known[name] = static_cast<const int64_t *>(value->list)[1];
    else
      known[name] = value->i64;
    return NEREID_OK;
  };
  ASSERT_EQ(kDriver.visit_properties(state(), 0, &sink, record.emplace()),
            NEREID_OK);
  decltype(values) expected = {
      {"name", "Fake GPU"},
      {"arch", "sm_90a"},
      {"compute_capability", "9.0"},
      {"cuda_version", "12.8"},
      {"uuid", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"},
      {"pci_address", "0000:3b:00.0"},
      {"multiprocessor_count", 132},
      {"max_shared_mem", 232448},
      {"max_num_regs", 65536},
      {"warp_size", 32},
      {"max_threads", 1024},
      {"max_grid", 65535},
      {"clock_khz", 1980000},
      {"mem_clock_khz", 3201000},
      {"mem_bus_width", 6144},
      {"l2_bytes", 1 << 20},
      {"memory_bytes", 256 << 20},
      {"host_accessible", 0}};
  EXPECT_EQ(values, expected);
}

// ------------------------------------------------------------ current context

static CUcontext currentContext() {
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  return context;
}

TEST_F(CudaTest, SharesThePrimaryContext) {
  free(allocate(64));
  CUcontext primary = nullptr;
  cuDevicePrimaryCtxRetain(&primary, 0);
  EXPECT_EQ(state()->device(0).context, primary);
  cuDevicePrimaryCtxRelease_v2(0);
}

TEST_F(CudaTest, LeavesAnotherContextCurrent) {
  fakeCudaMachine().devices = 2;
  ASSERT_EQ(probe().first.device_count, 2u);
  CUcontext other = nullptr, popped = nullptr;
  cuDevicePrimaryCtxRetain(&other, 1);
  cuCtxPushCurrent_v2(other);
  nereid_address_t address = allocate(64);
  EXPECT_EQ(currentContext(), other);
  free(address);
  EXPECT_EQ(currentContext(), other);
  cuCtxPopCurrent_v2(&popped);
  EXPECT_EQ(currentContext(), nullptr);
  cuDevicePrimaryCtxRelease_v2(1);
}

TEST_F(CudaTest, LeavesTheContextOfTheFirstDeviceWhereThereWasNone) {
  fakeCudaMachine().devices = 2;
  free(allocate(64, 0, 1), 1);
  EXPECT_EQ(currentContext(), nullptr);
  free(allocate(64));
  EXPECT_EQ(currentContext(), state()->device(0).context);
  uint64_t before = fakeCudaCalls("cuCtxPushCurrent");
  free(allocate(64));
  EXPECT_EQ(fakeCudaCalls("cuCtxPushCurrent"), before);
}

TEST_F(CudaTest, ImportsAContextBeforeTheFirstUse) {
  fakeCudaMachine().devices = 2;
  ASSERT_EQ(probe().first.device_count, 2u);
  CUcontext contexts[2];
  for (int i = 0; i < 2; ++i)
    cuDevicePrimaryCtxRetain(&contexts[i], i);
  auto import = [&](uint32_t device, CUcontext context) {
    nereid_import_t object = {sizeof object, 0, text("cuda.context"),
                              reinterpret_cast<uint64_t>(context), 0};
    return interop().import_context(state(), device, &object, record.emplace());
  };
  EXPECT_EQ(import(0, contexts[1]), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(errors(), HasSubstr("the context is of device 1"));
  EXPECT_EQ(import(0, contexts[0]), NEREID_OK);
  uint64_t before = fakeCudaCalls("cuDevicePrimaryCtxRetain");
  free(allocate(64));
  EXPECT_EQ(status, NEREID_OK);
  EXPECT_EQ(fakeCudaCalls("cuDevicePrimaryCtxRetain"), before);
  EXPECT_EQ(import(0, contexts[0]), NEREID_UNAVAILABLE);
  for (int i = 0; i < 2; ++i)
    cuDevicePrimaryCtxRelease_v2(i);
}

} // namespace nereid::test
