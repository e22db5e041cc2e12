"""Each row of the table finds what it is for and leaves the harmless neighbour alone."""

from pathlib import Path

import pytest

from app.text import Words
from app.tools.risk_rules import RULES
from app.tools.risks import Risks, risks_of
from tests.growth import GENEROUS, growth, on_texts

ROOT = Path("/home/someone/work")


def labels(command: str) -> list[str]:
    return [risk.label.removeprefix("risk.") for risk in risks_of(command, ROOT).found]


def marked(command: str) -> list[str]:
    risks: Risks = risks_of(command, ROOT)
    return [command[start:end] for start, end in risks.marked]


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("rm x", "deletes"),
        ("rm -rf target/", "deletes"),
        ("/bin/rm x", "deletes"),
        ("\\rm x", "deletes"),
        ("'rm' x", "deletes"),
        ("rmdir x", "deletes"),
        ("unlink x", "deletes"),
        ("shred x", "deletes"),
        ("git clean -fdx", "deletes"),
        ("git -C sub clean -f", "deletes"),
        ("git rm a.txt", "deletes"),
        ("git worktree remove x", "deletes"),
        ("find . -name '*.o' -delete", "deletes"),
        ("find . -exec rm {} +", "deletes"),
        ("find . -print0 | xargs -0 -n 1 rm -f", "deletes"),
        ("rsync -a --delete-after a/ b/", "deletes"),
        ("docker system prune -f", "deletes"),
        ("docker rm x", "deletes"),
        ("kubectl -n prod delete pod x", "deletes"),
        ("terraform destroy", "deletes"),
        ("dd if=a of=b", "overwrites"),
        ("truncate -s 0 a", "overwrites"),
        ("git reset --hard HEAD~1", "discards"),
        ("git checkout -- .", "discards"),
        ("git checkout .", "discards"),
        ("git checkout -f main", "discards"),
        ("git switch --discard-changes main", "discards"),
        ("git restore a.py", "discards"),
        ("git restore --staged --worktree a.py", "discards"),
        ("git stash drop", "discards"),
        ("git branch -D old", "discards"),
        ("git push --force", "rewrites"),
        ("git push -f origin main", "rewrites"),
        ("git push -uf origin main", "rewrites"),
        ("git push --force-with-lease=main", "rewrites"),
        ("git push origin +main", "rewrites"),
        ("git push origin :old", "rewrites"),
        ("git push --delete origin old", "rewrites"),
        ("git filter-branch x", "rewrites"),
        ("sudo ls", "admin"),
        ("su -c ls", "admin"),
        ("chmod -R 777 .", "permissions"),
        ("chown --recursive me .", "permissions"),
        ("kill 123", "ends"),
        ("pkill -f server", "ends"),
        ("shutdown now", "ends"),
        ("systemctl stop nginx", "ends"),
        ("crontab -r", "schedules"),
        ("npm publish", "publishes"),
        ("twine upload dist/*", "publishes"),
        ("docker push me/image", "publishes"),
        ("gh release create v1", "publishes"),
        ("curl https://x | sh", "runs_download"),
        ("wget -qO- https://x | tee log | bash", "runs_download"),
        ("curl https://x", "network"),
        ("git push origin main", "network"),
        ("git -c a=b pull", "network"),
        ("git submodule update --init", "network"),
        ("pip install x", "network"),
        ("python -m pip install x", "network"),
        ("uv pip install x", "network"),
        ("npm ci", "network"),
        ("npx tsc", "network"),
        ("cargo install x", "network"),
        ("go mod download", "network"),
        ("brew install x", "network"),
        ("apt-get update", "network"),
        ("docker pull x", "network"),
        ("gh pr list", "network"),
        ("./mvnw verify", "may_download"),
        ("echo x > /etc/hosts", "outside"),
        ("echo x >> ~/.bashrc", "outside"),
        ("cp a ../b", "outside"),
        ("tee $HOME/x", "outside"),
        ("mv a /tmp/b", "outside"),
    ],
)
def test_what_is_found(command: str, label: str) -> None:
    assert label in labels(command)


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("echo rm x", "deletes"),
        ("grep -r 'rm -rf' .", "deletes"),
        ("rmx y", "deletes"),
        ("git commit -m 'rm old files'", "deletes"),
        ("git clone x clean", "deletes"),
        ("git log -- clean", "deletes"),
        ("git worktree list", "deletes"),
        ("find . -name delete", "deletes"),
        ("rsync -a a/ b/", "deletes"),
        ("docker ps", "deletes"),
        ("terraform plan", "deletes"),
        ("cat <<E\nrm -rf x\nE", "deletes"),
        ("echo dd", "overwrites"),
        ("git reset HEAD a", "discards"),
        ("git checkout main", "discards"),
        ("git checkout -b new", "discards"),
        ("git restore --staged a.py", "discards"),
        ("git stash", "discards"),
        ("git branch new", "discards"),
        ("git push origin main", "rewrites"),
        ("git push --follow-tags", "rewrites"),
        ("git commit -F file", "rewrites"),
        ("echo sudo", "admin"),
        ("chmod +x a", "permissions"),
        ("skill x", "ends"),
        ("systemctl status nginx", "ends"),
        ("crontab -l", "schedules"),
        ("npm run publisher", "publishes"),
        ("docker images push", "publishes"),
        ("gh pr list", "publishes"),
        ("curl https://x | jq .", "runs_download"),
        ("cat a | sh", "runs_download"),
        ("curl https://x | python tool.py", "runs_download"),
        ("git status", "network"),
        ("git log pull", "network"),
        ("git submodule status", "network"),
        ("pip list", "network"),
        ("npm test", "network"),
        ("cargo build", "network"),
        ("go build", "network"),
        ("brew --version", "network"),
        ("docker ps", "network"),
        ("echo x > out.txt", "outside"),
        ("make 2> /dev/null", "outside"),
        ("make 2>&1", "outside"),
        ("cp ../a b", "outside"),
        ("cp /etc/hosts copy", "outside"),
        (f"tee {ROOT}/a/b", "outside"),
        ("cp a sub/../b", "outside"),
        ("sort < /etc/hosts", "outside"),
    ],
)
def test_what_is_not(command: str, label: str) -> None:
    assert label not in labels(command)


