"""Linear attention by the gated delta rule, a step at a time, as in
https://arxiv.org/abs/2412.06464: a state of keys and values decays, and each step
replaces what it holds for a key by a part of the step's value."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl
from case import Case, cdiv, generator, near, randn


@triton.jit
def delta_rule_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    decay_ptr,
    beta_ptr,
    o_ptr,
    final_ptr,
    scale,
    T,
    H,
    K: tl.constexpr,
    V: tl.constexpr,
    BLOCK_K: tl.constexpr,
    BLOCK_V: tl.constexpr,
):
    pid = tl.program_id(0)
    blocks = tl.cdiv(V, BLOCK_V)
    head = pid // blocks
    rk = tl.arange(0, BLOCK_K)
    rv = pid % blocks * BLOCK_V + tl.arange(0, BLOCK_V)
    in_k, in_v = rk < K, rv < V
    state = tl.zeros((BLOCK_K, BLOCK_V), dtype=tl.float32)
    for t in range(0, T):
        row = t * H + head
        q = tl.load(q_ptr + row * K + rk, mask=in_k, other=0.0).to(tl.float32) * scale
        k = tl.load(k_ptr + row * K + rk, mask=in_k, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + row * V + rv, mask=in_v, other=0.0).to(tl.float32)
        state *= tl.exp(tl.load(decay_ptr + row))
        v -= tl.sum(state * k[:, None], axis=0)
        v *= tl.load(beta_ptr + row)
        state += k[:, None] * v[None, :]
        o = tl.sum(state * q[:, None], axis=0)
        tl.store(o_ptr + row * V + rv, o.to(o_ptr.dtype.element_ty), mask=in_v)
    final = final_ptr + head * K * V + rk[:, None] * V + rv[None, :]
    tl.store(final, state, mask=in_k[:, None] & in_v[None, :])


def reference(q, k, v, decay, beta, scale):
    """Outputs and the last state; all of float64: [T, H, K], [T, H, V], [T, H]."""
    steps, heads, dim = q.shape
    state = torch.zeros(heads, dim, v.shape[-1], dtype=torch.float64)
    outputs = []
    for t in range(steps):
        state = state * decay[t].exp()[:, None, None]
        change = beta[t][:, None] * (v[t] - torch.einsum("hkv,hk->hv", state, k[t]))
        state = state + k[t][:, :, None] * change[:, None, :]
        outputs.append(torch.einsum("hkv,hk->hv", state, q[t] * scale))
    return torch.stack(outputs), state


def cases():
    steps, heads, dim_k, dim_v = 9, 2, 60, 20
    for name, dtype, tolerance in (
        ("delta_rule_f32", torch.float32, 1e-4),
        ("delta_rule_bf16", torch.bfloat16, 2e-2),
    ):
        rng = generator(name)
        q, v = randn(rng, steps, heads, dim_k).to(dtype), randn(rng, steps, heads, dim_v).to(dtype)
        k = torch.nn.functional.normalize(randn(rng, steps, heads, dim_k), dim=-1).to(dtype)
        decay, beta = -randn(rng, steps, heads).abs(), randn(rng, steps, heads).sigmoid()
        scale = 0.125
        o, final = reference(*(x.double() for x in (q, k, v, decay, beta)), scale)
        args = dict(
            q_ptr=q,
            k_ptr=k,
            v_ptr=v,
            decay_ptr=decay,
            beta_ptr=beta,
            o_ptr=torch.zeros(steps, heads, dim_v, dtype=dtype),
            final_ptr=torch.zeros(heads, dim_k, dim_v),
            scale=scale,
            T=steps,
            H=heads,
            K=dim_k,
            V=dim_v,
            BLOCK_K=64,
            BLOCK_V=8,
        )
        yield Case(
            name,
            delta_rule_kernel,
            (heads * cdiv(dim_v, 8),),
            args,
            {
                "o_ptr": near(o, dtype, tolerance, tolerance),
                "final_ptr": near(final, torch.float32, 1e-4, 1e-4),
            },
        )
