// KernelSource.h - a program's callback that makes kernels, as the library
// calls it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CAPI_KERNEL_SOURCE_H
#define NEREID_OPS_CAPI_KERNEL_SOURCE_H

#include "abi/Struct.h"
#include "kernels/KernelMaker.h"
#include "nereid/ops.h"
#include "support/Guard.h"

namespace nereid::ops {

// What a callback writes.
inline nereid_status_t append(const nereid_writer_t *writer, const void *data,
                              uint64_t size) {
  static_cast<std::string *>(writer->user)
      ->append(static_cast<const char *>(data), size);
  return NEREID_OK;
}

inline KernelCallback callbackOf(const nereid_kernel_source_t *given) {
  if (!given)
    return {};
  nereid_kernel_source_t source = host::readStruct(*given);
  return [source](const std::string &request) -> Result<std::string> {
    std::string answer;
    nereid_writer_t writer = {};
    writer.struct_size = sizeof writer;
    writer.user = &answer;
    writer.write = append;
    nereid_status_t status = source.make(source.user, borrow(request), &writer);
    if (status)
      return Failure{status, "the program's callback made no kernel: " +
                                 (answer.empty() ? "no reason given" : answer)};
    return answer;
  };
}

} // namespace nereid::ops

#endif // NEREID_OPS_CAPI_KERNEL_SOURCE_H
