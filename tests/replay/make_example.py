"""Writes `app/replay/example.jsonl`: `python -m tests.replay.make_example`.

A made-up session of 96 steps: a service goes from Java 17 to Java 21 (mock 08). It has what replays
are about: long outputs, files read once and needed much later, rules said in passing, failures.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from app.replay.example import FILE, ROOT

BEGUN = datetime(2026, 11, 27, 14, 38, 20, tzinfo=UTC)
JAVA = "src/main/java/com/example/orders"
TESTS = "src/test/java/com/example/orders"

GOAL = """\
Move order-service from Java 17 to Java 21 and to Spring Boot 3.3. The build is ./mvnw, the code \
lies in src/main/java/com/example/orders.

Never change the database schema: src/main/resources/db/migration stays as it is. \
Done when ./mvnw -q verify passes on Java 21."""

ENTITIES = (
    ("domain", "Order", "status", "OrderStatus"),
    ("domain", "OrderLine", "quantity", "int"),
    ("domain", "Customer", "creditLimit", "BigDecimal"),
    ("billing", "Invoice", "dueOn", "LocalDate"),
    ("billing", "Payment", "settledAt", "Instant"),
    ("stock", "StockEntry", "reserved", "int"),
    ("stock", "Warehouse", "region", "String"),
    ("events", "OutboxEvent", "payload", "String"),
    ("security", "ApiClient", "secretHash", "String"),
    ("mapping", "Tariff", "netPrice", "BigDecimal"),
    ("domain", "Address", "postalCode", "String"),
)
"""Package, class, field and its type: what javax.persistence is in."""

BROKEN = (
    ("billing", "InvoiceWriter", "renderTotals", "expected: 119.00 but was: 118.99"),
    ("stock", "StockLedger", "reserveAll", "StaleObjectStateException: Row was updated"),
    ("mapping", "OrderMapper", "toDto", "NoSuchMethodError: OrderDto.builder()"),
    ("events", "OutboxRelay", "publishPending", "ERR_OUTBOX_4711: no partition for region eu-3"),
    ("config", "CacheConfig", "orderCache", "ClassNotFoundException: net.sf.ehcache.CacheManager"),
)
"""Package, class, method and what its test fails with."""


@dataclass(frozen=True)
class Log:
    """A long output made by code, and what stands behind it."""

    kind: str
    lines: int
    end: str = ""


class Story:
    """The messages, in order."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.steps = 0
        self._calls = 0

    def system(self, text: str) -> None:
        self._add(role="system", content=text)

    def user(self, text: str) -> None:
        self._add(role="user", content=text)

    def say(self, text: str) -> None:
        """The agent ends its turn."""
        self.steps += 1
        self._add(role="assistant", content=text)

    def call(self, tool: str, result: str | Log, text: str = "", **arguments: object) -> None:
        """A step with one call."""
        self.step(((tool, arguments, result),), text)

    def step(
        self, calls: tuple[tuple[str, dict[str, object], str | Log], ...], text: str = ""
    ) -> None:
        """A step with several calls at once."""
        self.steps += 1
        asked = []
        for tool, arguments, _ in calls:
            self._calls += 1
            function = {"name": tool, "arguments": json.dumps(arguments)}
            asked.append({"id": f"call_{self._calls}", "type": "function", "function": function})
        self._add(role="assistant", content=text, tool_calls=asked)
        for one, (_, _, result) in zip(asked, calls, strict=True):
            if isinstance(result, Log):
                made = {"kind": result.kind, "lines": result.lines}
                self._add(role="tool", tool_call_id=one["id"], content=result.end, generate=made)
            else:
                self._add(role="tool", tool_call_id=one["id"], content=result)

    def read(self, path: str, content: str, text: str = "") -> None:
        self.call("read_file", content, text, path=path)

    def edit(self, path: str, old: str, new: str, text: str = "") -> None:
        done = f"{path}: replaced once"
        self.call("edit_file", done, text, path=path, old=old, new=new)

    def run(self, command: str, result: str | Log, text: str = "") -> None:
        self.call("execute_command", result, text, command=command)

    def _add(self, **message: object) -> None:
        at = BEGUN + timedelta(seconds=12 * len(self.messages) + 7 * self.steps)
        self.messages.append({**message, "timestamp": at.isoformat(timespec="seconds")})


def entity(package: str, name: str, field: str, kind: str) -> str:
    """A class with an entity's annotations, and enough around it to be read once only."""
    column = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)
    getter = field[0].upper() + field[1:]
    lines = [
        f"package com.example.orders.{package};",
        "",
        "import java.util.Objects;",
        "import javax.persistence.Column;",
        "import javax.persistence.Entity;",
        "import javax.persistence.Id;",
        "import javax.validation.constraints.NotNull;",
        "",
        "@Entity",
        f"public class {name} {{",
        "    @Id private Long id;",
        f'    @NotNull @Column(name = "{column}") private {kind} {field};',
        "",
        f"    public {kind} get{getter}() {{ return {field}; }}",
        "",
    ]
    for verb in ("validate", "describe", "copyFrom", "mergeInto", "matches"):
        lines += [
            f"    /** Part of how a {name} is handled: {verb} looks at {field} alone. */",
            f"    boolean {verb}{getter}({name} other) {{",
            "        Objects.requireNonNull(other);",
            f"        return Objects.equals(this.{field}, other.{field});",
            "    }",
            "",
        ]
    return "\n".join([*lines, "}", ""])


