// loader.cpp - from the bytes of an image to a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/elf_file.h"
#include "common/text.h"
#include "image_digest.h"
#include "module.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::cpu {

using namespace plugin;

/// Creates a file for the image: in memory, else in the folder for temporary
/// files, and then sets `path`. Returns -1 on failure.
static int makeFile(nereid_bytes_t image, std::string &path) {
  int file = memfd_create("nereid-cpu-kernel", MFD_CLOEXEC);
  if (file < 0) {
    const char *folder = getenv("TMPDIR");
    path =
        std::string(folder && *folder ? folder : "/tmp") + "/nereid-cpu-XXXXXX";
    file = mkostemp(path.data(), O_CLOEXEC);
    if (file < 0)
      return -1;
  }
  const char *data = static_cast<const char *>(image.data);
  for (uint64_t at = 0; at < image.size;) {
    ssize_t done = ::write(file, data + at, image.size - at);
    if (done <= 0) {
      close(file);
      return -1;
    }
    at += static_cast<uint64_t>(done);
  }
  return file;
}

/// dlopen() identifies libraries by path, and file descriptors are reused. So
/// each call returns another path of the same file: one detour in the path for
/// each bit of a counter.
static std::string uniquePathOf(int file) {
  static std::atomic<uint64_t> counter{1};
  std::string path = "/proc/self/fd/";
  for (uint64_t rest = counter.fetch_add(1); rest; rest >>= 1)
    path += rest & 1 ? "./" : "../fd/";
  return path + std::to_string(file);
}

static void *openBytes(nereid_bytes_t image) {
  std::string temporary;
  int file = makeFile(image, temporary);
  if (file < 0)
    return nullptr;
  void *library = dlopen(uniquePathOf(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!temporary.empty())
    unlink(temporary.c_str());
  return library;
}

/// The value `name` of the image's metadata, or null.
static const nereid_value_t *find(const nereid_image_t &image,
                                  std::string_view name) {
  for (uint64_t i = 0; i < image.metadata_count; ++i)
    if (view(image.metadata[i].name) == name)
      return &image.metadata[i];
  return nullptr;
}

/// What is wrong with the kernel that an image exports; empty if nothing.
static std::string kernelProblem(const nereid_cpu_kernel_t &kernel,
                                 const nereid_image_t &image) {
  if (!kernel.entry || !kernel.name)
    return "its kernel has no entry or no name";
  uint64_t align = kernel.scratch_align;
  if (align > 4096 || (align & (align - 1)))
    return "its kernel requires scratch aligned to " + std::to_string(align) +
           " bytes, a power of two up to 4096 was expected";
  const nereid_value_t *size = find(image, "argument_size");
  if (size && size->type == NEREID_TYPE_I64 &&
      static_cast<uint64_t>(size->i64) != kernel.arguments_size)
    return "its kernel has " + std::to_string(kernel.arguments_size) +
           " bytes of arguments, its metadata says " +
           std::to_string(size->i64);
  return {};
}

/// Copies the exported constant of the image; false if it is from a version
/// without all required fields.
static bool readKernel(void *library, nereid_cpu_kernel_t &out) {
  const auto *exported = static_cast<const nereid_cpu_kernel_t *>(
      dlsym(library, NEREID_CPU_KERNEL_SYMBOL));
  if (!exported ||
      exported->struct_size < offsetof(nereid_cpu_kernel_t, bytes_per_program))
    return false;
  std::memcpy(&out, exported,
              std::min<size_t>(exported->struct_size, sizeof out));
  return true;
}

/// True if `library` is `image`: for a path that was loaded before, dlopen()
/// returns the earlier library. Compares the first segment, which has headers,
/// build id and symbols, and is read-only.
static bool isImage(void *library, nereid_bytes_t image) {
  link_map *map = nullptr;
  uint64_t size =
      elfFirstSegment({static_cast<const char *>(image.data), image.size});
  return size && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 &&
         std::memcmp(reinterpret_cast<const void *>(map->l_addr), image.data,
                     size) == 0;
}

static void *openImage(const nereid_image_t &image) {
  // A cached file is loaded by its own path, for debuggers and profilers. The
  // dynamic loader maps whole files only: a member of an archive is copied.
  if (image.path.size && image.offset == 0) {
    std::string name(view(image.path));
    if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      if (isImage(library, image.bytes))
        return library;
      dlclose(library);
    }
    // The file system may forbid execution (noexec); use a copy then.
  }
  return openBytes(image.bytes);
}

nereid_status_t loadImage(nereid_state_t *state, uint32_t,
                          const nereid_image_t *image,
                          nereid_module_t **outModule,
                          const nereid_call_t *call) {
  std::string_view bytes = {static_cast<const char *>(image->bytes.data),
                            image->bytes.size};
  std::string problem = elfProblem(bytes);
  if (problem.empty() && !isSealed(bytes))
    problem = "its bytes are not those that the cpu plugin's compiler made";
  if (!problem.empty())
    return fail(call, NEREID_INCOMPATIBLE, "bad image: " + problem);
  if (const auto *needed = find(*image, "cpu_features")) {
    std::string_view missing =
        missingFeature(view(needed->text), state->cpu.features);
    if (!missing.empty())
      return fail(call, NEREID_INCOMPATIBLE,
                  "the kernel was compiled for a CPU with " +
                      std::string(missing) + ", this one (" + state->cpu.name +
                      ") lacks it");
  }

  auto module = std::make_unique<nereid_module_t>();
  std::lock_guard lock(state->loading);
  module->library = openImage(*image);
  if (!module->library) {
    const char *reason = dlerror();
    return fail(call, NEREID_INCOMPATIBLE,
                std::string("bad image: ") +
                    (reason ? reason : "no file could be made for it"));
  }
  nereid_kernel_t &kernel = module->kernel;
  problem = readKernel(module->library, kernel.image)
                ? kernelProblem(kernel.image, *image)
                : "it exports no " NEREID_CPU_KERNEL_SYMBOL " of this version";
  if (!problem.empty()) {
    dlclose(module->library);
    return fail(call, NEREID_INCOMPATIBLE, "bad image: " + problem);
  }
  module->name = kernel.image.name;
  kernel.state = state;
  if (const auto *threads = find(*image, "threads"))
    kernel.threads = static_cast<unsigned>(threads->i64);
  *outModule = module.release();
  return NEREID_OK;
}

nereid_status_t unloadModule(nereid_state_t *state, nereid_module_t *module,
                             const nereid_call_t *) {
  if (!module)
    return NEREID_OK;
  std::lock_guard lock(state->loading);
  dlclose(module->library);
  delete module;
  return NEREID_OK;
}

nereid_status_t getKernel(nereid_state_t *, nereid_module_t *module,
                          nereid_string_t name, nereid_kernel_t **outKernel,
                          nereid_kernel_info_t *outInfo,
                          const nereid_call_t *call) {
  if (view(name) != module->name)
    return fail(call, NEREID_NOT_FOUND,
                "the image holds kernel '" + module->name + "', not '" +
                    std::string(view(name)) + "'");
  if (outInfo) {
    nereid_kernel_info_t info = {};
    info.registers = -1;
    info.spills = -1;
    info.max_threads = 1;
    info.shared = static_cast<int64_t>(module->kernel.image.scratch_size);
    copyOut(outInfo, info);
  }
  *outKernel = &module->kernel;
  return NEREID_OK;
}

} // namespace nereid::cpu
