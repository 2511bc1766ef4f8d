// nereid/host/archive.hpp - archives of kernels, for C++ programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   nereid::Expected<nereid::Archive> archive =
//       nereid::Archive::open("kernels.nra");
//   nereid::Expected<nereid::ArchiveDevice> kernels =
//       archive->load(choice.backend, choice.device);
//   nereid::Expected<nereid::ArchiveKernel> softmax =
//       kernels->kernel("softmax_f32_1024");
//   softmax->launch({rows}, 0, x.address(), y.address(), n);
//
// The typed launch functions of a generated header take kernels->get().

#ifndef NEREID_HOST_ARCHIVE_HPP
#define NEREID_HOST_ARCHIVE_HPP

#include "nereid/host.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

/// A kernel of an archive on one device. A view: it lives as long as its
/// ArchiveDevice.
class ArchiveKernel {
public:
  using Grid = Function::Grid;

  ArchiveKernel(nereid_archive_device_t *handle, uint32_t kernel,
                uint64_t argumentsSize,
                std::vector<Function::Argument> arguments)
      : device(handle), number(kernel), blockSize(argumentsSize),
        layout(std::move(arguments)) {}
  const std::vector<Function::Argument> &arguments() const { return layout; }

  /// Launches with one value per argument: an address for a pointer, else a
  /// number of the argument's exact size.
  template <typename... Values>
  Expected<void> launch(Grid grid, nereid_stream_t stream,
                        const Values &...values) const {
    if (sizeof...(values) != layout.size())
      return Error{NEREID_INVALID_ARGUMENT,
                   "error: " + std::to_string(sizeof...(values)) +
                       " arguments given, the kernel has " +
                       std::to_string(layout.size())};
    // On the stack, so that a launch does not allocate; archives refuse larger
    // blocks.
    alignas(64) char block[4096];
    std::memset(block, 0, blockSize);
    size_t index = 0;
    std::string problem;
    (pack(block, layout[index++], &values, sizeof values, problem), ...);
    if (!problem.empty())
      return Error{NEREID_INVALID_ARGUMENT, problem};
    return launchPacked(grid, stream, block, blockSize);
  }

  /// Launches with a block that the caller has packed.
  Expected<void> launchPacked(Grid grid, nereid_stream_t stream,
                              const void *block, uint64_t size) const {
    auto launch = detail::sized<nereid_launch_t>();
    launch.grid[0] = grid.x;
    launch.grid[1] = grid.y;
    launch.grid[2] = grid.z;
    launch.stream = stream;
    launch.arguments = block;
    launch.arguments_size = size;
    return detail::check(nereid_archive_launch(device, number, &launch));
  }

  /// Loads all its variants now.
  Expected<void> prepare() const {
    return detail::check(nereid_archive_prepare(device, number));
  }
  /// Which images it uses and why, as JSON.
  Expected<std::string> explain() const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_archive_explain(device, number, &buffer);
    return detail::take(status, buffer);
  }

private:
  static void pack(char *block, const Function::Argument &argument,
                   const void *value, size_t size, std::string &problem) {
    if (size == argument.size)
      std::memcpy(block + argument.offset, value, size);
    else if (problem.empty())
      problem = "error: argument '" + argument.name + "' of type '" +
                argument.type + "' takes " + std::to_string(argument.size) +
                " bytes, " + std::to_string(size) + " were given";
  }

  nereid_archive_device_t *device;
  uint32_t number;
  uint64_t blockSize;
  std::vector<Function::Argument> layout;
};

/// An archive on one device. Unloads its images when it is destroyed; no launch
/// may be pending then.
class ArchiveDevice {
public:
  ArchiveDevice(nereid_archive_device_t *handle,
                std::shared_ptr<nereid_archive_t> opened)
      : owner(handle), archive(std::move(opened)) {}
  nereid_archive_device_t *get() const { return owner.get(); }

