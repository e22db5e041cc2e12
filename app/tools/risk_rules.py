"""The table of commands worth a second look; each row has a positive and a negative test."""

from dataclasses import dataclass

from app.events import Severity
from app.text import Key
from app.tools.command_words import names


@dataclass(frozen=True, slots=True)
class Rule:
    """When a program is worth a remark.

    Attributes:
        label: what it does, a key of the words.
        severity: `warn` is shown first and never covered by an "always"; `info` is told.
        programs: their names.
        subcommands: one of these must be the first word, or the first two words, after the program
            that are no options; () for any.
        flags: one of these must be among the arguments; a single letter also among others
            (`-rf`), one with `…` stands for all that begin so; () for any.
        unless: none of these may be among them.
    """

    label: Key
    severity: Severity
    programs: tuple[str, ...]
    subcommands: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


_NODE = names("npm pnpm yarn bun")

RULES: tuple[Rule, ...] = (
    # What is gone is gone.
    Rule("risk.deletes", "warn", names("rm rmdir unlink shred")),
    Rule("risk.deletes", "warn", ("git",), ("clean", "rm", "worktree remove")),
    Rule("risk.deletes", "warn", ("find",), flags=("-delete",)),
    Rule("risk.deletes", "warn", ("rsync",), flags=("--delete…",)),
    Rule(
        "risk.deletes",
        "warn",
        names("docker podman"),
        (
            "rm",
            "rmi",
            "system prune",
            "volume rm",
            "volume prune",
            "image rm",
            "image prune",
            "container rm",
            "container prune",
        ),
    ),
    Rule(
        "risk.deletes", "warn", names("kubectl terraform helm"), ("delete", "destroy", "uninstall")
    ),
    Rule("risk.overwrites", "warn", names("dd truncate mkfs mkfs.ext4 mkfs.xfs fdisk parted")),
    # Work in progress that git can't bring back.
    Rule("risk.discards", "warn", ("git",), ("reset",), ("--hard", "--merge", "--keep")),
    Rule("risk.discards", "warn", ("git",), ("checkout",), ("--", ".", "-f", "--force")),
    Rule("risk.discards", "warn", ("git",), ("switch",), ("-f", "--force", "--discard-changes")),
    Rule("risk.discards", "warn", ("git",), ("restore",), unless=("-S", "--staged")),
    Rule("risk.discards", "warn", ("git",), ("restore",), ("-W", "--worktree")),
    Rule("risk.discards", "warn", ("git",), ("stash drop", "stash clear")),
    Rule("risk.discards", "warn", ("git",), ("branch", "tag"), ("-D", "-d", "--delete")),
    Rule(
        "risk.rewrites",
        "warn",
        ("git",),
        ("push",),
        ("-f", "--force…", "--force", "--mirror", "-d", "--delete", "--prune", "+…", ":…"),
    ),
    Rule("risk.rewrites", "warn", ("git",), ("filter-branch", "filter-repo", "reflog expire")),
    # Beyond the project.
    Rule("risk.admin", "warn", names("sudo doas su pkexec")),
    Rule("risk.permissions", "warn", names("chmod chown chgrp"), flags=("-R", "--recursive")),
    Rule("risk.ends", "warn", names("kill pkill killall shutdown reboot halt poweroff")),
    Rule(
        "risk.ends", "warn", ("systemctl",), names("stop restart kill disable mask reboot poweroff")
    ),
    Rule("risk.schedules", "warn", names("crontab at"), unless=("-l",)),
    Rule(
        "risk.publishes",
        "warn",
        (*_NODE, *names("cargo poetry flit hatch uv gem twine docker podman gh")),
        (
            "publish",
            "push",
            "upload",
            "release create",
            "pr create",
            "pr merge",
            "repo create",
            "repo delete",
            "gist create",
        ),
    ),
    # What goes over the network.
    Rule(
        "risk.network",
        "info",
        names("curl wget ssh scp sftp ftp nc ncat telnet rsync npx bunx uvx pipx"),
    ),
    Rule(
        "risk.network",
        "info",
        ("git",),
        (
            *names("push pull fetch clone ls-remote"),
            "remote update",
            "submodule update",
            "submodule add",
            "lfs pull",
            "lfs fetch",
        ),
    ),
    Rule("risk.network", "info", ("gh",)),
    Rule("risk.network", "info", names("pip pip3"), names("install download wheel index")),
    Rule(
        "risk.network",
        "info",
        ("uv",),
        ("sync", "add", "lock", "run", "pip install", "tool install"),
    ),
    Rule("risk.network", "info", ("poetry",), names("install add update lock")),
    Rule(
        "risk.network", "info", _NODE, names("install i ci add update upgrade dlx audit outdated")
    ),
    Rule("risk.network", "info", ("cargo",), names("install fetch update add search")),
    Rule("risk.network", "info", ("go",), ("get", "install", "mod download", "mod tidy")),
    Rule("risk.network", "info", names("gem bundle composer"), names("install update require")),
    Rule(
        "risk.network",
        "info",
        names("brew apt apt-get dnf yum apk pacman zypper snap"),
        unless=("--version", "--help"),
    ),
    Rule("risk.network", "info", names("docker podman"), names("pull push build run login")),
    Rule("risk.may_download", "info", names("mvn mvnw gradle gradlew")),
)
"""Rows of the same label may apply together; the same finding is shown once."""
