// Origin.h - who compiles for a device, and what device it is: what tuned
// results of it are labelled with.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_ORIGIN_H
#define NEREID_OPS_STORE_ORIGIN_H

#include "nereid/host/base.h"
#include "store/Record.h"

namespace nereid::ops {

struct Origin {
  CompilerIdentity compiler;
  DeviceIdentity device;

  bool operator==(const Origin &) const = default;
};

/// What device \p device of \p backend is.
Result<DeviceIdentity> deviceOf(nereid_backend_t *backend, uint32_t device);

/// The origin of results on \p device of \p backend, with the compiler that
/// nereid_compile() takes for it.
Result<Origin> originOf(nereid_backend_t *backend, uint32_t device);

/// With the fields of a result in JSON (Exchange.h).
std::string originJson(const Origin &origin);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_ORIGIN_H
