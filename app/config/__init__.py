"""The settings: what can be set (`model`), and the layers they come from (`layers`)."""

from app.config.check import KEYS
from app.config.errors import ConfigError
from app.config.files import read_bytes, read_toml
from app.config.layers import PROJECT_KEYS, check_file, check_value, load_settings
from app.config.model import (
    AuxiliarySettings,
    CompactionSettings,
    Glyphs,
    MemorySettings,
    ModelSettings,
    Settings,
    Theme,
    ToolSettings,
    UiSettings,
)
from app.config.secrets import MASK, mask, mask_bytes

__all__ = [
    "KEYS",
    "MASK",
    "PROJECT_KEYS",
    "AuxiliarySettings",
    "CompactionSettings",
    "ConfigError",
    "Glyphs",
    "MemorySettings",
    "ModelSettings",
    "Settings",
    "Theme",
    "ToolSettings",
    "UiSettings",
    "check_file",
    "check_value",
    "load_settings",
    "mask",
    "mask_bytes",
    "read_bytes",
    "read_toml",
]
