// FailureTest.cpp - faults of kernels, lost devices, and every failure of the
// driver library.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CudaFixture.h"

namespace nereid::test {

using namespace cuda;

class CudaFaultTest : public CudaTest {
protected:
  nereid_kernel_t *named(const std::string &name, uint32_t device = 0) {
    nereid_module_t *module =
        load(ptx(name, {}), kernelMetadata(name.c_str()), device);
    nereid_kernel_t *found = kernel(module, name);
    EXPECT_TRUE(found) << errors();
    return found;
  }
  void start(nereid_kernel_t *kernel, nereid_stream_t stream = 0) {
    nereid_launch_t launched = request(Block());
    launched.stream = stream;
    EXPECT_EQ(launch(kernel, launched), NEREID_OK) << errors();
  }
};

TEST_F(CudaFaultTest, SynchronizeNamesTheKernelThatFailed) {
  isLost = true;
  start(named("fault"));
  EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
  EXPECT_EQ(errors(),
            "device 'Fake GPU' is lost to this process, start a new one: "
            "kernel 'fault' failed: an illegal memory access was encountered "
            "(CUDA_ERROR_ILLEGAL_ADDRESS)");
}

TEST_F(CudaFaultTest, NamesAllKernelsThatMayHaveFailed) {
  isLost = true;
  nereid_kernel_t *first = named("first"), *fault = named("fault"),
                  *last = named("last"), *done = named("done");
  nereid_stream_t stream = createStream();
  start(done);
  EXPECT_EQ(synchronize(), NEREID_OK);
  start(first, stream);
  start(fault);
  start(last);
  start(last);
  EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
  EXPECT_THAT(errors(),
              HasSubstr("one of the kernels launched last failed, of which the "
                        "latest is first: 'last', 'fault', 'first': an "
                        "illegal"));
}

TEST_F(CudaFaultTest, TheDeviceIsLostAfterAFault) {
  isLost = true;
  nereid_address_t address = allocate(64);
  nereid_kernel_t *fault = named("fault");
  start(fault);
  EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
    EXPECT_THAT(errors(), HasSubstr("kernel 'fault' failed"));
    EXPECT_EQ(launch(fault, request(Block())), NEREID_DEVICE_LOST);
    allocate(64);
    EXPECT_EQ(status, NEREID_DEVICE_LOST);
    EXPECT_EQ(copy(NEREID_COPY_DEVICE_TO_DEVICE, address, address, 8),
              NEREID_DEVICE_LOST);
    createStream();
    EXPECT_EQ(status, NEREID_DEVICE_LOST);
    EXPECT_FALSE(load(ptx("k", {}), kernelMetadata("k")));
    EXPECT_EQ(status, NEREID_DEVICE_LOST);
  }
  free(address);
  EXPECT_EQ(status, NEREID_DEVICE_LOST);
}

// CUDA reports it to whatever is called next.
TEST_F(CudaFaultTest, WhoeverSeesAFaultFirstNamesTheKernel) {
  isLost = true;
  start(named("fault"));
  int32_t isDone = 0;
  EXPECT_EQ(streams().query(state(), 0, 0, &isDone, record.emplace()),
            NEREID_DEVICE_LOST);
  EXPECT_THAT(errors(), HasSubstr("kernel 'fault' failed"));
  EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
  EXPECT_THAT(errors(), HasSubstr("kernel 'fault' failed"));
}

TEST_F(CudaFaultTest, TheEndOfAStreamReportsAFault) {
  isLost = true;
  nereid_stream_t stream = createStream();
  start(named("fault"), stream);
  EXPECT_EQ(streams().destroy(state(), 0, stream, record.emplace()),
            NEREID_DEVICE_LOST);
  EXPECT_THAT(errors(), HasSubstr("kernel 'fault' failed"));
}

