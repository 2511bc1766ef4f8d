"""A vendor's directory, as FlagGems has one for each vendor. FlagGems imports it
under the name of the vendor; the adapter adds `vendor_info`."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
