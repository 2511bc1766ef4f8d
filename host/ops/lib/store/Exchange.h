// Exchange.h - tuned results as files that other programs read and write.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   json     our own: {"format": "nereid-tuned-results", "version": 1,
//            "results": [...]}, with the names of the store's columns
//   ort      ONNX Runtime's TunableOp: [{"ep", "validators", "results"}]
//   pytorch  PyTorch's TunableOp: lines of comma-separated values
//
// What the other two wrote stays what it is: results of a compiler called
// 'onnxruntime' or 'pytorch', with its validators, which are written again on
// export. They are foreign to every compiler of ours, hence never used by a
// lookup. ONNX Runtime numbers its kernels: the number is the value of a
// name, "solution", and means nothing without its validators.

#ifndef NEREID_OPS_STORE_EXCHANGE_H
#define NEREID_OPS_STORE_EXCHANGE_H

#include "store/Record.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

/// The names of the formats.
const std::vector<std::string> &formatNames();

/// A result with the names of its fields; keys and configurations are objects.
nlohmann::ordered_json rowJson(const TunedResult &result);

struct Exported {
  std::string text;
  uint64_t written = 0;
  uint64_t leftOut = 0; ///< that the format cannot hold
};

/// \p results in \p format. The same results give the same bytes.
host::Result<Exported> exportResults(const std::vector<TunedResult> &results,
                                     std::string_view format);

/// Reads \p text, which \p name is the name of in errors: all or nothing. With
/// an empty \p format it is recognized. Every mistake is reported, up to a
/// limit, with its line.
host::Result<std::vector<TunedResult>> importResults(std::string_view text,
                                                     std::string_view format,
                                                     std::string_view name);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_EXCHANGE_H
