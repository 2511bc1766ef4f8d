"""Nereid's device as a vendor of FlagGems, with a small package in place of
FlagGems (fake.py) in the arrangement of each of its releases."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fake  # noqa: E402

pytest.importorskip("torch")

FACTS = """
import json
import nereid.flag_gems
import flag_gems
from flag_gems import runtime
from flag_gems.runtime import backend

torch_device = runtime.torch_device_fn
properties = torch_device.get_device_properties(torch_device.current_device())
loader = runtime.config_loader
with torch_device.device("cpu"), torch_device.device(None):
    torch_device.synchronize()
print(json.dumps({
    "vendor": flag_gems.vendor_name,
    "device": flag_gems.device,
    "key": runtime.device.dispatch_key,
    "query": runtime.device.info.device_query_cmd,
    "count": runtime.device.device_count,
    "units": properties.multi_processor_count,
    "tile": loader.heuristics["sum"]["TILE"]({"N": 3 * properties.multi_processor_count}),
    "configurations": len(loader.get_tuned_config("mm")),
    "fp64": runtime.device.support_fp64,
    "unused": backend.get_vendor_module(flag_gems.vendor_name).CUSTOMIZED_UNUSED_OPS,
    "has_erf": hasattr(backend.get_libdevice(flag_gems.vendor_name), "erf"),
    "memory": properties.total_memory,
    "capability": list(torch_device.get_device_capability()),
}))
"""


class Server:
    """A process that has imported torch and Triton, and runs each program in a fork
    of itself: importing takes longer than the programs."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).with_name("forking.py")],
            env={**os.environ, "NEREID_TARGET": "cpu"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, program, folder=None, **variables):
        request = {"program": program, "folder": folder and str(folder), "env": variables}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return types.SimpleNamespace(**json.loads(self.process.stdout.readline()))

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="module")
def run():
    """Runs a program with a folder in front of its path."""
    server = Server()
    yield server.run
    server.stop()


@pytest.fixture(params=sorted(fake.LAYOUTS))
def folder(request, tmp_path):
    fake.write(tmp_path / "path", request.param)
    return tmp_path / "path"


def facts_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_cpu_is_a_vendor(run, folder):
    facts = facts_of(run(FACTS, folder))
    assert facts["vendor"] == "nereid_cpu"
    assert (facts["device"], facts["key"], facts["query"]) == ("cpu", "CPU", "lscpu")
    assert facts["count"] == 1 and facts["units"] >= 1
    assert facts["tile"] == 3, "the heuristics use the plugin's number of cores"
    assert facts["fp64"] and facts["has_erf"]
    wrong = {"argmin", "im2col", "kron", "linalg_lstsq", "linalg_svd", "linalg_svdvals"}
    assert wrong <= set(facts["unused"]), "they damage memory or refuse tensors on the CPU"
    assert facts["memory"] > 0
    assert facts["capability"] == [0, 0]


def test_all_configurations_are_left(run, folder):
    """Warps and stages are no options of the CPU's compiler, but operators of FlagGems
    choose configurations by them."""
    assert facts_of(run(FACTS, folder))["configurations"] == 12


def test_flag_gems_is_told_which_types_do_not_compile(run, folder):
    lacks = """
import nereid.flag_gems.plugin as plugin
plugin.compiles = lambda backend, device, name: name != "f64"
"""
    assert facts_of(run(lacks + FACTS, folder))["fp64"] is False


def test_a_device_with_memory_of_its_own_uses_tensors_on_the_cpu(run, folder, build):
    facts = facts_of(
        run(FACTS, folder, NEREID_TARGET="apart", NEREID_PLUGIN_DIRS=f"{build}/tests/apart")
    )
    assert (facts["vendor"], facts["device"], facts["key"]) == ("apart", "cpu", "CPU")
    assert facts["has_erf"]


def test_flag_gems_must_be_imported_later(run, folder):
    package = folder / "flag_gems"
    (package / "__init__.py").write_text("")
    done = run("import flag_gems\nimport nereid.flag_gems", folder)
    assert done.returncode and "import nereid.flag_gems first" in done.stderr


def test_a_missing_flag_gems_is_named(run):
    hide = "import sys\nsys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
    done = run(f"{hide}import nereid.flag_gems")
    assert "ImportError: flag_gems is not installed: pip install flag_gems" in done.stderr


