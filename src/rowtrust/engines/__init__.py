"""Where rows live: blocks of them, and the one pass over all."""

from rowtrust.engines.base import Block, Engine
from rowtrust.engines.memory import MemoryEngine

__all__ = ["Block", "Engine", "MemoryEngine"]
