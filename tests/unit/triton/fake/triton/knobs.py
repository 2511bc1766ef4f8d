# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from types import SimpleNamespace

_tool = SimpleNamespace(path="/nonexistent/ptxas")
nvidia = SimpleNamespace(ptxas=_tool, ptxas_blackwell=_tool)