@pytest.mark.parametrize("variable", ["GEMS_VENDOR", "FLAGGEMS_BACKEND"])
def test_a_variable_that_names_another_vendor_is_an_error(run, folder, variable):
    done = run(FACTS, folder, **{variable: "nvidia"})
    assert f"{variable} is nvidia" in done.stderr and f"unset {variable}" in done.stderr
    assert facts_of(run(FACTS, folder, **{variable: "nereid_cpu"}))["vendor"] == "nereid_cpu"


# What the next release might rename or remove.
@pytest.mark.parametrize(
    "layout, file, old, new, expected",
    [
        ("5.4", "runtime/backend/__init__.py", "get_tune_config", "read_tune", "no get_tune_config"),
        ("5.0", "runtime/backend/__init__.py", "torch_device_object", "torch_dev", "no torch_device_object"),
        ("5.4", "runtime/backend/backend_utils.py", "VendorDescriptor", "Vendor", "no dataclass"),
        ("5.4", "runtime/backend/backend_utils.py", "triton_extra_name: str = None", "", "no triton_extra_name"),
        ("5.4", "runtime/backend/backend_utils.py", "device_query_cmd: str", "device_query_cmd: str\n    colour: str", "colour is new"),
        ("5.0", "runtime/backend/device.py", "get_vendor(", "find_vendor(", "no get_vendor"),
        ("5.4", "runtime/common.py", "class vendors", "class Vendors", "no vendors"),
    ],
)  # fmt: skip
def test_a_release_that_does_not_fit_is_named(run, tmp_path, layout, file, old, new, expected):
    package = fake.write(tmp_path / "path", layout)
    text = (package / file).read_text()
    assert old in text
    (package / file).write_text(text.replace(old, new))
    message = run(FACTS, tmp_path / "path").stderr.splitlines()[-1]
    assert f"flag_gems {layout}.9 in {package} does not fit nereid.flag_gems" in message
    assert "supports 5.0 to 5.4" in message and expected in message


def test_a_release_that_detects_elsewhere_is_named(run, tmp_path):
    package = fake.write(tmp_path / "path", "5.4")
    for file in package.rglob("*.py"):
        file.write_text(file.read_text().replace("device_finder", "detection"))
    (package / "runtime/backend/device_finder.py").rename(
        package / "runtime/backend/detection.py"
    )
    message = run(FACTS, tmp_path / "path").stderr.splitlines()[-1]
    assert "does not fit nereid.flag_gems" in message
    assert "no module runtime.backend.device or runtime.backend.device_finder" in message


# ------------------------------------------------------------------ the facts


class Backend:
    """A plugin whose compiler has no f64."""

    class Refused(RuntimeError):
        status = "unimplemented"

    def compile(self, source, name, options, device):
        if "f64" in source:
            raise self.Refused(name)


def facts_for(monkeypatch, torch_type, **info):
    from nereid import _native
    from nereid.flag_gems import plugin

    monkeypatch.setattr(_native, "require", lambda: types.SimpleNamespace(Error=Backend.Refused))
    described = {"id": "acme", "vendor_name": "", "device_query_command": "", "dispatch_key": ""}
    utils = types.SimpleNamespace(
        info={**described, **info},
        device_type=info.get("device_type", "acme"),
        index_of=lambda device: 0,
        backend=Backend(),
    )
    return plugin.read(utils, types.SimpleNamespace(type=torch_type), {"nvidia": "cuda"})


@pytest.fixture
def importable(tmp_path, monkeypatch):
    """nereid.flag_gems can be imported, and is forgotten after the test."""
    fake.write(tmp_path / "path", "5.0")
    monkeypatch.syspath_prepend(str(tmp_path / "path"))
    finders = list(sys.meta_path)
    yield
    sys.meta_path[:] = finders
    for name in [it for it in sys.modules if it.startswith(("nereid.flag_gems", "flag_gems"))]:
        del sys.modules[name]


def test_a_type_that_does_not_compile_is_not_offered(monkeypatch, importable):
    facts = facts_for(monkeypatch, "cpu")
    assert facts.types == {"f64": False, "bf16": True, "i64": True}


