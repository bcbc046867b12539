"""Where rows live: blocks of them, and the one pass over all."""

from rowtrust.engines.base import Block, Engine
from rowtrust.engines.device import DeviceSource, back_to, device_source, on_device, rows_there
from rowtrust.engines.finding import as_source
from rowtrust.engines.lazy import lazily, lazy_audit
from rowtrust.engines.memory import MemoryEngine
from rowtrust.engines.sampling import Sample, collected, draw_sample
from rowtrust.engines.sources import ArraySource, Chunk, RowSource, is_dask
from rowtrust.engines.stream import Prepare, StreamEngine
from rowtrust.engines.together import SharedReading, together

__all__ = [
    "ArraySource",
    "Block",
    "Chunk",
    "DeviceSource",
    "Engine",
    "MemoryEngine",
    "Prepare",
    "RowSource",
    "Sample",
    "SharedReading",
    "StreamEngine",
    "as_source",
    "back_to",
    "collected",
    "device_source",
    "draw_sample",
    "is_dask",
    "lazily",
    "lazy_audit",
    "on_device",
    "rows_there",
    "together",
]
