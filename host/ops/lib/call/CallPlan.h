// CallPlan.h - a call that is ready: loaded kernels, packed arguments, and
// where each address of a call goes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_CALL_PLAN_H
#define NEREID_OPS_CALL_CALL_PLAN_H

#include "call/TemporaryPool.h"
#include "select/Selection.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nereid::ops {

/// A kernel that is loaded, with the layout of its arguments.
class LoadedKernel {
public:
  explicit LoadedKernel(nereid_function_t *function) : function(function) {}
  /// Kernel \p number of an archive, which allocates its scratch memory itself.
  LoadedKernel(nereid_archive_device_t *archive, uint32_t number)
      : archive(archive), number(number) {}
  ~LoadedKernel() { nereid_function_destroy(function); }
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  nereid_status_t launch(const nereid_launch_t &launch) const {
    return function ? nereid_function_launch(function, &launch)
                    : nereid_archive_launch(archive, number, &launch);
  }

  nereid_function_t *const function = nullptr;
  nereid_archive_device_t *const archive = nullptr;
  const uint32_t number = 0;
  struct Argument {
    uint32_t offset, size;
    std::string name, type;
  };
  std::vector<Argument> arguments;
  uint64_t blockSize = 0, scratchSize = 0, scratchAlignment = 0;
};

/// Where a value of a block comes from.
struct Patch {
  enum class From : uint8_t {
    Tensor,    // the address of tensor `index` of the call
    Temporary, // `value` bytes into the memory of temporaries
    Integer,   // attribute `index` as an integer
    Float      // attribute `index` as a float
  };
  From from = From::Tensor;
  uint8_t size = 8; // bytes in the block
  uint16_t index = 0;
  uint32_t offset = 0; // in the block
  uint64_t value = 0;
};

struct PreparedLaunch {
  std::shared_ptr<const LoadedKernel> kernel;
  uint32_t grid[3] = {1, 1, 1};
  std::vector<char> block; // with everything that no patch sets
  std::vector<Patch> patches;
  uint64_t scratch = 0, scratchSize = 0; // in the memory of temporaries
};

/// An output that the call has, in the order of the schema.
struct PreparedOutput {
  uint16_t index = 0; // of the call's tensors
  TensorFacts facts;
};

/// The values of one call. Both are in the order of the schema, attributes with
/// their defaults.
struct CallValues {
  std::span<const uint64_t> addresses;
  std::span<const nereid_value_t> attributes;
  nereid_stream_t stream = 0;
};

/// Immutable; any thread.
struct CallPlan {
  /// Blocks up to this many bytes are packed on the stack.
  static constexpr uint64_t mostBlock = 4096;

  std::vector<PreparedLaunch> launches;
  std::vector<PreparedOutput> outputs;
  uint64_t temporarySize = 0;

  Outcome run(const CallValues &values, TemporaryPool &pool) const;
};

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_CALL_PLAN_H
