"""The main job, shown: real kernels compiled, run, checked and timed."""

import sys

import kernels

TOOL = kernels.ROOT / "build" / "bin" / "nereid"

# A checked case from the test data, and the same kernel at a size worth timing.
SHOWN = [
    ("softmax", "3.6.0/softmax_f32.json", "bench/softmax_1024.json"),
    ("layer norm", "3.6.0/layer_norm_fwd_f32.json", "bench/layer_norm_1024.json"),
    ("matmul", "3.6.0/matmul_f32.json", "bench/matmul_128x128x32_f32.json"),
]


def stage_times(report):
    """The stages of a compile and their milliseconds, in one line."""
    compiled = report["compile"]
    if compiled["from_cache"]:
        return "from the cache"
    return ", ".join(
        f"{stage['name']} {stage['nanoseconds'] / 1e6:.1f} ms"
        for stage in compiled["stages"]
    )


def rate(report):
    """GB/s or GFLOP/s, whichever the work was given in."""
    for key, unit in (
        ("gigaflops", "GFLOP/s"),
        ("gigabytes_per_second", "GB/s"),
    ):
        if key in report:
            return f"{report[key]:.1f} {unit}"
    return "?"


def main():
    commands = []
    for name, checked, timed in SHOWN:
        print(f"\n\033[1m{name}\033[0m", flush=True)
        words = kernels.command(
            TOOL, "run", kernels.DATA / checked, "--target", "cpu"
        )
        commands.append(words)
        report = kernels.run_json(words)
        verdict = "as expected" if report["matches"] else "WRONG"
        print(f"  result   {verdict}, against torch's")
        print(f"  compile  {stage_times(report)}")
        words = kernels.command(
            TOOL, "bench", kernels.DATA / timed, "--target", "cpu"
        )
        commands.append(words)
        bench = kernels.run_json(words)
        median = bench["device_ns"]["median"] / 1e3
        print(f"  launch   {median:.0f} us, {rate(bench)}", flush=True)
        if not report["matches"]:
            sys.exit(f"{name}: the result is wrong")
    print("\nThese were the commands:\n")
    for words in commands:
        print("  " + kernels.shown(words))


if __name__ == "__main__":
    main()
