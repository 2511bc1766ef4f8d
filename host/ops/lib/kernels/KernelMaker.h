// KernelMaker.h - the TTIR of an operator's kernels: from the cache, from the
// host program's Python, or from a Python of its own in a worker.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_KERNELS_KERNEL_MAKER_H
#define NEREID_OPS_KERNELS_KERNEL_MAKER_H

#include "cache/Cache.h"
#include "support/JsonFwd.h"
#include "support/Result.h"
#include "worker/Pool.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nereid::ops {

using host::Failure;
using host::Outcome;
using host::Result;

/// A kernel with the types and promises of its arguments. host/kernels/serve.py
/// has the members.
struct KernelRequest {
  std::filesystem::path file; // absolute
  std::string function;
  /// JSON: [{"name", "type", "hint"}, {"name", "items": [{"type", "hint"}]}]
  std::string arguments;
  std::string constants; // a JSON object by name
};

/// An argument that the compiled kernel takes: its name and, for a tuple, which
/// item of it.
struct KernelArgument {
  std::string name;
  uint32_t item = 0;
};

struct KernelText {
  std::string ttir;
  std::vector<KernelArgument> arguments; // in order
};

/// Makes TTIR in the host program: receives the JSON of the request that a
/// worker would get and returns {"ttir", "arguments"}.
using KernelCallback =
    std::function<Result<std::string>(const std::string &request)>;

struct KernelMakerOptions {
  std::string python;   // empty: NEREID_TRITON_PYTHON, else python3
  std::string cacheDir; // of libnereid; empty: none
  std::string facts;    // of the target: JSON of nereid_backend_frontend()
  KernelCallback callback;
};

/// Any thread.
class KernelMaker {
public:
  explicit KernelMaker(KernelMakerOptions options);

  /// The TTIR of \p request. It is made once for the same text of the folder's
  /// Python files and the same Triton, whichever process asks.
  Result<KernelText> make(const KernelRequest &request);

  /// How many kernels were made, not read from the cache.
  uint64_t made() const { return madeCount; }

private:
  Result<host::CacheValue> produce(const std::string &request);
  Result<host::CacheValue> askWorker(const std::string &request);
  Result<worker::Pool *> workers();

  KernelMakerOptions options;
  host::Cache cache;
  std::mutex mutex;
  std::unique_ptr<worker::Pool> pool;
  std::atomic<uint64_t> madeCount = 0;
};

} // namespace nereid::ops

#endif // NEREID_OPS_KERNELS_KERNEL_MAKER_H
