"""FlagGems itself, which scripts/python-env installs: operators through Nereid's
plugins."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import sys

import pytest

# Where other tests do not find it.
FLAG_GEMS = pathlib.Path(sys.prefix, "flag_gems")
pytestmark = pytest.mark.skipif(
    not FLAG_GEMS.exists(), reason=f"there is no {FLAG_GEMS}: run scripts/python-env"
)

PROGRAM = """
import json
import sys
import nereid.flag_gems
import flag_gems
import torch

torch.manual_seed(0)
x = torch.randn(64, 1000)
worst = {}

def compare(name, call):
    if sys.argv[1:] and name not in sys.argv[1:]:
        return
    expected = call()
    with flag_gems.use_gems(include=[name]):
        found = call()
        used = flag_gems.all_registered_ops()
    assert name in used, (name, used)
    worst[name] = (found.double() - expected.double()).abs().max().item()

compare("softmax", lambda: torch.softmax(x, -1))
compare("mm", lambda: torch.mm(x, x.T) / 1000)
compare("argmax", lambda: x.argmax(1))
compare("layer_norm", lambda: torch.nn.functional.layer_norm(x, (1000,)))
compare("gelu", lambda: torch.nn.functional.gelu(x))
compare("index_select", lambda: x.index_select(0, torch.tensor([5, 1, 63])))
compare("erf", lambda: torch.erf(x))
compare("where_self", lambda: torch.where(x > 0, x, x.T[:1000, :1].sum()))
compare("div_mode", lambda: torch.div(7, 2, rounding_mode="trunc"))
compare("to_copy", lambda: torch.special.chebyshev_polynomial_w(x[:1] / 4, 3))
with flag_gems.use_gems():
    registered = set(flag_gems.all_registered_ops())
    worst["argsort"] = (x.argsort(stable=True) - x.numpy().argsort(kind="stable")).abs().max().item()

def random():
    torch.manual_seed(5)
    with flag_gems.use_gems(include=["rand"]):
        return torch.rand(4096), torch.rand(4096)

first, second = random()
assert torch.equal(first, random()[0]) and not torch.equal(first, second)
unused = nereid.flag_gems.adapter.unused_operators()
print(json.dumps({"worst": worst, "unused": sorted(registered & set(unused)),
                  "registered": len(registered), "mean": first.mean().item(),
                  "vendor": flag_gems.vendor_name}))
"""


# FlagGems chooses the configurations of this kernel by their warps and stages. It says
# which probabilities it dropped: those that it returns negative.
DROPOUT = """
import nereid.flag_gems
import flag_gems
import torch

torch.manual_seed(0)
q, k, v = (torch.randn(1, 40, 2, 32, dtype=torch.float16) for _ in range(3))
found, _, _, _, dropped = flag_gems.ops.flash_attention_forward(
    q, k, v, None, None, 40, 40, 0.25, False, True
)
q, k, v = (it.transpose(1, 2).float() for it in (q, k, v))
is_kept = dropped[:, :, :40, :40] >= 0
assert 0.7 < is_kept.float().mean() < 0.8
weights = torch.softmax(q @ k.mT / 32**0.5, -1)
expected = torch.where(is_kept, weights, 0) @ v / 0.75
torch.testing.assert_close(found.transpose(1, 2).float(), expected, rtol=1e-2, atol=1e-3)
"""


@pytest.fixture
def run_flag_gems(run_program, tmp_path):
    """Runs a program that may import FlagGems."""

    def run(program, *words, **variables):
        done = run_program(
            program,
            *words,
            FLAGGEMS_CACHE_DIR=str(tmp_path / "flag_gems"),
            PYTHONWARNINGS="ignore",
            PYTHONPATH=os.pathsep.join((os.environ["PYTHONPATH"], str(FLAG_GEMS))),
            **variables,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout

    return run


def test_attention_with_dropout_finds_a_configuration(run_flag_gems):
    run_flag_gems(DROPOUT, NEREID_TARGET="cpu")


@pytest.mark.parametrize(
    "target, vendor, names",
    [("cpu", "nereid_cpu", []), ("vulkan", "khronos_vulkan", ["softmax", "argmax", "where_self"])],
)
def test_operators_agree_with_torch(run_flag_gems, target, vendor, names):
    import nereid

    if target not in (it.name for it in nereid.devices()):
        pytest.skip(f"there is no device for {target}")
    found = json.loads(run_flag_gems(PROGRAM, *names, NEREID_TARGET=target).splitlines()[-1])
    assert found["vendor"] == vendor and set(names) <= set(found["worst"])
    assert 0.45 < found["mean"] < 0.55
    assert found["unused"] == [] and found["registered"] > 100
    worst = found["worst"]
    assert worst["argmax"] == worst["argsort"] == worst.get("index_select", 0) == 0
    assert max(worst.values()) < 1e-3, worst
