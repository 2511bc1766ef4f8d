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

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_TTIR_SERVICE_H
