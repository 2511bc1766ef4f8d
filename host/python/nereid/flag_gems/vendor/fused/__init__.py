"""Operators that replace FlagGems' generic ones: none."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
