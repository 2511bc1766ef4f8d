// TunableOp.h - what ONNX Runtime's files and PyTorch's have in common.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_FORMATS_TUNABLEOP_H
#define NEREID_OPS_STORE_FORMATS_TUNABLEOP_H

#include "store/formats/Formats.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace nereid::ops {

/// What must be true of a program that uses the results, by name.
using Validators = std::map<std::string, std::string>;

/// The value of \p name; empty if there is none.
std::string valueOr(const Validators &validators, const char *name);

/// A result of the tuner that stands for a compiler called \p plugin.
TunedResult foreignResult(std::string_view plugin,
                          const std::string &operatorName,
                          const std::string &parameters);

/// The parameters of a result of \p plugin that was imported; false of
/// another.
bool parametersOf(const TunedResult &result, std::string_view plugin,
                  std::string &parameters, nlohmann::json &solution);

/// A time as nanosecondsOf() reads it.
std::string millisecondsText(double nanoseconds);

/// A time in milliseconds, in nanoseconds; nothing if \p text is none.
std::optional<double> nanosecondsOf(std::string_view text);

/// Of those for the same parameters the best first: the fastest, then the
/// newest. Files read and written again have the same order.
std::vector<const TunedResult *> bestFirst(const Results &results);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_FORMATS_TUNABLEOP_H