TEST_F(CudaFaultTest, ReportsAFailedAssertion) {
  isLost = true;
  nereid_module_t *module =
      load(ptx("nereid_check_assertion", {".u64", ".u32"}),
           kernelMetadata("nereid_check_assertion", {"*i32", "i32"}));
  nereid_kernel_t *k = kernel(module, "nereid_check_assertion");
  nereid_address_t address = allocate(64);
  ASSERT_EQ(launch(k, request(Block().add(address).add<int32_t>(1))),
            NEREID_OK);
  EXPECT_EQ(kDriver.synchronize_device(state(), 0, record.emplace()),
            NEREID_DEVICE_LOST);
  EXPECT_THAT(errors(),
              HasSubstr("kernel 'nereid_check_assertion' failed: device-side "
                        "assert triggered (CUDA_ERROR_ASSERT)"));
}

TEST_F(CudaFaultTest, OtherDevicesWorkOn) {
  isLost = true;
  fakeCudaMachine().devices = 2;
  start(named("fault"));
  EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
  nereid_address_t address = allocate(64, 0, 1);
  EXPECT_EQ(status, NEREID_OK) << errors();
  free(address, 1);
  EXPECT_EQ(status, NEREID_OK) << errors();
  EXPECT_EQ(synchronize(0, 1), NEREID_OK) << errors();
}

TEST_F(CudaFaultTest, AFailureThatIsNotStickyLosesNothing) {
  fakeCudaFail("cuStreamSynchronize", CUDA_ERROR_NOT_PERMITTED, 0);
  open();
  ASSERT_EQ(probe().first.score, 100);
  EXPECT_EQ(synchronize(), NEREID_UNIMPLEMENTED);
  EXPECT_EQ(synchronize(), NEREID_OK);
}

