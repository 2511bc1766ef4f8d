"""Innermost loops of x86-64 assembly in AT&T syntax, and what they contain."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import re

# A call leaves the kernel: for the C library or compiler-rt. A spill is a vector
# register that is stored to the stack or read from there, a reload a scalar one.
KINDS = ("call", "gather", "scatter", "spill", "reload")

LABEL = re.compile(r"(\.L[\w.]+):")
INSTRUCTION = re.compile(r"\s+(?:(?:lock|rep|notrack)\s+)?([a-z]\w*)\s*(.*)")
VECTOR = re.compile(r"%([xyz]mm|k)\d")
ENDS = ("jmp", "ret", "retq", "ud2")


@dataclasses.dataclass
class Instruction:
    text: str
    mnemonic: str
    operands: str

    def kind(self):
        """One of KINDS, or None."""
        if self.mnemonic.startswith("call"):
            return "call"
        if "gather" in self.mnemonic:
            return "gather"
        if "scatter" in self.mnemonic:
            return "scatter"
        # With an index it is an element of an array.
        if "(%rsp)" not in self.operands or self.mnemonic.startswith("lea"):
            return None
        return "spill" if VECTOR.search(self.operands) else "reload"


@dataclasses.dataclass
class Block:
    """Instructions that control enters at the first and leaves at the last."""

    label: str
    instructions: list = dataclasses.field(default_factory=list)
    targets: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Loop:
    function: str
    label: str
    instructions: list

    def found(self):
        """Lists of instructions by kind."""
        result = {}
        for instruction in self.instructions:
            if kind := instruction.kind():
                result.setdefault(kind, []).append(instruction)
        return result


def functions(text):
    """The blocks of each function, in order of the text."""
    result, blocks = {}, None
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if match := LABEL.match(line):
            if blocks is not None:
                blocks.append(Block(match[1]))
        elif line and not line[0].isspace() and line.endswith(":"):
            blocks = result[line[:-1]] = [Block(line[:-1])]
        elif blocks is not None and (match := INSTRUCTION.match(line)):
            instruction = Instruction(line.strip(), match[1], match[2])
            blocks[-1].instructions.append(instruction)
            if instruction.mnemonic.startswith("j"):
                blocks.append(Block(""))
    return {
        name: blocks
        for name, blocks in result.items()
        if any(block.instructions for block in blocks)
    }


def connect(blocks):
    """Sets the targets of all blocks."""
    places = {block.label: i for i, block in enumerate(blocks) if block.label}
    for i, block in enumerate(blocks):
        last = block.instructions[-1] if block.instructions else None
        if last and last.operands in places and last.mnemonic.startswith("j"):
            block.targets.append(places[last.operands])
        if (not last or last.mnemonic not in ENDS) and i + 1 < len(blocks):
            block.targets.append(i + 1)


def reachable_order(blocks):
    """The blocks that control reaches, in reverse postorder."""
    order, seen, stack = [], {0}, [(0, iter(blocks[0].targets))]
    while stack:
        block, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(blocks[target].targets)))
                break
        else:
            order.append(block)
            stack.pop()
    return order[::-1]


def dominators(blocks, order, sources):
    """The immediate dominator of each reachable block (Cooper, Harvey, Kennedy)."""
    rank = {block: i for i, block in enumerate(order)}
    above = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            new = None
            for other in (s for s in sources[block] if s in above):
                while new is not None and new != other:
                    if rank[new] > rank[other]:
                        new = above[new]
                    else:
                        other = above[other]
                new = other
            if above.get(block) != new:
                above[block], changed = new, True
    return above


def natural_loops(blocks):
    """The blocks of each loop, by its header."""
    connect(blocks)
    order = reachable_order(blocks)
    sources = {block: [] for block in order}
    for block in order:
        for target in blocks[block].targets:
            sources[target].append(block)
    above = dominators(blocks, order, sources)
    loops = {}
    for block in order:
        for header in blocks[block].targets:
            ancestor = block
            while ancestor != header and above[ancestor] != ancestor:
                ancestor = above[ancestor]
            if ancestor != header:
                continue
            body, waiting = loops.setdefault(header, {header}), [block]
            while waiting:
                inside = waiting.pop()
                if inside not in body:
                    body.add(inside)
                    waiting += sources[inside]
    return loops


def innermost_loops(text):
    """The loops that contain no other loop and call no function of the text."""
    result = []
    found = functions(text)
    for name, blocks in found.items():
        loops = natural_loops(blocks)
        for header, body in loops.items():
            instructions = [i for b in sorted(body) for i in blocks[b].instructions]
            calls = any(
                i.mnemonic.startswith("call") and i.operands in found for i in instructions
            )
            if not calls and not any(other in body for other in loops if other != header):
                result.append(Loop(name, blocks[header].label, instructions))
    return result
