// JsonFwd.h - the name of the JSON type, without the weight of its header.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_JSON_FWD_H
#define NEREID_HOST_SUPPORT_JSON_FWD_H

#include <nlohmann/json_fwd.hpp>

namespace nereid::host {

/// Members stay in the order in which they were added.
using Json = nlohmann::ordered_json;

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_JSON_FWD_H