def service(package: str, name: str, method: str) -> str:
    """A class whose test is broken."""
    lines = [f"package com.example.orders.{package};", "", f"public class {name} {{"]
    for number, part in enumerate(("before", "during", "after", "onRetry", "onFailure")):
        lines += [
            f"    void {part}{method[0].upper()}{method[1:]}(Context context) {{",
            f'        context.audit("{name}.{method}", {number});',
            f"        if (context.attempts() > {number + 1}) throw new TooManyAttempts({number});",
            "    }",
            "",
        ]
    return "\n".join([*lines, f"    Object {method}(Context context) {{ return null; }}", "}", ""])


def record(name: str) -> str:
    """A new DTO."""
    fields = [f"{kind}{number}" for kind in ("amount", "label", "code") for number in range(8)]
    lines = ["package com.example.orders.mapping;", "", f"public record {name}("]
    lines += [f'    @JsonProperty("{field}") String {field},' for field in fields]
    lines += ["    long version) {", ""]
    for field in fields:
        lines += [
            f"    /** A copy of this {name} with another {field}; the version stays as it is. */",
            f"    public {name} with{field.title()}(String {field}) {{",
            f"        return new {name}(Objects.requireNonNull({field}), version);",
            "    }",
            "",
        ]
    return "\n".join([*lines, "}", ""])


def story() -> Story:
    """The session."""
    told = Story()
    told.system("You are a coding agent at work in order-service. Use the tools; be brief.")
    told.user(GOAL)
    _look_round(told)
    _build_files(told)
    _entities(told)
    told.user(
        "Good. Don't use records for entities, only for new DTOs. Go on with the failing tests."
    )
    _tests(told)
    told.user("Now the security configuration: WebSecurityConfigurerAdapter is gone in Boot 3.")
    _security(told)
    told.user("Go on with what is left: virtual threads, the image, CI, the docs.")
    _rest(told)
    return told


def _look_round(told: Story) -> None:
    told.step(
        (
            ("list_dir", {"path": "."}, "pom.xml\nmvnw\nDockerfile\nREADME.md\nsrc/\n.github/\n"),
            ("read_file", {"path": "pom.xml"}, POM),
        ),
        "First I look at the build.",
    )
    told.run("./mvnw -v", "Apache Maven 3.9.9\nJava version: 17.0.13, vendor: Eclipse Adoptium\n")
    told.run("./mvnw dependency:tree", Log("tree", 440))
    told.read("Dockerfile", "FROM eclipse-temurin:17-jre\nCOPY target/app.jar /app.jar\n")
    told.read(".github/workflows/ci.yml", CI)
    told.call(
        "search_files",
        "\n".join(f"{JAVA}/{p}/{n}.java:4: import javax.persistence" for p, n, *_ in ENTITIES),
        pattern="javax\\.persistence",
        path=JAVA,
    )
    told.run(
        "ls src/main/resources/db/migration", "V1__orders.sql\nV2__outbox.sql\nV3__stock.sql\n"
    )
    told.say("Eleven classes use javax.persistence. I change the build first, then the classes.")
    told.user("Yes.")


def _build_files(told: Story) -> None:
    told.edit("pom.xml", "<java.version>17</java.version>", "<java.version>21</java.version>")
    told.edit("pom.xml", "<version>2.7.18</version>", "<version>3.3.5</version>")
    told.run("./mvnw -q compile", Log("compile", 150))
    told.call(
        "update_todo", "noted", todo=["entities", "tests", "security", "image and CI"], done=[]
    )


def _entities(told: Story) -> None:
    for number, (package, name, field, kind) in enumerate(ENTITIES):
        path = f"{JAVA}/{package}/{name}.java"
        content = entity(package, name, field, kind)
        told.read(path, content)
        told.call(
            "write_file", f"{path}: written", path=path, content=content.replace("javax", "jakarta")
        )
        if number % 4 == 3:
            told.run("./mvnw -q compile", Log("compile", 70))
    told.run("./mvnw -q test-compile", "exit 0\n")
    told.run("./mvnw test", Log("test", 230, failures()))
    told.say("The entities are done. Five tests fail; none of them has to do with the schema.")


def failures() -> str:
    """What stands at the end of the run of all tests."""
    lines = [
        f"[ERROR] {name}Test.{method}:{60 + 7 * at} {why}"
        for at, (_, name, method, why) in enumerate(BROKEN)
    ]
    return "\n".join([*lines, "[ERROR] Tests run: 412, Failures: 5", "exit 1", ""])


