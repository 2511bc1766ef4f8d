"""The arguments of a row of the table, as `nereid bench` takes them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from rows import kernels


def words(manifest, folder, scratch):
    """Of `manifest`, with the changes of a row; `scratch` is a folder for files."""
    found = kernels.arguments(manifest, folder)
    for index, arg in enumerate(manifest["args"]):
        if "init" not in arg:
            continue
        shape = ",".join(map(str, arg["shape"]))
        init = arg["init"]
        if init.startswith("ends:"):
            init = f"@{_ends(scratch, int(init[5:]), arg['shape'][0])}"
        found[index] = f"{arg['dtype']}[{shape}]={init}"
    return found


def _ends(folder, size, count):
    """A .npy with the last row of each group, all of one size."""
    path = folder / f"ends_{size}_{count}.npy"
    header = repr({"descr": "<i4", "fortran_order": False, "shape": (count,)})
    header = header.ljust(64 * -(-(len(header) + 11) // 64) - 11) + "\n"
    data = b"".join((size * (i + 1)).to_bytes(4, "little") for i in range(count))
    magic = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
    path.write_bytes(magic + header.encode() + data)
    return path