def test_a_vendor_of_flag_gems_stays_what_it_is(monkeypatch, importable):
    nvidia = {"id": "cuda", "vendor_name": "nvidia", "device_type": "cuda", "dispatch_key": "CUDA"}
    monkeypatch.delattr(Backend, "compile")  # FlagGems knows what it can do
    facts = facts_for(monkeypatch, "cuda", **nvidia)
    assert (facts.vendor, facts.device, facts.dispatch_key) == ("nvidia", "cuda", "CUDA")
    assert facts.types == {}
    monkeypatch.undo()
    # Where torch has no CUDA, tensors are on the CPU.
    facts = facts_for(monkeypatch, "cpu", **nvidia)
    assert (facts.vendor, facts.device, facts.dispatch_key) == ("nvidia_cuda", "cpu", "CPU")


def test_the_dispatch_key_is_the_plugins_where_torch_has_the_device(monkeypatch, importable):
    own = {"vendor_name": "Acme-Chips", "dispatch_key": "PrivateUse1"}
    facts = facts_for(monkeypatch, "acme", **own)
    assert (facts.vendor, facts.device) == ("acme_chips_acme", "acme")
    assert facts.dispatch_key == "PrivateUse1"
    assert facts_for(monkeypatch, "cpu", **own).dispatch_key == "CPU"
    assert facts_for(monkeypatch, "acme").dispatch_key == "ACME"


@pytest.mark.parametrize("device, is_registered", [("acme", False), ("cuda", True)])
def test_operators_that_need_cuda_are_left_to_torch(importable, device, is_registered):
    from nereid.flag_gems import Facts, adapter

    facts = Facts("acme", device, "", "", "acme")
    unused = adapter._vendor_module(facts, None).CUSTOMIZED_UNUSED_OPS
    assert ("im2col" not in unused) == is_registered


def test_a_copy_of_a_module_has_other_values_and_leaves_the_module(importable):
    import shlex

    from nereid.flag_gems.vendor.generic import Instead, copy_of

    copy = copy_of("shlex", re=Instead(shlex.re, own=1))
    assert copy.re.own == 1 and copy.re.compile is shlex.re.compile
    assert not hasattr(shlex.re, "own") and copy.split.__globals__["re"] is copy.re
    assert copy_of("shlex_of_another_release") is None


TO = """
import torch

KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CompositeExplicitAutograd)

def to_copy(x, **options):
    assert x.layout == torch.strided
    return torch.ops.aten._to_copy.default.redispatch(KEYS, x, **options)
"""


# FlagGems' own, in short: it does not truncate the quotient of two numbers.
DIV = """
import torch

def div_mode(x, y, rounding_mode=None):
    quotient = torch.as_tensor(x / y)
    return quotient.trunc() if isinstance(x, torch.Tensor) else quotient
"""


