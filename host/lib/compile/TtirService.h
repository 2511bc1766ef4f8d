// TtirService.h - host extension "nereid.ttir/1".
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_TTIR_SERVICE_H
#define NEREID_HOST_COMPILE_TTIR_SERVICE_H

#include "plugin/PluginLoader.h"

namespace nereid::host {

/// "nereid.ttir/1", which loads libnereid-ttir.so when it is first used.
HostExtensions hostExtensions();

/// Its `describe`, for the host itself: JSON.
Result<std::string> describeTtir(std::string_view source, std::string_view name,
                                 const Log *log);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_TTIR_SERVICE_H