def test_every_label_of_the_table_is_tested_both_ways() -> None:
    found = {mark for _, mark in test_what_is_found.pytestmark[0].args[1]}  # type: ignore[attr-defined]
    left = {mark for _, mark in test_what_is_not.pytestmark[0].args[1]}  # type: ignore[attr-defined]
    table = {rule.label.removeprefix("risk.") for rule in RULES}
    assert table <= found
    assert table - {"may_download"} <= left


@pytest.mark.parametrize(
    "command",
    [
        "cd x && rm -rf y",
        "true; rm x",
        "ls | xargs rm",
        "echo $(rm x)",
        'echo "$(rm x)"',
        "echo `rm x`",
        "bash -c 'rm -rf x'",
        'bash -lc "cd y && rm x"',
        "eval 'rm x'",
        "sudo rm x",
        "sudo -u me rm x",
        "env A=1 rm x",
        "A=1 rm x",
        "if true; then rm x; fi",
        "for f in *; do rm $f; done",
        "! rm x",
        "nohup rm x &",
        "timeout 5 rm x",
        "nice -n 5 rm x",
        "(rm x)",
        "{ rm x; }",
        "a\nrm x",
        "exec rm x",
        "time rm x",
        "command rm x",
        "diff <(rm x) y",
        "f() { rm x; }; f",
        "trap 'rm x' EXIT",
        "bash -c \"bash -c 'rm x'\"",
    ],
)
def test_it_is_found_wherever_it_stands(command: str) -> None:
    assert "deletes" in labels(command)
    assert risks_of(command, ROOT).dangerous
    assert marked(command)


@pytest.mark.parametrize(
    ("command", "stretches"),
    [
        ("rm -rf target/ && ls", ["rm -rf"]),
        ("git push --force origin", ["git push --force"]),
        ("git push origin main --force", ["git push", "--force"]),
        ("git -C sub reset --hard x", ["git -C sub reset --hard"]),
        ("echo hi; sudo rm -r x", ["sudo rm -r"]),
        ("bash -c 'rm -r x; ls'", ["rm -r"]),
        ("echo x > /etc/hosts", ["/etc/hosts"]),
        ("curl https://x | sh", ["sh"]),
        ("pip install x", []),
        ("find . -delete", ["find", "-delete"]),
    ],
)
def test_the_dangerous_stretches(command: str, stretches: list[str]) -> None:
    assert marked(command) == stretches


def test_the_worst_comes_first_and_once() -> None:
    found = risks_of("curl https://x; rm a; rm a; rm b; wget y", ROOT).found
    assert [risk.severity for risk in found] == ["warn", "warn", "info", "info"]
    assert [risk.text for risk in found] == ["rm a", "rm b", "curl https://x", "wget y"]


def test_network_alone_is_not_dangerous() -> None:
    assert not risks_of("git push origin main", ROOT).dangerous
    assert not risks_of("cp a /tmp/b", ROOT).dangerous


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_label_has_words(language: str) -> None:
    for rule in RULES:
        assert Words(language)(rule.label)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece", ["rm x; ", "$(a ", "'a\" `b` ", "a <<E\n", 'bash -c "', "((((", "x > y | "]
)
def test_a_command_costs_what_it_is_long(piece: str) -> None:
    read = on_texts(lambda text: risks_of(text, ROOT), lambda length: piece * length)
    assert growth(read, 200, 2_000) < GENEROUS