TEST_F(CudaFaultTest, AnUncorrectableErrorOfMemoryLosesTheDevice) {
  isLost = true;
  free(allocate(64));
  fakeCudaFail("cuStreamSynchronize", CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
  EXPECT_THAT(errors(), HasSubstr("start a new one: it failed: "));
  EXPECT_EQ(synchronize(), NEREID_DEVICE_LOST);
}

// ------------------------------------------- every function, at each of its
// calls

/// Everything that the plugin does, once. Returns the statuses.
struct CudaScenarioTest : CudaTest {
  std::vector<nereid_status_t> run() {
    std::vector<nereid_status_t> all;
    auto note = [&](nereid_status_t is) {
      all.push_back(is);
      if (is != NEREID_OK) {
        EXPECT_FALSE(errors().empty()) << "status " << is;
      }
    };
    fakeCudaMachine().devices = 2;
    if (probe().first.score == 0)
      return {NEREID_UNAVAILABLE};
    nereid_address_t address = allocate(4096);
    note(status);
    nereid_address_t peer = allocate(4096, 0, 1);
    note(status);
    nereid_stream_t stream = createStream();
    note(status);
    std::vector<uint8_t> host(4096);
    auto pointer = reinterpret_cast<uint64_t>(host.data());
    uint64_t pattern = 0x0102030405060708;
    for (uint32_t size : {1, 2, 4, 8}) {
      nereid_fill_t fill = {sizeof fill, size, stream, address, &pattern, 8};
      if (address)
        note(memory().fill(state(), 0, &fill, record.emplace()));
    }
    if (address && stream) {
      note(copy(NEREID_COPY_HOST_TO_DEVICE, address, pointer, 4096, stream));
      note(copy(NEREID_COPY_DEVICE_TO_HOST, pointer, address, 4096, stream));
      note(synchronize(stream));
      note(copy(NEREID_COPY_HOST_TO_DEVICE, address, pointer, 4096, stream));
      note(copy(NEREID_COPY_DEVICE_TO_HOST, pointer, address, 4096, stream));
      note(copy(NEREID_COPY_DEVICE_TO_DEVICE, address, address + 2048, 64));
      nereid_copy_2d_t rectangle = {sizeof rectangle,
                                    NEREID_COPY_DEVICE_TO_DEVICE,
                                    stream,
                                    address,
                                    64,
                                    address + 2048,
                                    64,
                                    32,
                                    8};
      note(memory().copy_2d(state(), 0, &rectangle, record.emplace()));
    }
    if (address && peer) {
      nereid_copy_peer_t across = {sizeof across, 0, 0, peer, address, 64};
      note(memory().copy_peer(state(), 1, &across, record.emplace()));
    }
    runHostMemory(host, note);
    runEvents(stream, note);
    runKernels(note);
    note(kDriver.synchronize_device(state(), 0, record.emplace()));
    note(kDriver.synchronize_device(state(), 1, record.emplace()));
    if (address) {
      free(address);
      note(status);
    }
    if (peer) {
      free(peer, 1);
      note(status);
    }
    if (stream)
      note(streams().destroy(state(), 0, stream, record.emplace()));
    return all;
  }

  template <typename Note>
  void runHostMemory(std::vector<uint8_t> &host, Note note) {
    nereid_allocation_t request = {sizeof request, 0, 4096, 0};
    void *pinned = nullptr;
    note(memory().allocate_host(state(), 0, &request, &pinned,
                                record.emplace()));
    if (pinned)
      note(memory().free_host(state(), 0, pinned, record.emplace()));
    nereid_import_t object = {sizeof object, 0, text("host.pointer"),
                              reinterpret_cast<uint64_t>(host.data()), 4096};
    nereid_address_t imported = 0;
    note(interop().import_pointer(state(), 0, &object, &imported,
                                  record.emplace()));
    if (imported)
      note(interop().release_pointer(state(), 0, imported, record.emplace()));
    nereid_memory_info_t info = {};
    info.struct_size = sizeof info;
    note(memory().get_info(state(), 0, &info, record.emplace()));
  }

  template <typename Note> void runEvents(nereid_stream_t stream, Note note) {
    nereid_event_request_t request = {sizeof request, 0};
    nereid_event_t *event = nullptr;
    note(events().create(state(), 0, &request, &event, record.emplace()));
    if (!event)
      return;
    nereid_status_t recorded =
        events().record(state(), event, stream, record.emplace());
    note(recorded);
    note(events().wait(state(), 1, 0, event, record.emplace()));
    int32_t isDone = 0;
    note(events().query(state(), event, &isDone, record.emplace()));
    note(streams().query(state(), 0, stream, &isDone, record.emplace()));
    double time = 0;
    if (recorded == NEREID_OK)
      note(events().elapsed(state(), event, event, &time, record.emplace()));
    note(events().destroy(state(), event, record.emplace()));
  }

  template <typename Note> void runKernels(Note note) {
    nereid_module_t *module =
        load(ptx("k", {".u64"}), kernelMetadata("k", {"i64"})
                                     .integer("shared", 65536)
                                     .integer("num_ctas", 16));
    note(status);
    if (!module)
      return;
    nereid_kernel_t *k = kernel(module, "k");
    note(status);
    if (k)
      note(launch(k, request(Block().add<int64_t>(1))));
    // Before it is unloaded.
    synchronize();
    modules.pop_back();
    note(kDriver.unload_module(state(), module, record.emplace()));
  }
};

TEST_F(CudaScenarioTest, SucceedsWithoutFailures) {
  for (nereid_status_t one : run())
    EXPECT_EQ(one, NEREID_OK);
}

TEST_F(CudaScenarioTest, EveryFailureOfTheLibraryIsReported) {
  run();
  close();
  std::vector<std::pair<std::string, uint64_t>> functions;
  for (const std::string &name : fakeCudaCalledFunctions())
    functions.push_back({name, fakeCudaCalls(name)});
  EXPECT_GT(functions.size(), 55u);
  for (const auto &[name, count] : functions)
    for (uint64_t skipped = 0; skipped < std::min<uint64_t>(count, 12);
         ++skipped)
      for (CUresult result :
           {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
            CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_NOT_SUPPORTED}) {
        SCOPED_TRACE(name + " call " + std::to_string(skipped) + " result " +
                     std::to_string(result));
        close();
        fakeCudaReset();
        fakeCudaFail(name, result, static_cast<int>(skipped));
        for (nereid_status_t one : run())
          EXPECT_GE(one, 0);
        close();
        EXPECT_THAT(fakeCudaMisuse(), IsEmpty());
      }
  isLost = true;
}

} // namespace nereid::test
