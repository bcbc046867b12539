"""Where rows live: blocks of them, and the one pass over all."""

from rowtrust.engines.base import Block, Engine
from rowtrust.engines.device import DeviceSource
from rowtrust.engines.memory import MemoryEngine
from rowtrust.engines.sources import ArraySource, Chunk, RowSource
from rowtrust.engines.stream import StreamEngine
from rowtrust.engines.together import SharedReading

__all__ = [
    "ArraySource",
    "Block",
    "Chunk",
    "DeviceSource",
    "Engine",
    "MemoryEngine",
    "RowSource",
    "SharedReading",
    "StreamEngine",
]
