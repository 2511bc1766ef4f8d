// nereid/host/function.hpp - kernels, and the packing of their arguments.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_FUNCTION_HPP
#define NEREID_HOST_FUNCTION_HPP

#include "nereid/host/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace nereid {

/// A kernel that is ready to launch.
class Function {
public:
  struct Argument {
    std::string name, type;
    uint32_t offset, size;
  };
  struct Grid {
    uint32_t x = 1, y = 1, z = 1;
  };

  explicit Function(nereid_function_t *handle) : owner(handle) {
    auto info = detail::sized<nereid_function_info_t>();
    (void)nereid_function_info(handle, &info);
    blockSize = info.arguments_size;
    for (uint32_t i = 0; i < info.argument_count; ++i) {
      auto argument = detail::sized<nereid_argument_t>();
      (void)nereid_function_argument(handle, i, &argument);
      layout.push_back({std::string(detail::view(argument.name)),
                        std::string(detail::view(argument.type)),
                        argument.offset, argument.size});
    }
  }

  nereid_function_t *get() const { return owner.get(); }
  const std::vector<Argument> &arguments() const { return layout; }

  /// Launches with one value per argument: an address for a pointer, else a
  /// number of the argument's exact size.
  template <typename... Values>
  Expected<void> launch(Grid grid, nereid_stream_t stream,
                        const Values &...values) const {
    // On the stack if it fits, so that a launch does not allocate.
    alignas(64) char small[1024];
    std::vector<char> large(blockSize > sizeof small ? blockSize + 63 : 0);
    char *block = small;
    if (!large.empty())
      block = large.data() +
              (64 - reinterpret_cast<uintptr_t>(large.data()) % 64) % 64;
    std::memset(block, 0, blockSize);
    if (sizeof...(values) != layout.size())
      return Error{NEREID_INVALID_ARGUMENT,
                   "error: " + std::to_string(sizeof...(values)) +
                       " arguments given, the kernel has " +
                       std::to_string(layout.size())};
    size_t index = 0;
    std::string problem;
    (pack(block, index++, &values, sizeof values, problem), ...);
    if (!problem.empty())
      return Error{NEREID_INVALID_ARGUMENT, problem};
    return launchPacked(grid, stream, block, blockSize);
  }

  /// Launches with a block that the caller has packed; allocates nothing. A
  /// kernel with scratch memory needs that for all programs, at address
  /// `scratch` (nereid_function_info_t).
  Expected<void> launchPacked(Grid grid, nereid_stream_t stream,
                              const void *block, uint64_t size,
                              nereid_address_t scratch = 0,
                              uint64_t scratchSize = 0) const {
    auto launch = detail::sized<nereid_launch_t>();
    launch.grid[0] = grid.x;
    launch.grid[1] = grid.y;
    launch.grid[2] = grid.z;
    launch.stream = stream;
    launch.arguments = block;
    launch.arguments_size = size;
    launch.scratch = scratch;
    launch.scratch_size = scratchSize;
    return detail::check(nereid_function_launch(get(), &launch));
  }

private:
  void pack(char *block, size_t index, const void *value, size_t size,
            std::string &problem) const {
    const Argument &argument = layout[index];
    if (size == argument.size)
      std::memcpy(block + argument.offset, value, size);
    else if (problem.empty())
      problem = "error: argument '" + argument.name + "' of type '" +
                argument.type + "' takes " + std::to_string(argument.size) +
                " bytes, " + std::to_string(size) + " were given";
  }

  detail::Owner<nereid_function_t, nereid_function_destroy> owner;
  std::vector<Argument> layout;
  uint64_t blockSize = 0;
};

} // namespace nereid

#endif // NEREID_HOST_FUNCTION_HPP
