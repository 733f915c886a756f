# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of iptables-save, as nft and librte_acl want it.

nft's rules say what the iptables rules say, each with a counter; librte_acl has rules of one chain
without conditions of its own, so what is in chains is not for it.
"""
import re

import gen_trace

VERDICTS = {"ACCEPT": "accept", "DROP": "drop", "RETURN": "return"}


def jump(rest, chains):
    """=> a rule's target, and whether it is a chain"""
    m = re.search(r"-[jg] (\S+)", rest)
    return (m[1], m[1] in chains) if m else (None, False)


def conditions(rest, version):
    """=> nft's words for a rule's conditions"""
    box = gen_trace.parse(rest, version)
    ip, icmp = ("ip", "icmp") if version == 4 else ("ip6", "icmpv6")
    out = []
    for side, word in (("src", "saddr"), ("dst", "daddr")):
        value, length = getattr(box, side)
        if length:
            out.append(f"{ip} {word} {address(value, version)}/{length}")
    if box.mac:  # behind the address, as iptables tests them
        out.append(f"ether saddr {box.mac.hex(':')}")
    if box.proto is not None:
        name = {6: "tcp", 17: "udp"}.get(box.proto)
        ports = [f"{name} {side} {low}-{high}" if low < high else f"{name} {side} {low}"
                 for side in ("sport", "dport") for low, high in [getattr(box, side)]
                 if (low, high) != (0, 65535)]
        if box.icmp is not None:
            ports = [f"{icmp} type {box.icmp}"]
        out += ports or [f"meta l4proto {box.proto}"]
    chance = re.search(r"--probability ([\d.]+)", rest)
    if chance:
        out.append(f"numgen random mod 10000 < {round(float(chance[1]) * 10000)}")
    return " ".join(out)


def address(value, version):
    if version == 4:
        return f"{value >> 24}.{value >> 16 & 255}.{value >> 8 & 255}.{value & 255}"
    text = f"{value:032x}"
    return ":".join(text[i:i + 4] for i in range(0, 32, 4))


def nft(text_lines, version):
    """=> lines for nft -f"""
    family, chains, rules, base = ("ip" if version == 4 else "ip6"), {}, {}, {}
    for line in text_lines:
        if line.startswith(":"):
            name, policy = line[1:].split()[:2]
            (base if policy != "-" else chains)[name] = policy
            rules[name] = []
        elif line.startswith("-A "):
            _, chain, rest = (line.rstrip("\n") + " ").split(" ", 2)
            target, is_chain = jump(rest, chains)
            words = [conditions(rest, version), "counter"]
            if is_chain:
                words.append(f"jump {target}")
            elif target == "MARK":
                words.append("meta mark set meta mark or 0x4000")
            elif target:
                words.append(VERDICTS[target])
            rules[chain].append(" ".join(w for w in words if w))
    out = [f"table {family} filter {{"]
    out += [f"chain {name} {{\n}}" for name in chains]
    for name, policy in base.items():
        if rules[name] or policy == "DROP":
            out.append(f"chain {name} {{ type filter hook {name.lower()} priority 0; "
                       f"policy {policy.lower()}; }}")
    out.append("}")
    for name, list_ in rules.items():
        out += [f"add rule {family} filter {name} {rule}" for rule in list_]
    return out


class NotForAcl(Exception):
    """Rules that librte_acl cannot have."""


def acl(text_lines, version, hook):
    """=> lines for acl-cost: the base chain's rules, or those of the one chain it leads to"""
    chains, rules = set(), {}
    for line in text_lines:
        if line.startswith(":") and line.split()[1] == "-":
            chains.add(line[1:].split()[0])
        elif line.startswith("-A "):
            _, chain, rest = (line.rstrip("\n") + " ").split(" ", 2)
            rules.setdefault(chain, []).append(rest)
    first = rules.get(hook, [])
    if len(chains) == 1 and len(first) == 1:
        first = rules.get(jump(first[0], chains)[0], [])
    targets = [jump(rest, chains) for rest in first]
    if any(is_chain for _, is_chain in targets):
        raise NotForAcl("it has no chains")
    if any(name is None for name, _ in targets):
        raise NotForAcl("it has no rules that only count")
    has_mac = any("--mac-source" in rest for rest in first[:100])
    return [numbers(gen_trace.parse(rest, version), version, has_mac) for rest in first]


def numbers(box, version, has_mac):
    sport, dport = box.sport, box.dport
    if box.icmp is not None:
        sport = box.icmp << 8, box.icmp << 8 | 255
    mac = (box.mac.hex() if box.mac else "0") if has_mac else "-"
    proto = f"{box.proto or 0} {0 if box.proto is None else 255}"
    return (f"{2 if version == 4 else 10} {address(box.src[0], version)} {box.src[1]} "
            f"{address(box.dst[0], version)} {box.dst[1]} {proto} {sport[0]}:{sport[1]} "
            f"{dport[0]}:{dport[1]} {mac}")
