"""The long outputs of the example, made by code: they would be most of its file.

Always the same, line for line. Nobody's build: the names are made up or those of well-known jars.
"""

from collections.abc import Callable, Iterator, Mapping

_GROUPS = (
    ("org.springframework.boot", "spring-boot-starter", "3.3.5"),
    ("org.springframework", "spring-context", "6.1.14"),
    ("org.hibernate.orm", "hibernate-core", "6.5.3.Final"),
    ("com.fasterxml.jackson.core", "jackson-databind", "2.17.2"),
    ("io.micrometer", "micrometer-observation", "1.13.6"),
    ("jakarta.persistence", "jakarta.persistence-api", "3.1.0"),
    ("org.slf4j", "slf4j-api", "2.0.16"),
    ("ch.qos.logback", "logback-classic", "1.5.11"),
    ("org.apache.kafka", "kafka-clients", "3.7.1"),
    ("org.flywaydb", "flyway-core", "10.10.0"),
)
_PACKAGES = ("api", "billing", "config", "domain", "events", "mapping", "security", "stock")
_CLASSES = ("OrderService", "InvoiceWriter", "StockLedger", "PriceTable", "OrderEvents")


def example_log(kind: str, lines: int) -> str:
    """A long output.

    Args:
        kind: `tree`, `compile` or `test`; of another one there is none.
        lines: about how long.
    """
    make = _KINDS.get(kind)
    return "" if make is None else "\n".join(make(lines)) + "\n"


def _tree(lines: int) -> Iterator[str]:
    """`mvn dependency:tree`."""
    yield "[INFO] Scanning for projects..."
    yield "[INFO] ---------------------< com.example:order-service >----------------------"
    yield "[INFO] --- dependency:3.6.1:tree (default-cli) @ order-service ---"
    yield "[INFO] com.example:order-service:jar:2.8.0-SNAPSHOT"
    for number in range(lines):
        group, artifact, version = _GROUPS[number * 7 % len(_GROUPS)]
        depth = "|  " * (number % 5)
        scope = ("compile", "runtime", "test")[number % 3]
        yield f"[INFO] {depth}+- {group}:{artifact}-{number % 37}:jar:{version}:{scope}"
    yield "[INFO] BUILD SUCCESS"


def _compile(lines: int) -> Iterator[str]:
    """`mvn compile` that fails."""
    yield "[INFO] --- compiler:3.13.0:compile (default-compile) @ order-service ---"
    yield "[INFO] Compiling 214 source files with javac [debug release 21] to target/classes"
    for number in range(lines):
        package = _PACKAGES[number % len(_PACKAGES)]
        name = _CLASSES[number * 3 % len(_CLASSES)]
        path = f"/code/order-service/src/main/java/com/example/orders/{package}/{name}.java"
        place = f"[{number * 13 % 240 + 8},{number * 5 % 60 + 4}]"
        yield f"[WARNING] {path}:{place} [removal] finalize() in Object has been deprecated"
    yield "[ERROR] COMPILATION ERROR :"
    yield "[ERROR] package javax.persistence does not exist"
    yield "[INFO] BUILD FAILURE"


def _test(lines: int) -> Iterator[str]:
    """`mvn test`: a class a line, with its log between."""
    yield "[INFO] --- surefire:3.2.5:test (default-test) @ order-service ---"
    for number in range(lines):
        package = _PACKAGES[number * 3 % len(_PACKAGES)]
        name = _CLASSES[number % len(_CLASSES)]
        if number % 3:
            yield (
                f"15:{number % 60:02}:{number * 7 % 60:02}.{number * 37 % 1000:03} INFO  [main] "
                f"c.e.orders.{package}.{name} - handled order {70_000 + number * 11} "
                f"in {number * 17 % 90} ms, retry=0, region=eu-{number % 4}"
            )
        else:
            tests, took = number % 9 + 1, number * 29 % 400 / 100
            yield f"[INFO] Tests run: {tests}, Failures: 0, Time elapsed: {took} s -- {name}Test"
    yield "[INFO] Results:"


_KINDS: Mapping[str, Callable[[int], Iterator[str]]] = {
    "tree": _tree,
    "compile": _compile,
    "test": _test,
}