def _tests(told: Story) -> None:
    for number, (package, name, method, why) in enumerate(BROKEN):
        path = f"{JAVA}/{package}/{name}.java"
        told.read(f"{TESTS}/{package}/{name}Test.java", service(package, f"{name}Test", method))
        told.read(path, service(package, name, method))
        told.edit(
            path,
            f"    Object {method}(Context context) {{ return null; }}",
            f"    Object {method}(Context context) {{ return context.fresh(); }}",
            f"It fails with {why}.",
        )
        failed = number == 1
        told.run(
            f"./mvnw -q -Dtest={name}Test test",
            Log("test", 90, f"[ERROR] {why}\nexit 1\n" if failed else "exit 0\n"),
        )
        if failed:
            told.edit(path, "context.fresh()", "context.locked()", "It has to lock the row.")
            told.run(f"./mvnw -q -Dtest={name}Test test", "exit 0\n")
    for name in ("OrderDto", "InvoiceDto", "StockDto", "TariffDto", "CustomerDto"):
        path = f"{JAVA}/mapping/{name}.java"
        told.call("write_file", f"{path}: written", path=path, content=record(name))
    told.say("All five pass. StockLedger.reserveAll now locks the row it reserves.")


def _security(told: Story) -> None:
    path = f"{JAVA}/security/SecurityConfig.java"
    told.call("search_files", f"{path}:14: extends WebSecurityConfigurerAdapter", pattern="Adapter")
    told.read(path, service("security", "SecurityConfig", "configureHttp"))
    told.run("./mvnw dependency:tree -Dincludes=org.springframework.security", Log("tree", 150))
    told.edit(path, "extends WebSecurityConfigurerAdapter ", "")
    told.edit(path, "Object configureHttp(Context context)", "SecurityFilterChain apiChain()")
    told.read(f"{JAVA}/security/ApiClient.java", entity(*ENTITIES[8]).replace("javax", "jakarta"))
    told.read(
        f"{TESTS}/security/SecurityConfigTest.java",
        service("security", "SecurityConfigTest", "apiChain"),
    )
    told.edit(f"{TESTS}/security/SecurityConfigTest.java", "apiChain(context)", "apiChain()")
    told.run("./mvnw -q -Dtest=SecurityConfigTest test", Log("test", 80, "exit 0\n"))
    told.say("SecurityConfig now publishes a SecurityFilterChain, apiChain().")


def _rest(told: Story) -> None:
    told.read("src/main/resources/application.yml", "spring:\n  datasource:\n    hikari: {}\n")
    told.edit(
        "src/main/resources/application.yml",
        "spring:\n",
        "spring:\n  threads.virtual.enabled: true\n",
    )
    told.edit("Dockerfile", "eclipse-temurin:17-jre", "eclipse-temurin:21-jre")
    told.edit(".github/workflows/ci.yml", "java-version: 17", "java-version: 21")
    told.read(f"{JAVA}/events/OutboxRelay.java", service("events", "OutboxRelay", "publishPending"))
    told.run("grep -rn ERR_OUTBOX_4711 src", f"{JAVA}/events/OutboxRelay.java:31\n")
    told.edit(f"{JAVA}/events/OutboxRelay.java", "synchronized ", "", "It would pin its thread.")
    told.run("./mvnw test", Log("test", 220, "[INFO] Tests run: 414, Failures: 0\nexit 0\n"))
    told.read(f"{JAVA}/stock/StockLedger.java", service("stock", "StockLedger", "reserveAll"))
    told.edit(f"{JAVA}/stock/StockLedger.java", "TooManyAttempts(4)", "TooManyAttempts(5)")
    told.run("git status --short src/main/resources/db/migration", "")
    told.read("README.md", "# order-service\n\nNeeds Java 17 and Maven.\n")
    told.edit("README.md", "Needs Java 17", "Needs Java 21")
    told.run("docker build -t order-service:21 .", Log("compile", 90, "exit 0\n"))
    told.call("update_todo", "noted", todo=["verify"], done=["entities", "tests", "security"])
    told.read("pom.xml", POM.replace("17<", "21<").replace("2.7.18", "3.3.5"))
    told.run("./mvnw -q verify", Log("test", 260, "exit 0\n"))
    told.run("git diff --stat", "".join(stat()))
    told.say("order-service runs on Java 21 and Spring Boot 3.3; ./mvnw -q verify passes.")


def stat() -> Iterator[str]:
    """What `git diff --stat` shows."""
    for package, name, *_ in ENTITIES:
        yield f" {JAVA}/{package}/{name}.java | 8 ++++----\n"
    for package, name, *_ in BROKEN:
        yield f" {JAVA}/{package}/{name}.java | 2 +-\n"


POM = """\
<project>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>2.7.18</version>
  </parent>
  <groupId>com.example</groupId>
  <artifactId>order-service</artifactId>
  <version>2.8.0-SNAPSHOT</version>
  <properties><java.version>17</java.version></properties>
</project>
"""

CI = """\
name: ci
on: [push]
jobs:
  build:
    steps:
      - uses: actions/setup-java@v4
        with: {distribution: temurin, java-version: 17}
      - run: ./mvnw -q verify
"""


def text() -> str:
    """What the file must hold."""
    return "".join(f"{json.dumps(message)}\n" for message in story().messages)


if __name__ == "__main__":
    assert ROOT.endswith("order-service")
    FILE.write_text(text(), encoding="utf-8")
