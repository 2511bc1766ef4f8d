// note.c - the plugin's note, for builds without nereid_add_plugin().
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

// [note]
#include <nereid/note.h>

NEREID_PLUGIN_NOTE(NEREID_PLUGIN_ID, "");
// [/note]
