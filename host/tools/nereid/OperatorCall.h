// OperatorCall.h - the call of an operator on the command line, as JSON;
// shared by the verbs ops and tune.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_OPERATORCALL_H
#define NEREID_TOOL_OPERATORCALL_H

#include "Output.h"

#include <string>
#include <vector>

namespace nereid::tool {

struct OperatorCallOptions {
  std::vector<std::string> shapes, dtypes, strides, attributes;

  bool isEmpty() const {
    return shapes.empty() && dtypes.empty() && strides.empty() &&
           attributes.empty();
  }
};

/// {"inputs", "attributes"} for an operator with this schema.
Expected<Json> makeCall(const Json &schema, const OperatorCallOptions &options);

} // namespace nereid::tool

#endif // NEREID_TOOL_OPERATORCALL_H
