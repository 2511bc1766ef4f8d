// CallPlan.cpp - fills in the addresses of a call and launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/CallPlan.h"

#include "call/LastFailure.h"

#include <cstring>

namespace nereid::ops {

static void write(const Patch &patch, const CallValues &values,
                  nereid_address_t temporaries, char *block) {
  char *at = block + patch.offset;
  switch (patch.from) {
  case Patch::From::Tensor:
    std::memcpy(at, &values.addresses[patch.index], 8);
    return;
  case Patch::From::Temporary: {
    uint64_t address = temporaries + patch.value;
    std::memcpy(at, &address, 8);
    return;
  }
  case Patch::From::Integer:
    // Little-endian, as all machines that libnereid runs on.
    std::memcpy(at, &values.attributes[patch.index].i64, patch.size);
    return;
  case Patch::From::Float: {
    const nereid_value_t &value = values.attributes[patch.index];
    double number = value.type == NEREID_TYPE_F64
                        ? value.f64
                        : static_cast<double>(value.i64);
    auto narrow = static_cast<float>(number);
    if (patch.size == 4)
      std::memcpy(at, &narrow, 4);
    else
      std::memcpy(at, &number, 8);
    return;
  }
  }
}

Outcome CallPlan::run(const CallValues &values, TemporaryPool &pool) const {
  TemporaryPool::Lease temporaries;
  if (temporarySize) {
    Result<TemporaryPool::Lease> lease =
        pool.lease(values.stream, temporarySize);
    if (!lease)
      return lease.failure();
    temporaries = std::move(*lease);
  }
  nereid_launch_t launch = {};
  launch.struct_size = sizeof launch;
  launch.stream = values.stream;
  alignas(64) char block[mostBlock];
  for (const PreparedLaunch &prepared : launches) {
    std::memcpy(block, prepared.block.data(), prepared.block.size());
    for (const Patch &patch : prepared.patches)
      write(patch, values, temporaries.address(), block);
    std::memcpy(launch.grid, prepared.grid, sizeof launch.grid);
    launch.arguments = block;
    launch.arguments_size = prepared.block.size();
    launch.scratch =
        prepared.scratchSize ? temporaries.address() + prepared.scratch : 0;
    launch.scratch_size = prepared.scratchSize;
    if (nereid_status_t status = prepared.kernel->launch(launch))
      return lastFailure(status);
  }
  return {};
}

} // namespace nereid::ops
