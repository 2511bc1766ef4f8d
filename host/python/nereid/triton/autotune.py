"""`@triton.autotune` on the store of tuned results (docs/tuning.md).

What one process has timed, the next one does not time again, and of configurations
from which the same kernel is compiled one is timed. Only the timing is saved: which
configurations there are, hooks and pruning remain Triton's. Python calls
`Autotuner.check_disk_cache` before it times, if `cache_results` is true.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import triton
from triton import knobs
from triton.runtime.autotuner import Autotuner, Config
from triton.runtime.driver import driver as drivers

from .. import _native
from . import same_kernel, versions

_MODES = ("off", "use", "record", "on")
_FAILED = (math.inf,) * 3
# The 80 % quantile of the normal distribution. Triton measures the quantiles of
# 20 and 80 %.
_DEVIATIONS_TO_QUANTILE = 0.8416
# A configuration is timed again for another key, however near.
_EXACT_KEYS_ONLY = 1e-9


def is_enabled() -> bool:
    """False for NEREID_TUNING=off. The decorator asks for tuning, so that all other
    modes mean the same here."""
    mode = os.environ.get("NEREID_TUNING") or "use"
    if mode not in _MODES:
        raise ValueError(f"NEREID_TUNING is '{mode}', expected one of {', '.join(_MODES)}")
    return mode != "off"


@functools.lru_cache(maxsize=None)
def _open(path: str) -> Any:
    """The store of NEREID_TUNED, which `path` is, or the user's own."""
    store = _native.require().open_tuned(path)
    facts = json.loads(store.info())
    for notice in facts["notices"]:
        warnings.warn(f"nereid: {notice}", stacklevel=2)
    return store


@functools.lru_cache(maxsize=None)
def _origin(backend: Any, device: int) -> tuple:
    """Who compiles and where, as native functions expect it. Triton makes the
    plugin's input, so that another release of it is another compiler."""
    facts = json.loads(_native.require().origin(backend, device))
    dependencies = facts["compiler_dependencies"]
    facts["compiler_dependencies"] = (
        f"{dependencies}{'; ' if dependencies else ''}triton {triton.__version__}"
    )
    return tuple(facts.values())


@functools.lru_cache(maxsize=None)
def _warn_that_nothing_is_stored(reason: str) -> None:
    warnings.warn(f"nereid: timings are not stored: {reason}", stacklevel=2)


class _NotNamed(Exception):
    """A value that another process may not recognize."""


