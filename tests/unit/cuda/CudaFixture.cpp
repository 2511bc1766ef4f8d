// CudaFixture.cpp - calls the plugin's tables.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CudaFixture.h"

#include <cstdlib>

namespace nereid::test {

Record::Record() {
  call.struct_size = sizeof call;
  call.user = this;
  call.report = [](const nereid_call_t *call,
                   const nereid_diagnostic_t *diagnostic) {
    auto *record = static_cast<Record *>(call->user);
    record->errors +=
        (record->errors.empty() ? "" : "\n") +
        std::string(diagnostic->message.data, diagnostic->message.size);
  };
}

// ------------------------------------------------------------------ metadata

Metadata &Metadata::integer(const char *name, int64_t value,
                            nereid_type_t type) {
  items.push_back({name, type, value, {}, {}, {}, {}});
  return *this;
}
Metadata &Metadata::string(const char *name, std::string value) {
  items.push_back({name, NEREID_TYPE_STRING, 0, std::move(value), {}, {}, {}});
  return *this;
}
Metadata &Metadata::list(const char *name, std::vector<int64_t> value) {
  items.push_back(
      {name, NEREID_TYPE_I64_LIST, 0, {}, std::move(value), {}, {}});
  return *this;
}
Metadata &Metadata::strings(const char *name, std::vector<std::string> value) {
  items.push_back(
      {name, NEREID_TYPE_STRING_LIST, 0, {}, {}, std::move(value), {}});
  return *this;
}

std::vector<nereid_value_t> Metadata::values() const {
  std::vector<nereid_value_t> all;
  for (const Item &item : items) {
    nereid_value_t value = {};
    value.name = test::text(item.name);
    value.type = item.type;
    value.i64 = item.number;
    value.text = test::text(item.text);
    if (item.type == NEREID_TYPE_I64_LIST) {
      value.list = item.numbers.data();
      value.list_size = item.numbers.size();
    }
    if (item.type == NEREID_TYPE_STRING_LIST) {
      item.borrowed.clear();
      for (const std::string &one : item.texts)
        item.borrowed.push_back(test::text(one));
      value.list = item.borrowed.data();
      value.list_size = item.borrowed.size();
    }
    all.push_back(value);
  }
  return all;
}

Metadata kernelMetadata(const char *name, std::vector<std::string> types) {
  Metadata metadata;
  metadata.string("name", name).integer("num_warps", 4);
  return metadata.strings("argument_types", std::move(types));
}

// ------------------------------------------------------------------- fixture

void CudaTest::SetUp() {
  fakeCudaReset();
  setenv("NEREID_CUDA_LIBRARY", FAKE_CUDA_LIBRARY, 1);
  record.emplace();
}

void CudaTest::TearDown() {
  close();
  if (!isLost) {
    EXPECT_THAT(fakeCudaLeaks(), IsEmpty());
  }
  EXPECT_THAT(fakeCudaMisuse(), IsEmpty());
}

void CudaTest::open() {
  opened = std::make_unique<nereid_state_t>(cuda::Settings::read());
}

void CudaTest::close() {
  for (nereid_module_t *module : modules)
    cuda::kDriver.unload_module(opened.get(), module, record.emplace());
  modules.clear();
  opened.reset();
}

std::pair<nereid_probe_t, std::string> CudaTest::probe() {
  nereid_probe_t result = {};
  result.struct_size = sizeof result;
  std::string reason;
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.user = &reason;
  writer.write = [](const nereid_writer_t *writer, const void *data,
                    uint64_t size) -> nereid_status_t {
    static_cast<std::string *>(writer->user)
        ->append(static_cast<const char *>(data), size);
    return NEREID_OK;
  };
  EXPECT_EQ(cuda::kDriver.probe(state(), &result, &writer, record.emplace()),
            NEREID_OK);
  return {result, reason};
}

nereid_address_t CudaTest::allocate(uint64_t size, uint64_t alignment,
                                    uint32_t device) {
  nereid_allocation_t request = {sizeof request, 0, size, alignment};
  nereid_address_t address = 0;
  status = cuda::kDriver.allocate(state(), device, &request, &address,
                                  record.emplace());
  return address;
}

void CudaTest::free(nereid_address_t address, uint32_t device) {
  status = cuda::kDriver.free(state(), device, address, record.emplace());
}

nereid_stream_t CudaTest::createStream(uint32_t device, int32_t priority) {
  nereid_stream_request_t request = {sizeof request, 0, priority, 0};
  nereid_stream_t stream = 0;
  status =
      streams().create(state(), device, &request, &stream, record.emplace());
  return stream;
}

nereid_status_t CudaTest::copy(nereid_copy_direction_t direction, uint64_t to,
                               uint64_t from, uint64_t size,
                               nereid_stream_t stream, uint32_t device) {
  nereid_copy_t request = {sizeof request, direction, stream, to, from, size};
  return status =
             cuda::kDriver.copy(state(), device, &request, record.emplace());
}

nereid_status_t CudaTest::synchronize(nereid_stream_t stream, uint32_t device) {
  return status = cuda::kDriver.synchronize(state(), device, stream,
                                            record.emplace());
}

nereid_module_t *CudaTest::load(const std::string &image,
                                const Metadata &metadata, uint32_t device) {
  std::vector<nereid_value_t> values = metadata.values();
  nereid_image_t request = {};
  request.struct_size = sizeof request;
  request.bytes = {image.data(), image.size()};
  request.metadata = values.data();
  request.metadata_count = values.size();
  nereid_module_t *module = nullptr;
  status = cuda::kDriver.load_image(state(), device, &request, &module,
                                    record.emplace());
  if (module)
    modules.push_back(module);
  return module;
}

nereid_kernel_t *CudaTest::kernel(nereid_module_t *module,
                                  std::string_view name,
                                  nereid_kernel_info_t *info) {
  nereid_kernel_t *found = nullptr;
  status = cuda::kDriver.get_kernel(state(), module, text(name), &found, info,
                                    record.emplace());
  return found;
}

nereid_kernel_t *CudaTest::loadKernel(const std::string &image,
                                      const Metadata &metadata,
                                      uint32_t device) {
  nereid_module_t *module = load(image, metadata, device);
  return module ? kernel(module, "k") : nullptr;
}

nereid_launch_t CudaTest::request(const Block &block, uint32_t x, uint32_t y,
                                  uint32_t z) {
  nereid_launch_t launch = {};
  launch.struct_size = sizeof launch;
  launch.grid[0] = x;
  launch.grid[1] = y;
  launch.grid[2] = z;
  launch.arguments = block.data();
  launch.arguments_size = block.size();
  return launch;
}

nereid_status_t CudaTest::launch(nereid_kernel_t *kernel,
                                 const nereid_launch_t &request) {
  return status = cuda::kDriver.launch(kernel, &request, record.emplace());
}

FakeLaunch CudaTest::lastLaunch() {
  std::vector<FakeLaunch> all = fakeCudaLaunches();
  EXPECT_FALSE(all.empty());
  return all.empty() ? FakeLaunch() : all.back();
}

} // namespace nereid::test