  Expected<ArchiveKernel> kernel(uint32_t number) const {
    auto facts = detail::sized<nereid_archive_kernel_t>();
    nereid_status_t status =
        nereid_archive_kernel(archive.get(), number, &facts);
    std::vector<Function::Argument> layout;
    for (uint32_t i = 0; status == NEREID_OK && i < facts.argument_count; ++i) {
      auto argument = detail::sized<nereid_argument_t>();
      status = nereid_archive_argument(archive.get(), number, i, &argument);
      layout.push_back({std::string(detail::view(argument.name)),
                        std::string(detail::view(argument.type)),
                        argument.offset, argument.size});
    }
    if (status != NEREID_OK)
      return detail::lastError(status);
    return ArchiveKernel(get(), number, facts.arguments_size,
                         std::move(layout));
  }
  Expected<ArchiveKernel> kernel(std::string_view name) const {
    uint32_t number = 0;
    nereid_status_t status =
        nereid_archive_find(archive.get(), detail::borrow(name), &number);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return kernel(number);
  }

private:
  detail::Owner<nereid_archive_device_t, nereid_archive_device_destroy> owner;
  std::shared_ptr<nereid_archive_t> archive;
};

/// An open archive. Devices keep what they need of it.
class Archive {
public:
  explicit Archive(nereid_archive_t *opened)
      : handle(opened, nereid_archive_destroy) {}
  nereid_archive_t *get() const { return handle.get(); }

  static Expected<Archive> open(std::string_view path) {
    auto request = detail::sized<nereid_archive_open_t>();
    request.path = detail::borrow(path);
    return open(request);
  }
  /// Bytes that outlive the archive and its devices: a container with data()
  /// and size(), or what is linked into the program.
  template <typename Bytes>
  static Expected<Archive> openMemory(const Bytes &bytes) {
    auto request = detail::sized<nereid_archive_open_t>();
    request.memory = {bytes.data(), bytes.size() * sizeof *bytes.data()};
    return open(request);
  }
  static Expected<Archive> open(nereid_archive_open_t request) {
    request.struct_size = sizeof request;
    nereid_archive_t *archive = nullptr;
    nereid_status_t status = nereid_archive_open(&request, &archive);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Archive(archive);
  }

  nereid_archive_info_t info() const {
    auto info = detail::sized<nereid_archive_info_t>();
    (void)nereid_archive_info(get(), &info);
    return info;
  }
  /// The names of its kernels; their places are their numbers.
  std::vector<std::string_view> kernels() const {
    std::vector<std::string_view> names;
    for (uint32_t i = 0; i < info().kernel_count; ++i) {
      auto kernel = detail::sized<nereid_archive_kernel_t>();
      (void)nereid_archive_kernel(get(), i, &kernel);
      names.push_back(detail::view(kernel.name));
    }
    return names;
  }
  Expected<uint32_t> find(std::string_view name) const {
    uint32_t kernel = 0;
    nereid_status_t status =
        nereid_archive_find(get(), detail::borrow(name), &kernel);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return kernel;
  }
  /// The numbers of the kernels of a group.
  Expected<std::vector<uint32_t>> group(std::string_view name) const {
    const uint32_t *first = nullptr;
    uint64_t count = 0;
    nereid_status_t status =
        nereid_archive_group(get(), detail::borrow(name), &first, &count);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return std::vector<uint32_t>(first, first + count);
  }
  /// Reads and checks every byte.
  Expected<void> verify() const {
    return detail::check(nereid_archive_verify(get()));
  }
  Expected<ArchiveDevice> load(const Backend &backend, uint32_t device = 0,
                               uint32_t flags = 0) const {
    nereid_archive_device_t *loaded = nullptr;
    nereid_status_t status =
        nereid_archive_load(get(), backend.get(), device, flags, &loaded);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return ArchiveDevice(loaded, handle);
  }

private:
  std::shared_ptr<nereid_archive_t> handle;
};

} // namespace nereid

#endif // NEREID_HOST_ARCHIVE_HPP