@pytest.fixture
def on_cpu(importable, tmp_path):
    """The operators that the adapter replaces on the CPU."""
    import nereid.flag_gems

    package = tmp_path / "path/flag_gems"
    (package / "__init__.py").write_text("")
    (package / "ops").mkdir()
    files = {"__init__": "", "div": DIV, "to": TO, "where": "where_inner = None"}
    for name, text in files.items():
        (package / f"ops/{name}.py").write_text(text)
    # Without the package of the operators, which asks for FlagGems' vendor.
    folder = pathlib.Path(nereid.flag_gems.__file__).parent / "vendor/ops"
    name = "nereid.flag_gems.vendor.ops.on_cpu"
    spec = importlib.util.spec_from_file_location(name, folder / "on_cpu.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_numbers_that_torch_divides_on_the_cpu_are_rounded(on_cpu):
    assert on_cpu.div_mode(7, 2, rounding_mode="trunc") == 3
    assert on_cpu.div_mode(-7, 2, rounding_mode="trunc") == -3


def test_a_number_that_torch_converts_on_the_cpu_becomes_a_tensor(on_cpu):
    import torch

    assert torch.equal(on_cpu.to_copy(3, dtype=torch.float32), torch.tensor(3.0))
    x = torch.linspace(-1, 1, 9)
    expected = torch.special.chebyshev_polynomial_w(x, 3)
    with torch.library._scoped_library("aten", "IMPL") as library:
        library.impl("_to_copy", on_cpu.to_copy, "CPU")
        assert torch.equal(torch.special.chebyshev_polynomial_w(x, 3), expected)


# -------------------------------------------------------------- torch's device


class Utils:
    """Two devices of a plugin with few properties."""

    info = {"device_count": 2}
    device_type = "acme"
    has_one_device = False

    def __init__(self):
        self.current = 0

    def index_of(self, device):
        if device is None:
            return self.current
        return device if isinstance(device, int) else int(str(device).partition(":")[2] or 0)

    def set_current_device(self, device):
        self.current = device

    def target_of(self, index):
        return types.SimpleNamespace(arch=[90, "one"][index])

    def get_device_properties(self, index):
        return {"name": f"A{index}", "max_shared_mem": 1024, "max_num_regs": 65536,
                "multiprocessor_count": 4 + index, "warpSize": 32}  # fmt: skip


@pytest.fixture
def torch_device(importable):
    from nereid.flag_gems.torch_device import TorchDevice

    return TorchDevice(types.SimpleNamespace(__name__="torch.acme", own="torch's"), Utils())


def test_a_guard_selects_a_device(torch_device):
    import torch

    assert torch_device.device_count() == 2 and torch_device.is_available()
    with torch_device.device(1):
        assert torch_device.current_device() == 1
        with torch_device.device("acme:0"):
            assert torch_device.current_device() == 0
        with torch_device.device(torch.device("cpu")), torch_device.device(None):
            assert torch_device.current_device() == 1, "tensors on the CPU are anywhere"
        assert torch_device.get_device_properties("cuda").name == "A1"
    assert torch_device.current_device() == 0
    torch_device.set_device(1)
    assert torch_device.current_device() == 1


def test_properties_have_torchs_names_and_no_gaps(torch_device):
    found = torch_device.get_device_properties(1)
    assert (found.name, found.multi_processor_count) == ("A1", 5)
    assert found.total_memory == found.L2_cache_size == 0
    assert torch_device.get_device_name(0) == "A0"
    assert torch_device.get_device_capability(0) == (9, 0)
    assert torch_device.get_device_capability(1) == (0, 0)


def test_what_torch_has_is_torchs(torch_device):
    assert torch_device.own == "torch's"
    with pytest.raises(AttributeError, match="missing"):
        torch_device.missing


# -------------------------------------------------------------- random numbers


@pytest.fixture
def generator(importable):
    from nereid.flag_gems.generator import Generator

    return Generator()


def test_the_seed_is_drawn_from_torchs_generator(generator):
    import torch

    torch.manual_seed(7)
    expected = torch.empty(3, dtype=torch.int64).random_(-(2**63), None)
    torch.manual_seed(7)
    assert generator.get_state().tolist() == [expected[0].item(), 0]
    # Which has advanced as if torch had drawn that number.
    left = torch.empty(2, dtype=torch.int64).random_(-(2**63), None)
    assert torch.equal(left, expected[1:])


@pytest.mark.parametrize("before", [310, 311, 312, 313])
def test_the_seed_is_right_where_torch_makes_new_numbers(generator, before):
    """After 624 words of 32 bits."""
    import torch

    torch.manual_seed(7)
    expected = torch.empty(before + 1, dtype=torch.int64).random_(-(2**63), None)
    torch.manual_seed(7)
    torch.empty(before, dtype=torch.int64).random_(-(2**63), None)
    assert generator.get_state()[0].item() == expected[before].item()


def test_the_offset_continues_until_torch_is_seeded_again(generator):
    import torch

    def draw(increment):
        state = generator.get_state()
        seed, offset = state.tolist()
        state[1] += increment
        generator.set_state(state)
        return seed, offset

    torch.manual_seed(3)
    seed, offset = draw(8)
    assert offset == 0
    assert draw(4) == (seed, 8) and draw(4) == (seed, 12)
    torch.manual_seed(3)
    assert draw(4) == (seed, 0)
    torch.manual_seed(4)
    assert draw(4)[0] != seed


def test_a_state_of_another_generator_is_refused(generator):
    import torch

    with pytest.raises(ValueError, match="5056 bytes, expected 16"):
        generator.set_state(torch.default_generator.get_state())
