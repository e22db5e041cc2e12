"""Files that survive crashes, full disks and other processes: whole writes, locks."""

from app.storage.errors import Conflict, Locked, StorageError
from app.storage.files import ANYTHING, open_private, private_folder, sync_folder, write_atomic
from app.storage.lock import Lock, is_held

__all__ = [
    "ANYTHING",
    "Conflict",
    "Lock",
    "Locked",
    "StorageError",
    "is_held",
    "open_private",
    "private_folder",
    "sync_folder",
    "write_atomic",
]
