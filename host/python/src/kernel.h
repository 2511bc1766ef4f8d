// kernel.h - a loaded kernel: what a launch needs, resolved once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_KERNEL_H
#define NEREID_PYTHON_KERNEL_H

#include "arguments.h"

#include <atomic>
#include <vector>

namespace nereid::python {

struct KernelObject {
  PyObject_HEAD nereid_function_t *function;
  PyObject *backend; // kept alive
  std::vector<Slot> *slots;
  uint64_t blockSize;
  uint64_t scratchSize, scratchAlignment; // per program; 0: none
  uint32_t device;
  // Nanoseconds of the last launch by its programs; 0: unknown. Launches on
  // several threads write it, with and without the GIL.
  std::atomic<double> programTime;
};

extern PyTypeObject *kernelType;
bool addKernelType(PyObject *module);

/// Loads \p compiled on \p device; raises on failure.
PyObject *loadKernel(PyObject *backendObject, nereid_backend_t *backend,
                     uint32_t device, const nereid_artifact_t *artifact);

/// Memory for a packed block: on the stack unless it is large. Aligned as a
/// driver expects it, so that libnereid does not have to copy it.
class Block {
public:
  explicit Block(uint64_t size)
      : memory(size <= sizeof local
                   ? local
                   : static_cast<char *>(::operator new(
                         size, std::align_val_t(kAlignment), std::nothrow))) {}
  ~Block() {
    if (memory != local)
      ::operator delete(memory, std::align_val_t(kAlignment));
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  /// Null if out of memory.
  char *get() { return memory; }

private:
  static constexpr size_t kAlignment = 64;
  alignas(kAlignment) char local[512];
  char *memory;
};

struct Grid {
  uint32_t x, y, z;
};

/// Reads one size of a grid. Negative sizes are read as 0, as in Triton: the
/// launch has no programs.
bool readGridSize(PyObject *object, uint32_t &out);

/// Reads a grid: a sequence of 1 to 3 sizes. False with an error set.
bool readGridSizes(PyObject *object, Grid &out);

/// One launch of a kernel.
struct Launch {
  Grid grid = {};
  nereid_stream_t stream = 0;
  const char *block = nullptr; // the packed arguments
  uint32_t flags = 0;
  nereid_address_t scratch = 0;
  uint64_t scratchSize = 0;
};

/// Reads `launch(grid, stream, scratch, *arguments)`, whose scratch is None or
/// the address and size of memory for all programs. The arguments are packed in
/// \p block, which \p out refers to. False with an error set.
bool readLaunch(PyObject *const *args, Py_ssize_t count,
                const std::vector<Slot> &slots, Block &block, Launch &out);

/// What libnereid takes.
nereid_launch_t requestOf(const Launch &launch, uint64_t blockSize);

/// Launches; raises and false on failure.
bool launch(KernelObject *kernel, const Launch &launch);

/// The bytes of scratch memory that all programs of \p grid need; raises and
/// false if they exceed 64 bits.
bool readScratchSize(const KernelObject *kernel, Grid grid, uint64_t &out);

} // namespace nereid::python

#endif // NEREID_PYTHON_KERNEL_H
