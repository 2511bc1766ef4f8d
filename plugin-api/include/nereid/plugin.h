// nereid/plugin.h - all headers for plugins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGIN_H
#define NEREID_PLUGIN_H

#include "base.h"
#include "compiler.h"
#include "driver.h"
#include "entry.h"
#include "ext/benchmark.h"
#include "ext/event.h"
#include "ext/frontend.h"
#include "ext/interop.h"
#include "ext/libdevice.h"
#include "ext/memory.h"
#include "ext/stream.h"
#include "ext/ttir.h"
#include "ext/vendor.h"
#include "note.h"

#endif // NEREID_PLUGIN_H
