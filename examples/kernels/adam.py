"""One step of AdamW; every state array is updated in place."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, rand, randn


@triton.jit
def adamw_kernel(
    p_ptr,
    g_ptr,
    m_ptr,
    v_ptr,
    lr,
    beta1,
    beta2,
    eps,
    weight_decay,
    step,
    n_elements,
    BLOCK_SIZE: tl.constexpr,
):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    p = tl.load(p_ptr + offsets, mask=mask).to(tl.float32)
    g = tl.load(g_ptr + offsets, mask=mask).to(tl.float32)
    m = tl.load(m_ptr + offsets, mask=mask)
    v = tl.load(v_ptr + offsets, mask=mask)
    p *= 1.0 - lr * weight_decay
    m = beta1 * m + (1.0 - beta1) * g
    v = beta2 * v + (1.0 - beta2) * g * g
    # beta to the power of the step, a float scalar, by exp2 and log2.
    correction1 = 1.0 - tl.exp2(step * tl.log2(beta1))
    correction2 = 1.0 - tl.exp2(step * tl.log2(beta2))
    p -= lr * (m / correction1) / (tl.sqrt(v / correction2) + eps)
    tl.store(p_ptr + offsets, p.to(p_ptr.dtype.element_ty), mask=mask)
    tl.store(m_ptr + offsets, m, mask=mask)
    tl.store(v_ptr + offsets, v, mask=mask)


def _step(name, dtype):
    rng = generator(name)
    n, step = 900, 3
    p, g = randn(rng, n, dtype=dtype), randn(rng, n, dtype=dtype)
    m, v = randn(rng, n, scale=0.1), rand(rng, n)
    lr, beta1, beta2, eps, decay = 0.01, 0.875, 0.96875, 1e-8, 0.1
    args = dict(
        p_ptr=p,
        g_ptr=g,
        m_ptr=m,
        v_ptr=v,
        lr=lr,
        beta1=beta1,
        beta2=beta2,
        eps=eps,
        weight_decay=decay,
        step=float(step),
        n_elements=n,
        BLOCK_SIZE=512,
    )
    new_m = beta1 * m.double() + (1 - beta1) * g.double()
    new_v = beta2 * v.double() + (1 - beta2) * g.double() ** 2
    update = (new_m / (1 - beta1**step)) / ((new_v / (1 - beta2**step)).sqrt() + eps)
    new_p = p.double() * (1 - lr * decay) - lr * update
    return Case(
        name,
        adamw_kernel,
        (cdiv(n, 512),),
        args,
        {
            "p_ptr": near(new_p, dtype),
            "m_ptr": near(new_m, torch.float32),
            "v_ptr": near(new_v, torch.float32),
        },
    )


def cases():
    yield _step("adamw_f32", torch.float32)
    yield _step("adamw_bf16", torch.bfloat16)
