# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0


class PTXASError(Exception):
    pass


class OutOfResources(Exception):
    pass
