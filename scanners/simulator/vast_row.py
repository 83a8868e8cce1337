"""Rows of a simulated Vast.ai answer, with every field of a real one.

Prices are for the whole slice. They carry the noise of binary fractions on purpose: nobody may compare them as text
or expect round figures.
"""

from __future__ import annotations

import zlib
from typing import Any, Final

from scanners.simulator.machine import Ask, Machine
from scanners.simulator.places import geolocode

DEFAULT_DISK_GB: Final = 8.0

SLICE_FIELDS: Final = frozenset({
    "id", "ask_contract_id", "bundle_id", "num_gpus", "gpu_frac", "gpu_ids", "gpu_total_ram",
    "cpu_cores_effective", "cpu_ram", "disk_space", "dph_base", "dph_total", "dph_total_adj",
    "storage_total_cost", "min_bid", "discounted_dph_total", "search", "instance", "total_flops", "dlperf",
    "dlperf_per_dphtotal", "flops_per_dphtotal", "vram_costperhour", "score", "rentable", "is_bid", "duration",
    "avail_vol_size",
})  # fmt: skip
"""Fields that differ between the slices of one machine; all others are the machine's."""


def noisy(amount: float) -> float:
    """The same amount after a detour through another unit, as the service's own figures are."""
    return amount * 1.1 / 1.1


def machine_row(machine: Machine) -> dict[str, Any]:
    """What all asks of a machine say alike. Kept in the machine until its state changes."""
    if machine.row is None:
        machine.row = _machine_row(machine)
    return machine.row


def _machine_row(machine: Machine) -> dict[str, Any]:
    hardware, card = machine.hardware, machine.hardware.card
    reliability = round(machine.reliability, 7)
    cost = noisy(hardware.inet_cost)
    major, minor, patch = hardware.driver.split(".")
    return {
        "avail_vol_ask_id": None,
        "avail_vol_dph": None,
        "bundled_results": None,
        "bw_nvlink": card.nvlink_gbps,
        "cluster_id": None,
        "compute_cap": card.compute_cap,
        "cpu_arch": "amd64",
        "cpu_cores": hardware.cpu_cores,
        "cpu_ghz": hardware.cpu_ghz,
        "cpu_name": hardware.cpu_name,
        "credit_discount_max": 0.2,
        "cuda_max_good": hardware.cuda,
        "direct_port_count": hardware.ports,
        "discount_rate": 0.0,
        "discounted_hourly": 0.0,
        "disk_bw": hardware.disk_mbps,
        "disk_name": hardware.disk_name,
        "driver_vers": int(major) * 1_000_000 + int(minor) * 1_000 + int(patch),
        "driver_version": hardware.driver,
        "end_date": machine.ends_at,
        "expected_reliability": 0.0,
        "external": None,
        "geolocation": hardware.place,
        "geolocode": geolocode(hardware.place),
        "gpu_arch": card.arch,
        "gpu_display_active": False,
        "gpu_lanes": 16,
        "gpu_max_power": float(card.watts),
        "gpu_max_temp": 60.0 + machine.machine_id % 25,
        "gpu_mem_bw": card.memory_gbps,
        "gpu_name": card.name,
        "gpu_ram": hardware.gpu_ram,
        "has_avx": 1,
        "host_id": machine.host_id,
        "hosting_type": int(hardware.datacenter),
        "hostname": None,
        "inet_down": hardware.inet_down,
        "inet_down_cost": cost,
        "inet_up": hardware.inet_up,
        "inet_up_cost": cost,
        "internet_down_cost_per_tb": cost * 1024,
        "internet_up_cost_per_tb": cost * 1024,
        "is_vm_deverified": machine.machine_id % 9 == 0,
        "logo": "/static/logos/vastai_small2.png",
        "machine_id": machine.machine_id,
        "mobo_name": hardware.mobo_name,
        "nw_disk_avg_bw": None,
        "nw_disk_max_bw": None,
        "nw_disk_min_bw": None,
        "os_version": "24.04" if machine.machine_id % 3 else "22.04",
        "pci_gen": hardware.pci_gen,
        "pcie_bw": round(hardware.pci_gen * 6.1, 1),
        "public_ipaddr": hardware.address,
        "reliability": reliability,
        "reliability2": reliability,
        "reliability_mult": round(reliability**9, 7),
        "rented": False,
        "resource_type": "gpu",
        "rn": 1,
        "sla_broker_rate": None,
        "sla_r_claim": 0.0,
        "sla_sigma_x": None,
        "start_date": machine.listed_at,
        "static_ip": hardware.static_ip,
        "storage_cost": noisy(hardware.storage_cost),
        "target_reliability": 0.0,
        "time_remaining": "",
        "time_remaining_isbid": "",
        "vericode": int(machine.verification == "verified"),
        "verification": machine.verification,
        "vms_enabled": machine.machine_id % 4 == 0,
        "webpage": None,
    }


def slice_row(machine: Machine, ask: Ask, now: float, disk_gb: float, bid: bool) -> dict[str, Any]:
    """What one ask says for itself at `now` (epoch seconds), priced with so much disk, on demand or as a bid."""
    hardware, count = machine.hardware, ask.block.size
    share = count / hardware.gpus
    gpu_base = noisy(machine.price * count)
    min_bid = noisy(machine.price * count * machine.bid_share)
    base = min_bid if bid else gpu_base
    storage = noisy(hardware.storage_cost) * disk_gb / 720
    total = base + storage
    flops = hardware.card.tflops * count
    speed = flops * 1.9
    cores = hardware.cpu_cores
    first = ask.block.first
    return {
        "id": ask.id,
        "ask_contract_id": ask.id,
        "avail_vol_size": None,
        "bundle_id": zlib.crc32(b"%d/%d" % (machine.machine_id, count)),
        "num_gpus": count,
        "gpu_frac": share,
        "gpu_ids": list(hardware.gpu_ids[first : first + count]),
        "gpu_total_ram": hardware.gpu_ram * count,
        "cpu_cores_effective": 0.0 if cores is None else cores * share,
        "cpu_ram": int(hardware.cpu_ram * share),
        "disk_space": hardware.disk_space * share,
        "dph_base": base,
        "dph_total": total,
        "dph_total_adj": total + 2 * noisy(hardware.inet_cost),
        "discounted_dph_total": total,
        "storage_total_cost": storage,
        "min_bid": min_bid,
        "search": _costs(base, storage),
        "instance": _costs(0, storage),
        "total_flops": flops,
        "dlperf": speed,
        "dlperf_per_dphtotal": speed / total if total else None,
        "flops_per_dphtotal": flops / total if total else None,
        "vram_costperhour": base / (hardware.gpu_ram * count / 1000),
        "score": speed * machine.reliability / (total + 0.05),
        "rentable": ask.rentable,
        "is_bid": bid,
        "duration": machine.ends_at - now,
    }


def whole_row(machine: Machine, part: dict[str, Any]) -> dict[str, Any]:
    """The row as it is sent: the machine's fields, the slice's, and odd values that a test has put in their place."""
    return {**machine_row(machine), **part, **machine.hardware.raw}


def _costs(gpu: float, disk: float) -> dict[str, float]:
    return {
        "gpuCostPerHour": gpu,
        "diskHour": disk,
        "slaPremiumPerHour": 0.0,
        "totalHour": gpu + disk,
        "discountTotalHour": 0,
        "discountedTotalPerHour": gpu + disk,
    }
