// CudaFixture.h - the plugin's tables with the fake of NVIDIA's library.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_CUDA_CUDAFIXTURE_H
#define NEREID_TESTS_CUDA_CUDAFIXTURE_H

#include "Images.h"
#include "driver.h"
#include "fake_cuda.h"
#include "state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nereid::test {

using testing::HasSubstr;
using testing::IsEmpty;

inline nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}

/// Keeps the errors of a call.
class Record {
public:
  Record();
  operator const nereid_call_t *() const { return &call; }
  std::string errors;

private:
  nereid_call_t call = {};
};

/// Metadata that owns what it refers to.
class Metadata {
public:
  Metadata &integer(const char *name, int64_t value,
                    nereid_type_t type = NEREID_TYPE_I64);
  Metadata &flag(const char *name) {
    return integer(name, 1, NEREID_TYPE_BOOL);
  }
  Metadata &string(const char *name, std::string value);
  Metadata &list(const char *name, std::vector<int64_t> value);
  Metadata &strings(const char *name, std::vector<std::string> value);
  std::vector<nereid_value_t> values() const;

private:
  struct Item {
    const char *name;
    nereid_type_t type;
    int64_t number = 0;
    std::string text;
    std::vector<int64_t> numbers;
    std::vector<std::string> texts;
    mutable std::vector<nereid_string_t> borrowed;
  };
  std::vector<Item> items;
};

/// Metadata of a kernel with 4 warps and these arguments.
Metadata kernelMetadata(const char *name, std::vector<std::string> types = {});

/// A block of arguments in the standard layout.
class Block {
public:
  template <typename T> Block &add(T value) {
    used = (used + sizeof value - 1) / sizeof value * sizeof value;
    memcpy(bytes + used, &value, sizeof value);
    used += sizeof value;
    return *this;
  }
  const void *data() const { return bytes; }
  uint64_t size() const { return (used + 7) / 8 * 8; }

private:
  alignas(64) char bytes[4096] = {};
  size_t used = 0;
};

class CudaTest : public testing::Test {
protected:
  void SetUp() override;
  /// Ends the plugin, and checks that it has freed everything and has called
  /// the library as it must be.
  void TearDown() override;
  void open();
  void close();

  nereid_state_t *state() {
    if (!opened)
      open();
    return opened.get();
  }

  template <typename Table> const Table &extension(const char *id) {
    return *static_cast<const Table *>(cuda::findExtension(state(), text(id)));
  }
  const nereid_streams_t &streams() {
    return extension<nereid_streams_t>(NEREID_EXT_STREAM);
  }
  const nereid_events_t &events() {
    return extension<nereid_events_t>(NEREID_EXT_EVENT);
  }
  const nereid_memory_t &memory() {
    return extension<nereid_memory_t>(NEREID_EXT_MEMORY);
  }
  const nereid_interop_t &interop() {
    return extension<nereid_interop_t>(NEREID_EXT_INTEROP);
  }

  std::pair<nereid_probe_t, std::string> probe();
  nereid_address_t allocate(uint64_t size, uint64_t alignment = 0,
                            uint32_t device = 0);
  void free(nereid_address_t address, uint32_t device = 0);
  nereid_stream_t createStream(uint32_t device = 0, int32_t priority = 0);
  nereid_status_t copy(nereid_copy_direction_t direction, uint64_t to,
                       uint64_t from, uint64_t size, nereid_stream_t stream = 0,
                       uint32_t device = 0);
  nereid_status_t synchronize(nereid_stream_t stream = 0, uint32_t device = 0);
  template <typename T>
  void upload(nereid_address_t to, const std::vector<T> &from,
              nereid_stream_t stream = 0) {
    EXPECT_EQ(copy(NEREID_COPY_HOST_TO_DEVICE, to,
                   reinterpret_cast<uint64_t>(from.data()),
                   from.size() * sizeof(T), stream),
              NEREID_OK)
        << errors();
  }
  template <typename T>
  std::vector<T> download(nereid_address_t from, size_t count) {
    std::vector<T> to(count);
    EXPECT_EQ(copy(NEREID_COPY_DEVICE_TO_HOST,
                   reinterpret_cast<uint64_t>(to.data()), from,
                   count * sizeof(T)),
              NEREID_OK);
    EXPECT_EQ(synchronize(), NEREID_OK);
    return to;
  }

  /// Null if the image is refused: `status` and `errors` say how.
  nereid_module_t *load(const std::string &image, const Metadata &metadata,
                        uint32_t device = 0);
  nereid_kernel_t *kernel(nereid_module_t *module, std::string_view name,
                          nereid_kernel_info_t *info = nullptr);
  /// Loads it and finds its kernel "k".
  nereid_kernel_t *loadKernel(const std::string &image,
                              const Metadata &metadata, uint32_t device = 0);
  nereid_launch_t request(const Block &block, uint32_t x = 1, uint32_t y = 1,
                          uint32_t z = 1);
  nereid_status_t launch(nereid_kernel_t *kernel,
                         const nereid_launch_t &request);
  FakeLaunch lastLaunch();
  std::string errors() { return record->errors; }

  bool isLost = false; // nothing of a lost device is freed
  nereid_status_t status = NEREID_OK;
  std::optional<Record> record; // of the last call
  std::vector<nereid_module_t *> modules;

private:
  std::unique_ptr<nereid_state_t> opened;
};

} // namespace nereid::test

#endif // NEREID_TESTS_CUDA_CUDAFIXTURE_H
