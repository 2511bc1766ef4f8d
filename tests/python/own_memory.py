"""Kernels on two devices with memory of their own, which work later.

test_transfer.py runs these tests in a process whose device is `apart`.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import gc
import threading

import nereid
import nereid.triton
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from nereid._transfer import Copies
from triton.runtime import driver
from triton.runtime.errors import OutOfResources
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 1024):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, i < n), i < n)


@triton.jit
def double_const(x_ptr: tl.const, out_ptr, n, BLOCK: tl.constexpr = 1024):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, i < n), i < n)


DOUBLE = """
tt.func public @double(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %v = tt.load %x : !tt.ptr<f32>
  tt.store %out, %v : !tt.ptr<f32>
  tt.return
}
"""


@pytest.fixture(autouse=True)
def first_device():
    driver.active.set_current_device(0)
    yield
    # A failure that nobody was told of belongs to the test that caused it.
    for device in (0, 1):
        driver.active.utils.synchronize(device)


@pytest.fixture
def fresh(tmp_path):
    """No kernel of this process, and caches of its own."""
    with triton.knobs.cache.scope(), triton.knobs.compilation.scope():
        triton.knobs.cache.dir = str(tmp_path / "cache")
        triton.knobs.cache.dump_dir = str(tmp_path / "dump")
        triton.knobs.cache.override_dir = str(tmp_path / "override")
        double.device_caches.clear()
        yield tmp_path
    double.device_caches.clear()


def check(n=16):
    """An innocent launch is right."""
    x, out = torch.randn(n), torch.zeros(n)
    double[(1,)](x, out, n)
    assert torch.equal(out, 2 * x)


# ---------------------------------------------------------------- what is copied
def test_views_of_one_storage():
    base = torch.arange(64, dtype=torch.float32)
    double[(1,)](base[8:], base[32:], 16)
    expected = torch.arange(64, dtype=torch.float32)
    expected[32:48] = 2 * expected[8:24]
    assert torch.equal(base, expected)


def test_reinterpreted_tensors():
    """triton.reinterpret() wraps the tensor."""
    x, out = torch.arange(16, dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    wrapped = triton.reinterpret(triton.reinterpret(out, tl.int32), tl.uint32)
    double[(1,)](triton.reinterpret(x, tl.uint32), wrapped, 16)
    assert torch.equal(out, 2 * x)


def test_constant_pointers():
    x, out = torch.randn(1000), torch.zeros(1000)
    double_const[(1,)](x, out, 1000)
    assert torch.equal(out, 2 * x)


def read_only(tmp_path, n):
    path = tmp_path / "weights"
    np.arange(n, dtype=np.float32).tofile(path)
    return np.memmap(path, dtype=np.float32, mode="r")


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_memory_that_is_only_read_is_not_written(fresh):
    hits = []
    triton.knobs.compilation.listener = lambda *, cache_hit, **_: hits.append(cache_hit)
    for _ in range(2):  # compiled, and then from Triton's cache
        x, out = torch.from_numpy(read_only(fresh, 64)), torch.zeros(64)
        double[(1,)](x, out, 64)
        assert torch.equal(out, 2 * x)
        double.device_caches.clear()
    assert hits == [False, True]


@triton.jit
def many(pair, source, target, only_read, N: tl.constexpr):
    value = source.load([0, 0])
    target.store([0, 0], value)
    tl.store(pair[1], tl.load(pair[0]) + tl.load(only_read))


def test_what_is_written_is_known_of_tuples_and_descriptors():
    def described():
        return TensorDescriptor.from_tensor(torch.zeros(8, 16), [8, 16])

    x = torch.zeros(4)
    kernel = many.warmup((x, x), described(), described(), x, N=3, grid=(1,))
    written = list(kernel.metadata.written_arguments)
    # Two pointers; descriptors with two sizes and strides each; a pointer.
    read, stored, size = [False], [True], [False] * 4
    assert written == read + stored + read + size + stored + size + read


def test_storages_that_overlap_are_one_region():
    memory = np.zeros(96, dtype=np.float32)
    memory[:64] = np.arange(64)
    x, out = torch.from_numpy(memory[:64]), torch.from_numpy(memory[32:])
    double[(1,)](x, out, 16)
    assert np.array_equal(memory[32:48], 2 * np.arange(16, dtype=np.float32))
    assert np.array_equal(memory[48:64], np.arange(48, 64, dtype=np.float32))


@pytest.mark.parametrize("shift", [0, 4, 8, 48])
def test_addresses_keep_their_alignment(shift):
    data = np.zeros(1024, dtype=np.uint8)
    start = -data.ctypes.data % 64 + shift
    tensor = torch.from_numpy(data[start : start + 64])
    with Copies(driver.active.utils.backend, "apart", 0, 0) as copies:
        copies.add(tensor, True)
        copies.copy_in()
        assert copies.address_of(tensor) % 64 == shift
        copies.copy_out()


def test_objects_of_unknown_size_are_refused():
    class Address:
        dtype = torch.float32

        def data_ptr(self):
            return 16

    with pytest.raises(ValueError, match="cannot be accessed from Triton"):
        double[(1,)](Address(), torch.zeros(16), 10)
    check()


def test_threads_that_write_parts_of_one_storage():
    """The first launch stands still between its copies; the second must not copy
    the storage back in the meantime, or the first one undoes its work."""
    both, x = torch.zeros(128), torch.ones(64)
    done, launched = threading.Event(), []

    def stand_still(_):
        launched.append(threading.get_ident())
        if len(launched) == 1:
            second.start()
            done.wait(0.5)

    def launch(part):
        double[(1,)](x, both[64 * part :], 64)
        if part:
            done.set()

    first = threading.Thread(target=launch, args=(0,))
    second = threading.Thread(target=launch, args=(1,))
    launch(0)
    both.zero_()
    hooks = triton.knobs.runtime.launch_enter_hook
    hooks.add(stand_still)
    try:
        first.start()
        first.join()
        second.join()
    finally:
        hooks.remove(stand_still)
    assert (both == 2).all()


# ---------------------------------------------------------------- failures
def test_a_refused_launch_waits_for_its_copies():
    x, out = torch.randn(100_000), torch.zeros(100_000)
    with pytest.raises(nereid.Error, match="the grid is too large"):
        double[(2000,)](x, out, 16)
    check()


def test_a_failing_copy_waits_for_the_kernel():
    x, out = torch.randn(16), torch.zeros(1 << 20)
    with pytest.raises(nereid.Error, match="a copy to the host is too long"):
        double[(1,)](x, out, 16)
    check()


def test_a_fault_is_reported_once():
    with pytest.raises(nereid.Error, match="work leaves its allocation"):
        double[(1,)](torch.randn(16), torch.zeros(16), 1000)
    check()


# ---------------------------------------------------------------- options
def assembly(**options):
    x = torch.zeros(16)
    kernel = double[(1,)](x, x, 16, **options)
    return kernel.asm["apart-asm"].splitlines()[1], kernel.metadata


@pytest.mark.parametrize(
    "given, expected",
    [
        ({}, "warps 2 stages 1 fast 0"),
        ({"num_warps": 8}, "warps 8 stages 1 fast 0"),
        ({"num_warps": 4}, "warps 4 stages 1 fast 0"),
        ({"num_stages": 2}, "warps 2 stages 2 fast 0"),
        ({"num_warps": 8, "nereid_num_warps": 1}, "warps 1 stages 1 fast 0"),
        # The default of triton.Config, which the plugin's range excludes.
        ({"num_stages": 3}, "warps 2 stages 1 fast 0"),
        ({"num_ctas": 2, "waves_per_eu": 1}, "warps 2 stages 1 fast 0"),
        ({"nereid_fast": True}, "warps 2 stages 1 fast 1"),
        ({"nereid_fast": "true"}, "warps 2 stages 1 fast 1"),
        ({"nereid_fast": "False"}, "warps 2 stages 1 fast 0"),
    ],
)
def test_options_reach_the_plugin(given, expected):
    for _ in range(2):
        text, metadata = assembly(**given)
        assert text == expected
        words = expected.split()
        assert (metadata.num_warps, metadata.num_stages) == (int(words[1]), int(words[3]))


def test_options_are_part_of_the_keys():
    hashes = [assembly(**it)[1].hash for it in ({}, {"num_warps": 4}, {"num_warps": 8})]
    assert len(set(hashes)) == 3


def test_options_out_of_range():
    with pytest.raises(OutOfResources, match="num_warps is 32, expected 1 to 16"):
        assembly(num_warps=32)
    with pytest.raises(nereid.Error, match="num_warps"):
        assembly(nereid_num_warps=32)
    with pytest.raises(AssertionError, match="power of 2"):
        assembly(num_warps=3)


def test_the_autotuner_skips_what_the_plugin_cannot_do():
    configs = [triton.Config({"BLOCK": 1024}, num_warps=w) for w in (64, 32, 8)]
    tuned = triton.autotune(configs=configs, key=["n"])(double)
    x, out = torch.randn(100), torch.zeros(100)
    tuned[(1,)](x, out, 100)
    assert torch.equal(out, 2 * x)
    assert tuned.best_config.num_warps == 8


# ---------------------------------------------------------------- devices
def test_kernels_are_compiled_for_the_current_device():
    active = driver.active
    for device, arch in ((0, "one"), (1, "two"), ("apart:0", "one"), ("apart:1", "two")):
        active.set_current_device(device)
        target = active.get_current_target()
        assert (target.backend, target.arch, target.warp_size) == ("apart", arch, 32)
        check()
        kernel = double.warmup(torch.float32, torch.float32, 16, grid=(1,))
        assert f"apart {arch} " in kernel.asm["apart-asm"]


@pytest.mark.parametrize("device", ["cpu", -1, 2, "apart:2", "apart:x", "cuda:0", 2**32, True])
def test_devices_that_are_not_there(device):
    with pytest.raises(ValueError, match="is not a device of apart, expected apart:0 to apart:1"):
        driver.active.set_current_device(device)
    assert driver.active.get_current_device() == "apart:0"


def on_another_thread(work):
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


@pytest.mark.parametrize("number", [1, 0])
def test_the_chosen_device_is_every_threads(number):
    before = driver.active
    try:
        nereid.triton.activate(f"apart:{number}")
        assert driver.active.get_current_device() == f"apart:{number}"
        assert on_another_thread(driver.active.get_current_device) == f"apart:{number}"
        on_another_thread(check)
        driver.active.set_current_device(1 - number)
        assert on_another_thread(driver.active.get_current_device) == f"apart:{number}"
        assert driver.active.get_current_device() == f"apart:{1 - number}"
    finally:
        driver.set_active(before)


def test_device_numbers_are_not_cut():
    backend = driver.active.utils.backend
    for call in (
        lambda: backend.allocate(2**32, 4),
        lambda: backend.set_current_device(2**32),
        lambda: backend.current_stream(2**32),
        lambda: backend.synchronize(2**32, 0),
        lambda: backend.event(2**32),
        lambda: backend.target(-1),
    ):
        with pytest.raises(ValueError, match="is not the number of a device"):
            call()
    with pytest.raises(OverflowError):
        backend.allocate(0, 2**64)


# ---------------------------------------------------------------- overriding
def override(fresh, extension, change):
    """Dumps a kernel, changes one file of it, and compiles it with that file."""
    x, out = torch.ones(16), torch.zeros(16)
    triton.knobs.compilation.dump_ir = True
    double[(1,)](x, out, 16)
    triton.knobs.compilation.dump_ir = False
    dumped = next((fresh / "dump").rglob(f"double.{extension}"))
    file = fresh / "override" / dumped.relative_to(fresh / "dump")
    file.parent.mkdir(parents=True)
    file.write_bytes(change(dumped.read_bytes()))
    double.device_caches.clear()
    triton.knobs.compilation.override = True
    triton.knobs.compilation.always_compile = True
    kernel = double[(1,)](x, out, 16)
    return kernel, out


def test_a_vendors_stage_is_overridden(fresh):
    kernel, out = override(
        fresh, "apart-asm", lambda text: text.replace(b"factor 2", b"factor 3") + b"\xff\xfe"
    )
    assert (out == 3).all()
    assert b"\xff\xfe" in kernel.asm["apart-bin"]  # bytes as they are
    assert kernel.metadata.written_arguments is None  # it may store anywhere


def test_a_vendors_image_is_overridden(fresh):
    kernel, out = override(fresh, "apart-bin", lambda image: image)
    assert (out == 2).all()
    double.device_caches.clear()
    folder = fresh / "damaged"
    folder.mkdir()
    triton.knobs.cache.dir = str(folder)
    file = next((fresh / "override").rglob("*.apart-bin"))
    file.write_bytes(b"nothing")
    with pytest.raises(nereid.Error, match="not a saved kernel"):
        double[(1,)](torch.zeros(16), torch.zeros(16), 16)


# ---------------------------------------------------------------- without Triton
def test_launch_copies_tensors_of_the_host():
    kernel = nereid.compile(DOUBLE, "apart:1")
    x, out = torch.randn(64), torch.zeros(64)
    kernel.launch((1,), x, out, 64)
    assert torch.equal(out, 2 * x)
    with pytest.raises(TypeError, match="takes 3 arguments, 2 were given"):
        kernel.launch((1,), x, out)
    with pytest.raises(TypeError, match="argument 0 is a ndarray"):
        kernel.launch((1,), np.zeros(4, np.float32), out, 4)


def test_launch_on_memory_of_the_device():
    kernel = nereid.compile(DOUBLE, "apart")
    x = np.arange(64, dtype=np.float32)
    with nereid.allocate(256, "apart") as source, nereid.allocate(256, "apart") as target:
        assert (source.size, source.device) == (256, "apart:0")
        source.copy_from(x)
        stream = nereid.Stream("apart")
        kernel.launch((1,), source, target, 64, stream=stream)
        result = torch.zeros(64)
        target.copy_to(result, stream=stream)
        assert np.array_equal(result.numpy(), 2 * x)
        mixed = torch.zeros(64)
        kernel.launch((1,), source.address, mixed, 64)
        assert np.array_equal(mixed.numpy(), 2 * x)
    with pytest.raises(ValueError, match="the memory has been freed"):
        source.address
    with nereid.allocate(256, "apart:1") as other:
        with pytest.raises(ValueError, match="memory of apart:1 was given to apart:0"):
            kernel.launch((1,), other, other, 64)


def test_memory_is_freed_after_its_work():
    kernel = nereid.compile(DOUBLE, "apart")
    memory = nereid.allocate(256, "apart")
    memory.fill(b"\0\0\x80\x3f")
    kernel.launch((1,), memory, memory, 64, stream=nereid.Stream("apart"))
    memory.free()
    memory.free()
    leaked = nereid.allocate(256, "apart")
    kernel.launch((1,), leaked, leaked, 64)
    del leaked
    gc.collect()  # the fixture finds a fault of the device


def test_copies_and_fills():
    a, b = nereid.allocate(16, "apart"), nereid.allocate(16, "apart")
    a.fill(b"\x05")
    nereid.fill(b, b"\1\2")
    a.fill(b"\7\7\7\7", offset=4, count=2)
    nereid.copy(b, a, 8)
    host = bytearray(16)
    nereid.copy(host, b)
    assert host == b"\5\5\5\5\7\7\7\7" + b"\1\2" * 4
    nereid.copy(a, bytes(range(16)))
    a.copy_to(host)
    assert host == bytes(range(16))
    a.copy_from(b"xy", offset=14)
    part = np.zeros(4, np.uint8)
    a.copy_to(part, offset=12)
    assert bytes(part) == b"\x0c\x0dxy"


def test_wrong_copies_are_refused():
    a = nereid.allocate(16, "apart")
    with pytest.raises(ValueError, match="17 bytes at offset 0 leave the memory"):
        a.copy_from(bytes(17))
    with pytest.raises(ValueError, match="leave the memory"):
        a.copy_to(bytearray(4), offset=-4)
    with pytest.raises(BufferError):
        a.copy_to(bytes(4))
    with pytest.raises(ValueError, match="contiguous tensor of the host"):
        a.copy_from(torch.zeros(2, 2).t())
    with pytest.raises(ValueError, match="a pattern of 3 bytes"):
        a.fill(b"abc")
    with pytest.raises(TypeError, match="memory of a device"):
        nereid.copy(bytearray(4), bytes(4))
    with pytest.raises(ValueError, match="leave the memory"):
        nereid.copy(nereid.allocate(8, "apart:1"), a)


def test_copies_between_devices():
    a, b = nereid.allocate(16, "apart:0"), nereid.allocate(16, "apart:1")
    a.fill(b"\5", stream=nereid.Stream("apart:0"))
    nereid.copy(b, a)
    b.fill(b"\6", offset=8)
    host = bytearray(16)
    b.copy_to(host)
    assert host == b"\5" * 8 + b"\6" * 8
    nereid.copy(a, b, 12)
    a.copy_to(host)
    assert host == b"\5" * 8 + b"\6" * 4 + b"\5" * 4


def test_host_memory():
    pinned = nereid.allocate_host(64, "apart")
    view = np.frombuffer(pinned, np.uint8)
    view[:] = np.arange(64)
    assert len(pinned) == 64 and pinned.address == view.ctypes.data
    del pinned
    gc.collect()
    with nereid.allocate(64, "apart") as memory:
        memory.copy_from(view)  # it lives as long as a view of it
        back = nereid.allocate_host(64, "apart")
        memory.copy_to(back)
    assert bytes(back) == bytes(range(64))
    assert len(nereid.allocate_host(0, "apart")) == 0
    with pytest.raises(ValueError, match="the size is -1"):
        nereid.allocate_host(-1, "apart")


def test_memory_info():
    with pytest.raises(nereid.Error) as caught:
        nereid.memory_info("apart")
    assert caught.value.status == "unimplemented"


# ---------------------------------------------------------------- frontend
@triton.jit
def use(x_ptr, DTYPE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(x_ptr + i, tl.load(x_ptr + i).to(DTYPE).to(tl.float32))


@triton.jit
def dot(x_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    a = tl.full((M, K), 1.0, tl.float32)
    b = tl.full((K, N), 1.0, tl.float32)
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(x_ptr + i, tl.dot(a, b, input_precision=PRECISION))


def ttir_of(kernel, signature, constants):
    source = triton.compiler.ASTSource(kernel, signature, constants)
    return triton.compile(source, target=driver.active.get_current_target()).asm["ttir"]


def cast_to(dtype):
    return ttir_of(use, {"x_ptr": "*fp32", "DTYPE": "constexpr"}, {"DTYPE": dtype})


def dot_of(m, n, k, precision=None):
    constants = {"M": m, "N": n, "K": k, "PRECISION": precision}
    signature = {"x_ptr": "*fp32", **dict.fromkeys(constants, "constexpr")}
    return ttir_of(dot, signature, constants)


def test_types_that_the_target_lacks_are_refused_at_their_line():
    assert "f8E5M2" in cast_to(tl.float8e5)
    with pytest.raises(triton.CompilationError, match="fp8e4nv not supported") as caught:
        cast_to(tl.float8e4nv)
    assert "tl.load(x_ptr + i).to(DTYPE)" in str(caught.value)
    driver.active.set_current_device(1)
    assert "f8E4M3FN" in cast_to(tl.float8e4nv)


def test_dots_that_the_target_lacks_are_refused_at_their_line():
    assert "inputPrecision = tf32" in dot_of(8, 16, 32)  # the target's default
    assert "inputPrecision = tf32" not in dot_of(8, 16, 32, "ieee")
    with pytest.raises(triton.CompilationError, match="M >= 8, N >= 16 and K >= 32"):
        dot_of(8, 16, 16)
    with pytest.raises(triton.CompilationError, match="input_precision must be one of"):
        dot_of(8, 16, 32, "tf32x3")


def test_streams_and_events():
    stream = nereid.Stream("apart:1")
    start, end = nereid.Event("apart:1"), nereid.Event("apart:1")
    start.record(stream)
    end.record(stream)
    assert start.elapsed(end) == 1000.0
    assert end.query()
    end.synchronize()
    nereid.Stream("apart:1", priority=2).wait_event(end)
    end.wait()
    untimed = nereid.Event("apart:1", timing=False)
    untimed.record()
    memory, other = nereid.allocate(16, "apart:1"), nereid.allocate(16, "apart:1")
    nereid.copy(memory, other, stream=stream)
    assert not stream.query()
    nereid.synchronize("apart:1")
    assert stream.query()
    backend = driver.active.utils.backend
    with stream:
        assert backend.current_stream(1) == stream.handle
    assert backend.current_stream(1) == 0
    stream.synchronize()
    nereid.synchronize("apart:1", stream)
    nereid.synchronize("apart:1")
    stream.destroy()
    stream.destroy()
    with pytest.raises(ValueError, match="the stream has been destroyed"):
        stream.handle


def test_imported_objects():
    owner = nereid.allocate(64, "apart")
    memory = nereid.import_memory("apart.pointer", owner.address, 64, "apart", owner=owner)
    memory.copy_from(bytes(64))
    memory.free()
    owner.copy_from(bytes(64))  # it lives on
    stream = nereid.import_stream("apart.queue", 7, "apart")
    assert stream.handle == 1007
    stream.synchronize()
    with pytest.raises(nereid.Error, match="expected an apart.queue") as caught:
        nereid.import_stream("cuda.stream", 7, "apart")
    assert caught.value.status == "unimplemented"
    with pytest.raises(nereid.Error, match="expected an apart.pointer"):
        nereid.import_memory("cuda.pointer", 16, 16, "apart")


def test_the_program_of_the_readme(program_of_readme):
    names = {"ttir": DOUBLE, "target": "apart"}
    exec(program_of_readme, names)
    assert names["nanoseconds"] > 0
    assert (names["result"] == 2).all()
