"""Archives of models from others: looked through before anything is built, and built anew.

``skops`` makes objects from an archive as its schema says. Here the archive is read with bounds on all that
it could make large, every part of the schema must be of a kind that models need, and what is handed on is
a new archive that was written here. After the objects are made, ``soundness`` looks at whether they can
predict.
"""

from rowtrust.archives.names import is_around_models, is_ours
from rowtrust.archives.nodes import CleanArchive, clean_archive
from rowtrust.archives.reading import Archive, DamagedError, UntrustedError, parsed_json, unpacked_budget
from rowtrust.archives.soundness import check_answer, check_model

__all__ = [
    "Archive",
    "CleanArchive",
    "DamagedError",
    "UntrustedError",
    "check_answer",
    "check_model",
    "clean_archive",
    "is_around_models",
    "is_ours",
    "parsed_json",
    "unpacked_budget",
]
