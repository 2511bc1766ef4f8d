// Record.h - one tuned result: what a configuration took on a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_RECORD_H
#define NEREID_OPS_STORE_RECORD_H

#include "support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace nereid::ops {

using host::Failure;
using host::Outcome;
using host::Result;

/// The words of the column `status`.
namespace status {
inline constexpr std::string_view ok = "ok";
inline constexpr std::string_view wrong = "wrong";     ///< a wrong result
inline constexpr std::string_view failed = "failed";   ///< an error
inline constexpr std::string_view crashed = "crashed"; ///< ended its process
inline constexpr std::string_view slow = "slow";       ///< given up early
inline constexpr std::string_view wanted = "wanted";   ///< not measured yet
} // namespace status

struct CompilerIdentity {
  std::string plugin;       ///< its id
  std::string release;      ///< "triton-3.6.0"
  std::string build;        ///< its build id
  std::string dependencies; ///< what it depends on at run time

  auto operator<=>(const CompilerIdentity &) const = default;
};

struct DeviceIdentity {
  std::string name;         ///< "NVIDIA H200"
  std::string architecture; ///< "sm_90a"
  int64_t units = 0;        ///< multiprocessors or cores
  std::string driver;       ///< its version

  auto operator<=>(const DeviceIdentity &) const = default;
};

struct TunedResult {
  std::string operatorName;
  std::string key;    ///< canonical (Key.h)
  std::string bucket; ///< canonical
  std::string variant;
  std::string configuration; ///< canonical: values by name
  std::string status;
  bool isDefault = false; ///< what is used without tuning
  double median = 0;      ///< nanoseconds; 0: not measured
  double spread = 0;      ///< nanoseconds
  int64_t samples = 0;
  std::string protocol; ///< how it was measured
  CompilerIdentity compiler;
  DeviceIdentity device;
  int64_t time = 0;   ///< seconds since 1970
  std::string source; ///< digest of the kernel's source
  std::string note;   ///< the reason of a failure

  bool isOk() const { return status == status::ok; }
  /// Whether the configuration must not be used.
  bool isBad() const {
    return status == status::wrong || status == status::failed ||
           status == status::crashed;
  }

  /// Results that are equal in this replace each other.
  auto identity() const {
    return std::tie(operatorName, key, variant, configuration, protocol,
                    compiler, device);
  }
};

/// Calls visit(name, field) for each field, by the names that the store's
/// columns and JSON use. The order is fixed: the checksum depends on it.
template <typename Row, typename Visit>
void visitFields(Row &row, Visit &&visit) {
  visit("operator", row.operatorName);
  visit("key_exact", row.key);
  visit("key_bucket", row.bucket);
  visit("variant", row.variant);
  visit("configuration", row.configuration);
  visit("status", row.status);
  visit("is_default", row.isDefault);
  visit("median_ns", row.median);
  visit("spread_ns", row.spread);
  visit("samples", row.samples);
  visit("protocol", row.protocol);
  visit("compiler_plugin", row.compiler.plugin);
  visit("compiler_release", row.compiler.release);
  visit("compiler_build", row.compiler.build);
  visit("compiler_dependencies", row.compiler.dependencies);
  visit("device_name", row.device.name);
  visit("device_architecture", row.device.architecture);
  visit("device_units", row.device.units);
  visit("device_driver", row.device.driver);
  visit("time", row.time);
  visit("source", row.source);
  visit("note", row.note);
}

/// Checks \p result and makes its key, bucket and configuration canonical. An
/// empty bucket becomes the key.
Outcome normalize(TunedResult &result);

/// The digest of every field, which finds damage in a store.
std::string checksumOf(const TunedResult &result);

/// How far a result may be trusted on another compiler or device.
enum class Trust {
  Same,   ///< the compiler and the device are equal
  Near,   ///< the compiler's release and the device's architecture are
  Foreign ///< else: a candidate for tuning, never a winner
};
std::string_view trustName(Trust trust);
Trust trustOf(const TunedResult &result, const CompilerIdentity &compiler,
              const DeviceIdentity &device);

/// "m=1024 n=4096": an object for people.
std::string objectText(std::string_view object);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_RECORD_H
