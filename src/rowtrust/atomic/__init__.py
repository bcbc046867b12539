"""Files and folders that appear whole or not at all, whenever the process that writes them is killed."""

from rowtrust.atomic.files import written_aside
from rowtrust.atomic.folders import folder_locked, folder_written_aside
from rowtrust.atomic.locks import BusyError

__all__ = ["BusyError", "folder_locked", "folder_written_aside", "written_aside"]
