# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

float16 = None