def _name(value: Any) -> Any:
    """`value` as JSON, by name: types and functions have one."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_name(item) for item in value]
    if isinstance(value, triton.language.constexpr):
        return _name(value.value)
    if isinstance(value, triton.language.dtype) or type(value).__module__ == "torch":
        text = str(value)
        if text.isidentifier() or text.startswith("torch."):
            return text
    if isinstance(value, triton.JITFunction):
        return f"{value.__name__} {value.cache_key}"
    raise _NotNamed


def _object(values: dict[str, Any]) -> str:
    return json.dumps({name: _name(value) for name, value in values.items()}, sort_keys=True)


def _key(tuner: Autotuner, key: tuple, arguments: dict[str, Any]) -> str:
    """The tuning key, with names."""
    arguments = {name: value for name, value in arguments.items() if name in tuner.arg_names}
    named = {name: arguments[name] for name in tuner.keys if name in arguments}
    types = {
        f"{name}.dtype": str(value.dtype)
        for name, value in arguments.items()
        if hasattr(value, "dtype")
    }
    if len(named) + len(types) != len(key) or (*named.values(), *types.values()) != key:
        raise _NotNamed  # a subclass has keys of its own
    return _object({**named, **types})


def _protocol(tuner: Autotuner) -> str:
    """How times are measured; those of two functions are not compared."""
    function = tuner._do_bench
    if function is None:
        return "triton.testing.do_bench"
    name = f"{function.__module__}.{getattr(function, '__qualname__', type(function).__name__)}"
    limits = [tuner.num_warmups, tuner.num_reps]
    return name if limits == [None, None] else f"{name} {limits[0]} {limits[1]}"


def _source(function: Any) -> str:
    """The digest of a kernel with the functions that it calls, and of the settings
    that change what Triton makes of it."""
    settings = sorted(versions.settings_of_compilations().items())
    text = json.dumps([function.cache_key, settings])
    return hashlib.sha256(text.encode()).hexdigest()


class _Tuning:
    """The timings of one kernel for one key."""

    def __init__(self, tuner: Autotuner, key: tuple, configs: Sequence[Config], call: tuple):
        utils = drivers.active.utils
        function = tuner.fn
        while not isinstance(function, triton.JITFunction):
            function = function.fn
        positional, named = call
        self._tuner = tuner
        self._call = call
        self._names = {config: _object(config.all_kwargs()) for config in configs}
        if len(set(self._names.values())) != len(configs):
            raise _NotNamed  # they differ in their hooks alone
        arguments = {**dict(zip(tuner.arg_names, positional)), **named}
        source = _source(function)
        self._place = (
            _origin(utils.backend, utils.index_of(None)),
            f"triton:{function.__name__}",
            _key(tuner, key, arguments),
            source[:16],
        )
        self._source = source
        self._protocol = _protocol(tuner)
        self._store = _open(os.environ.get("NEREID_TUNED", ""))
        self._known: dict[Config, Sequence[float]] = {}

    def choose(self) -> Config | None:
        """The best stored configuration; None if one of them has to be timed."""
        found = self._store.lookup(*self._place, self._protocol, _EXACT_KEYS_ONLY)
        choice = json.loads(found)["choice"]
        if choice is None:
            return None
        stored = {
            json.dumps(row["configuration"], sort_keys=True): _timing(row)
            for row in choice["group"]
        }
        timings = {
            config: stored[name] for config, name in self._names.items() if name in stored
        }
        if len(timings) < len(self._names):
            # Times of another device cannot be compared with what is timed now.
            if choice["trust"] == "same" and choice["protocol"] == self._protocol:
                self._known = timings
            return None
        self._known = timings
        for config in sorted(timings, key=lambda config: timings[config][0]):
            if math.isinf(timings[config][0]):
                break
            if self._loads(config):
                return config
            timings[config] = _FAILED
        return None

    @property
    def timings(self) -> dict[Config, list[float]]:
        return {config: list(timing) for config, timing in self._known.items()}

    def timing(self, config: Config) -> list[float] | None:
        known = self._known.get(config)
        return None if known is None else list(known)

    def _loads(self, config: Config) -> bool:
        """Whether the kernel can be compiled and loaded. If not, its result is set
        aside for the processes that follow. A configuration with a hook, which may
        change the arguments, is only tried by the launch."""
        if config.pre_hook is not None:
            return True
        positional, named = self._call
        options = {**named, **config.all_kwargs(), "warmup": True}
        try:
            versions.load(self._tuner.fn.run(*positional, **options))
        except Exception as error:
            self._record(config, "failed", "run", note=str(error)[:1000])
            return False
        return True

    def record(self, config: Config, timing: Any) -> None:
        """Stores what the benchmarker returned: three quantiles, or one time."""
        quantiles = list(timing) if isinstance(timing, (list, tuple)) else [timing]
        if not quantiles or not math.isfinite(quantiles[0]):
            self._record(config, "failed", self._protocol, note="cannot be compiled or loaded")
            return
        spread = 0.0
        if len(quantiles) == 3:
            spread = abs(quantiles[2] - quantiles[1]) / (2 * _DEVIATIONS_TO_QUANTILE)
        self._record(
            config,
            "ok",
            self._protocol,
            median=max(quantiles[0], 0.0) * 1e6,
            spread=spread * 1e6 if math.isfinite(spread) else 0.0,
            samples=len(quantiles),
        )

    def _record(self, config: Config, status: str, protocol: str, **facts: Any) -> None:
        name = self._names.get(config)
        if name is None:
            return  # one that was not announced
        try:
            self._store.record(
                *self._place, name, status, protocol, source=self._source, **facts
            )
        except _native.require().Error as error:
            _warn_that_nothing_is_stored(str(error))


def _timing(row: dict[str, Any]) -> Sequence[float]:
    """In milliseconds, as the benchmarker returns it."""
    if row["status"] != "ok" or row["quarantine"]:
        return _FAILED
    median, spread = row["median_ns"] / 1e6, row["spread_ns"] / 1e6
    distance = spread * _DEVIATIONS_TO_QUANTILE
    return median, max(median - distance, 0.0), median + distance


def _memory(tensor: Any) -> Any:
    """A view of the tensor without autograd, with each element once."""
    sizes = [size if step else 1 for size, step in zip(tensor.shape, tensor.stride())]
    return tensor.data.as_strided(sizes, tensor.stride())


def _addresses(tensor: Any) -> range:
    elements = 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))
    start = tensor.data_ptr()
    return range(start, start + elements * tensor.element_size())


def _may_overlap(one: Any, other: Any) -> bool:
    one_has, other_has = _addresses(one), _addresses(other)
    is_apart = one_has.stop <= other_has.start or other_has.stop <= one_has.start
    return one.device == other.device and not is_apart


@contextlib.contextmanager
def _restored(arguments: Iterable[Any]) -> Iterator[None]:
    """Restores the tensors of a call that works in place, which passes the same
    memory as input and as output: the kernel is run many times to be timed."""
    torch = sys.modules.get("torch")
    kind = torch.Tensor if torch else ()
    tensors = [
        it
        for it in arguments
        if isinstance(it, kind) and it.layout is torch.strided and not it.is_nested and it.numel()
    ]
    passed_twice = {
        id(it): it
        for pair in itertools.combinations(tensors, 2)
        if _may_overlap(*pair)
        for it in pair
    }
    memory = [_memory(it) for it in passed_twice.values()]
    saved = [it.clone() for it in memory]
    try:
        yield
    finally:
        for it, before in zip(memory, saved):
            it.copy_(before)


def _is_ours(tuner: Autotuner) -> bool:
    from .driver import NereidDriver

    return (
        not knobs.runtime.interpret
        and isinstance(drivers.active, NereidDriver)
        and is_enabled()
    )


def _tuning_of(
    tuner: Autotuner, key: tuple, configs: Sequence[Config], benchmark: Callable
) -> _Tuning | None:
    call = versions.call_of_benchmark(benchmark)
    if call is None or not _is_ours(tuner):
        return None
    try:
        return _Tuning(tuner, key, configs, call)
    except _NotNamed:
        return None


class _CachesResults:
    """`Autotuner.cache_results`: true where the store is used, else what the program
    wants."""

    def __get__(self, tuner: Autotuner | None, owner: type) -> bool:
        if tuner is None:
            return False
        return vars(tuner).get("cache_results", False) or _is_ours(tuner)

    def __set__(self, tuner: Autotuner, value: bool) -> None:
        vars(tuner)["cache_results"] = value


def install() -> None:
    """Makes autotuners on Nereid's devices use the store."""
    if isinstance(vars(Autotuner).get("cache_results"), _CachesResults):
        return
    check_disk_cache = Autotuner.check_disk_cache
    bench = Autotuner._bench
    prune = Autotuner.prune_configs

    @functools.wraps(prune)
    def pruned(self: Autotuner, *args: Any):
        self._nereid_timings = {}  # of the call that is about to be tuned
        return prune(self, *args)

    @functools.wraps(check_disk_cache)
    def check(self: Autotuner, key: tuple, configs: Sequence[Config], benchmark: Callable):
        def time_them() -> bool:
            if vars(self).get("cache_results"):
                return check_disk_cache(self, key, configs, benchmark)
            benchmark()
            return False

        tuning = _tuning_of(self, key, configs, benchmark)
        if tuning is None:
            return time_them()
        best = tuning.choose()
        if best is not None:
            self.cache[key] = best
            self.configs_timings = tuning.timings
            return True
        self._nereid_tuning = tuning
        try:
            return time_them()
        finally:
            del self._nereid_tuning

    @functools.wraps(bench)
    def timed(self: Autotuner, *args: Any, config: Config, **meta: Any):
        if not _is_ours(self):
            return bench(self, *args, config=config, **meta)
        tuning = vars(self).get("_nereid_tuning")
        known = tuning.timing(config) if tuning else None
        timings = vars(self).setdefault("_nereid_timings", {})
        utils = drivers.active.utils
        kernel = same_kernel.identity(
            self, config, (args, meta), utils.backend, utils.index_of(None)
        )
        if known is not None:
            return timings.setdefault(kernel, known)
        timing = timings.get(kernel)
        if timing is None:
            with _restored((*args, *meta.values())):
                timing = timings[kernel] = bench(self, *args, config=config, **meta)
        if tuning:
            tuning.record(config, timing)
        return timing

    Autotuner.prune_configs = pruned
    Autotuner.check_disk_cache = check
    Autotuner._bench = timed
    Autotuner.cache_results = _CachesResults()
