"""What Triton and programs around it ask of a backend."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import collections
import threading

import pytest
import torch
import triton
import triton.language as tl
from nereid.triton.driver import torch_device
from scaled import scale_kernel
from triton.runtime import driver
from triton.runtime.errors import OutOfResources
from triton.tools.tensor_descriptor import TensorDescriptor

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])


# ---------------------------------------------------------------- arguments
def test_cuda_tensor_is_refused_with_tritons_words():
    class Foreign:
        dtype = torch.float32
        is_cpu = False
        device = "cuda:0"

        def data_ptr(self):
            return 16

    with pytest.raises(ValueError, match=r"Pointer argument \(at 0\) cannot be accessed from Triton \(cpu tensor\?\)"):
        scale_kernel[(1,)](Foreign(), torch.zeros(4), 4, 2.0, BLOCK=4)


def test_object_with_data_ptr():
    class Address:
        dtype = torch.float32

        def __init__(self, tensor):
            self.tensor = tensor

        def data_ptr(self):
            return self.tensor.data_ptr()

    x, out = torch.randn(64), torch.zeros(64)
    scale_kernel[(1,)](Address(x), Address(out), 64, 2.0, BLOCK=64)
    assert torch.equal(out, 2 * x)


@triton.jit
def optional_kernel(out_ptr, bias_ptr, one, flag, BLOCK: tl.constexpr):
    value = tl.zeros([BLOCK], tl.float32) + one
    if bias_ptr is not None:
        value += tl.load(bias_ptr + tl.arange(0, BLOCK))
    if flag:
        value = -value
    tl.store(out_ptr + tl.arange(0, BLOCK), value)


@pytest.mark.parametrize("bias", [None, torch.ones(16)])
@pytest.mark.parametrize("flag", [False, True])
def test_none_one_and_bool(bias, flag):
    out = torch.zeros(16)
    optional_kernel[(1,)](out, bias, 1, flag, BLOCK=16)
    expected = 1.0 + (0 if bias is None else 1)
    assert (out == (-expected if flag else expected)).all()


Pair = collections.namedtuple("Pair", ["ptr", "scale"])


@triton.jit
def tuple_kernel(pair, rest, out_ptr):
    value = tl.load(pair[0]) * pair[1]
    for i in tl.static_range(len(rest)):
        value += rest[i]
    tl.store(out_ptr, value)


def test_tuples_nested_with_constants():
    x, out = torch.tensor([3.0]), torch.zeros(1)
    tuple_kernel[(1,)]((x, 2.0), (10, 1, 20), out)
    assert out.item() == 37
    tuple_kernel[(1,)](Pair(x, 4.0), (tl.constexpr(5),), out)
    assert out.item() == 17


@triton.jit
def host_descriptor_kernel(source, target, M: tl.constexpr, N: tl.constexpr):
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    target.store([row, column], source.load([row, column]) + 1)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_descriptors_of_the_host(padding):
    x, out = torch.randn(20, 36), torch.zeros(24, 40)
    source = TensorDescriptor(x, list(x.shape), list(x.stride()), [8, 16], padding)
    target = TensorDescriptor.from_tensor(out, [8, 16])
    host_descriptor_kernel[(3, 3)](source, target, 8, 16)
    expected = torch.full((24, 40), float("nan") if padding == "nan" else 1.0)
    expected[:20, :36] = x + 1
    assert torch.allclose(out, expected, equal_nan=True)


@triton.jit
def device_descriptor_kernel(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    target = tl.make_tensor_descriptor(out_ptr, [m, n], [n, 1], [M, N])
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    target.store([row, column], source.load([row, column]) * 2)


def test_descriptors_of_the_device():
    x, out = torch.randn(20, 36), torch.zeros(20, 36)
    device_descriptor_kernel[(3, 3)](x, out, 20, 36, 8, 16)
    assert torch.equal(out, 2 * x)


def test_empty_tensor():
    empty = torch.empty(0)
    scale_kernel[(1,)](empty, empty, 0, 2.0, BLOCK=16)


def test_inference_mode_and_strides():
    with torch.inference_mode():
        x = torch.randn(32, 4)[:, 1].contiguous()
        out = torch.zeros(32)
        scale_kernel[(1,)](x, out, 32, 3.0, BLOCK=32)
    assert torch.allclose(out, 3 * x)


# ---------------------------------------------------------------- options
def test_options_of_other_vendors_are_ignored():
    x, out = torch.randn(16), torch.zeros(16)
    options = {"waves_per_eu": 2, "matrix_instr_nonkdim": 16, "kpack": 2, "maxnreg": 64}
    scale_kernel[(1,)](x, out, 16, 2.0, BLOCK=16, **options)
    assert torch.equal(out, 2 * x)


def test_option_of_the_plugin():
    x = torch.zeros(16)
    kernel = scale_kernel[(1,)](x, x, 16, 2.0, BLOCK=16, nereid_opt_level=0)
    assert kernel.metadata.nereid_opt_level == 0


@triton.jit
def fused_kernel(x_ptr, y_ptr, z_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * tl.load(y_ptr + i) + tl.load(z_ptr + i))


@pytest.mark.parametrize(
    "given, fuses",
    [
        ({}, True),
        ({"enable_fp_fusion": True}, True),
        ({"enable_fp_fusion": False}, False),
        ({"nereid_enable_fp_fusion": False}, False),
        ({"enable_fp_fusion": False, "nereid_enable_fp_fusion": True}, True),
    ],
)
def test_fusion_is_as_the_launch_wants_it(given, fuses):
    torch.manual_seed(0)
    x, y, out = torch.rand(64), torch.rand(64), torch.zeros(64)
    for _ in range(2):
        kernel = fused_kernel[(1,)](x, y, -(x * y), out, BLOCK=64, **given)
        assert out.any() == fuses
        assert kernel.metadata.enable_fp_fusion == fuses


@pytest.mark.parametrize("group", ["force_disable_fp_fusion", "default_fp_fusion"])
def test_a_setting_forbids_fusion(group):
    knobs = triton.knobs.language
    if group not in vars(type(knobs)):
        pytest.skip("this Triton has no such setting")
    x, y, out = torch.rand(64), torch.rand(64), torch.zeros(64)
    with knobs.scope():
        setattr(knobs, group, group.startswith("force"))
        fused_kernel.device_caches.clear()
        fused_kernel[(1,)](x, y, -(x * y), out, BLOCK=64)
    fused_kernel.device_caches.clear()
    assert not out.any()


def test_unset_options_are_the_plugins():
    x = torch.zeros(16)
    metadata = scale_kernel[(1,)](x, x, 16, 2.0, BLOCK=16).metadata
    assert (metadata.num_warps, metadata.num_stages) == (4, 2)
    assert metadata.nereid_num_stages is None
    metadata = scale_kernel[(1,)](x, x, 16, 2.0, BLOCK=16, num_stages=3).metadata
    assert (metadata.num_stages, metadata.nereid_num_stages) == (3, 3)


def test_unknown_option_is_refused():
    with pytest.raises(KeyError, match="num_wraps"):
        scale_kernel[(1,)](torch.zeros(4), torch.zeros(4), 4, 2.0, BLOCK=4, num_wraps=4)


def test_warps_share_one_image():
    x = torch.zeros(16)
    kernels = [
        scale_kernel[(1,)](x, x, 16, 2.5, BLOCK=16, num_warps=warps, num_stages=stages)
        for warps in (1, 2, 8)
        for stages in (1, 4)
    ]
    assert len({kernel.asm["so"] for kernel in kernels}) == 1
    assert {kernel.metadata.num_warps for kernel in kernels} == {1, 2, 8}


# ---------------------------------------------------------------- kernels
def test_warmup_compiles_and_launches_nothing():
    kernel = scale_kernel.warmup(torch.float32, torch.float32, 4, 2.0, BLOCK=4, grid=(1,))
    kernel._init_handles()
    assert kernel.n_regs > 0 and kernel.metadata.shared > 0


def test_compiled_kernel_is_launched_again():
    x, out = torch.randn(16), torch.zeros(16)
    kernel = scale_kernel[(1,)](x, x.clone(), 16, 2.0, BLOCK=16)
    kernel[(1, 1, 1)](x, out, 16, 2.0, 16)
    assert torch.equal(out, 2 * x)


@triton.jit
def store_one_kernel(out_ptr, value):
    tl.store(out_ptr, value)


@pytest.mark.parametrize("value", [2**31, 2**40 + 5, -(2**31) - 1, -(2**70)])
def test_integers_that_do_not_fit_a_compiled_kernel(value):
    out = torch.zeros(1, dtype=torch.int64)
    kernel = store_one_kernel[(1,)](out, 7)
    if value == 2**31:  # fits without a sign, as in the API beside Triton
        kernel[(1, 1, 1)](out, value)
        return
    with pytest.raises(OverflowError, match="argument 1 does not fit .* integer of 32 bits"):
        kernel[(1, 1, 1)](out, value)
    assert out.item() == 7


def test_wrong_number_of_arguments():
    x = torch.randn(16)
    kernel = scale_kernel[(1,)](x, x.clone(), 16, 2.0, BLOCK=16)
    with pytest.raises(TypeError, match="3 arguments were given, expected all 5"):
        kernel[(1, 1, 1)](x, x, 16)


@triton.jit
def assert_kernel(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.device_assert(x >= 0, "x is negative")


def test_device_assert_is_a_runtime_error(capfd):
    assert_kernel[(1,)](torch.ones(8), BLOCK=8, debug=True)
    with pytest.raises(RuntimeError, match="device-side assert.*x is negative"):
        assert_kernel[(1,)](-torch.ones(8), BLOCK=8, debug=True)
    assert "x is negative" in capfd.readouterr().err
    assert_kernel[(1,)](-torch.ones(8), BLOCK=8)


@triton.jit
def overflow_kernel(x_ptr, y_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr) + tl.load(y_ptr))


def test_overflow_is_sanitized_in_debug_mode():
    large, out = torch.tensor([2**31 - 1], dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    overflow_kernel[(1,)](large, large, out)
    with pytest.raises(RuntimeError, match="device-side assert"):
        overflow_kernel[(1,)](large, large, out, debug=True)


def test_print(capfd):
    @triton.jit
    def print_kernel(x_ptr):
        tl.device_print("x", tl.load(x_ptr + tl.arange(0, 2)))

    print_kernel[(1,)](torch.tensor([1, 2], dtype=torch.int32))
    lines = capfd.readouterr().out.splitlines()
    assert lines == ["pid (0, 0, 0) idx (0) x: 1", "pid (0, 0, 0) idx (1) x: 2"]


# ---------------------------------------------------------------- autotune
def test_autotune_and_do_bench():
    @triton.autotune(
        configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (16, 64) for w in (1, 4)],
        key=["n"],
    )
    @triton.jit
    def tuned(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + index, tl.load(x_ptr + index, mask=index < n) + 1, mask=index < n)

    x, out = torch.randn(200), torch.zeros(200)
    tuned[lambda meta: (triton.cdiv(200, meta["BLOCK"]),)](x, out, 200)
    assert torch.equal(out, x + 1)
    assert triton.testing.do_bench(lambda: out.add_(1), warmup=1, rep=5) > 0


def test_too_large_a_kernel_is_out_of_resources():
    from nereid._native import library
    from nereid.triton.pipeline import TooLarge

    assert issubclass(TooLarge, OutOfResources)
    assert issubclass(library.Error, RuntimeError)
    assert str(TooLarge("no room")) == "out of resource: no room"


# ---------------------------------------------------------------- driver
def test_device_properties_are_numbers_to_divide_by():
    utils = driver.active.utils
    for device in (None, "cpu", driver.active.get_current_device()):
        facts = utils.get_device_properties(device)
        for name in ("multiprocessor_count", "max_shared_mem", "max_num_regs", "warpSize"):
            assert facts[name] > 0
        warps = 32  # of a large kernel: at least one program of it fits
        assert facts["max_num_regs"] >= warps * facts["warpSize"]


@pytest.mark.parametrize("device", ["cuda", "cpu:1", 1, -1])
def test_devices_that_are_not_there(device):
    with pytest.raises(ValueError, match="is not a device of cpu"):
        driver.active.set_current_device(device)


def test_compiling_for_a_target_without_a_device():
    from triton.backends.compiler import GPUTarget

    source = triton.compiler.ASTSource(scale_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}, {("BLOCK",): 16})  # fmt: skip
    with pytest.raises(ValueError, match="no device of cpu is z80"):
        triton.compile(source, target=GPUTarget("cpu", "z80", 32))


def test_devices_on_which_torch_makes_no_tensors():
    """Torch knows the name "vulkan", but has no memory there."""
    for name in ("vulkan", "apart:1"):
        assert torch_device(name) == torch.device("cpu")


def test_driver_of_a_cpu():
    active = driver.active
    assert active.get_current_device() == torch.cpu.current_device() == "cpu"
    assert active.get_active_torch_device() == torch.device("cpu")
    assert active.get_current_stream("cpu") == 0
    active.set_current_device("cpu")
    events = [active.get_device_interface().Event(enable_timing=True) for _ in range(2)]
    for event in events:
        event.record()
    assert events[0].elapsed_time(events[1]) > 0
    active.clear_cache(active.get_empty_cache_for_benchmark())
    assert active.map_python_to_cpp_type("*fp32") == "void*"
    assert active.map_python_to_cpp_type("u16") == "uint16_t"


def test_libdevice_by_every_name():
    import importlib

    for name in ("cuda", "cpu"):
        library = importlib.import_module(f"triton.language.extra.{name}.libdevice")
        assert callable(library.tanh)


# ---------------------------------------------------------------- threads
@triton.jit
def spin_kernel(out_ptr, n):
    value = 0.0
    for i in range(n):
        value = tl.sqrt(value + i)
    tl.store(out_ptr, value)


def test_other_threads_run_while_a_kernel_does():
    out, steps, stop = torch.zeros(1), [0], threading.Event()
    spin_kernel[(1,)](out, 10)

    def count():
        while not stop.is_set():
            steps[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = steps[0]
    spin_kernel[(1,)](out, 100_000_000)
    during = steps[0] - before
    stop.set()
    thread.join()
    assert during > 1000


def test_threads_compile_and_launch():
    failures = []

    def work(number):
        x, out = torch.randn(64), torch.zeros(64)
        for factor in range(5):
            scale_kernel[(1,)](x, out, 64, float(factor), BLOCK=64, num_stages=number)
            if not torch.equal(out, x * factor):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
