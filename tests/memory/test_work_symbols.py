"""Functions and classes of a change; Python's own parser is the judge for Python."""

import ast
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.work_symbols import MOST, READ, SymbolTouch, defined_in, symbols_changed

APP = Path(__file__).parents[2] / "app"


def parsed(text: str) -> set[str]:
    defining = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, defining)}
    return {name for name in found if not (name.startswith("__") and name.endswith("__"))}


def test_all_that_pythons_parser_finds() -> None:
    files = list(islice(sorted(APP.rglob("*.py")), 0, None, 4))
    assert len(files) > 50
    for file in files:
        text = file.read_text(encoding="utf-8")[:READ]
        wanted, found = parsed(text), set(defined_in(text, file.name))
        assert wanted <= found, file
        # Beyond it only what stands in strings, or bears a keyword's name.
        assert all(f"def {name}" in text or f"class {name}" in text for name in found - wanted)


@pytest.mark.parametrize(
    ("file", "text", "defined"),
    [
        (
            "a.js",
            "export async function load(a) {\n  if (a) {\n  }\n}\nclass Box extends Y {\n"
            "  constructor() {\n  }\n  get size() {\n    return 1;\n  }\n}\n",
            ["load", "Box", "size"],
        ),
        (
            "a.ts",
            "export const pick = async (a: number) => {\n};\nconst N = 3;\n"
            "interface Shape {}\nexport type Id = string;\nenum Kind { A }\n",
            ["pick", "Shape", "Id", "Kind"],
        ),
        (
            "a.go",
            "package a\n\nfunc (s *Server) Serve(x int) error {\n}\nfunc main() {\n}\n"
            "type Point struct {\n}\n",
            ["Serve", "main", "Point"],
        ),
        (
            "a.rs",
            "pub struct Point;\nimpl Display for Point {\n    pub async fn draw(&self) {}\n}\n"
            "enum Kind {}\ntrait Shape {}\npub(crate) fn go<T>() {}\n",
            ["Point", "draw", "Kind", "Shape", "go"],
        ),
        (
            "A.java",
            "public final class Cart {\n  @Override\n  public List<Item> items(int a) {\n"
            "    return load(a);\n  }\n}\ninterface Shop {}\n",
            ["Cart", "items", "Shop"],
        ),
        (
            "a.kt",
            "data class Cart(val a: Int)\nfun String.total(x: Int): Int {\n}\n",
            ["Cart", "total"],
        ),
        (
            "a.cs",
            "namespace Shop;\npublic record Item(int A);\n  private async Task<int> Load(int a)"
            "\n  {\n  }\n",
            ["Shop", "Item", "Load"],
        ),
        (
            "a.c",
            "static int add(int a, int b)\n{\n  return sub(a);\n}\nstruct point {\n};\n",
            ["add", "point"],
        ),
        ("a.cpp", "void Box::draw(int a) const {\n}\nclass Box {\n};\n", ["draw", "Box"]),
        (
            "a.rb",
            "class Cart\n  def self.load(a)\n  end\n  def empty?\n  end\nend\n",
            ["Cart", "load", "empty"],
        ),
        ("a.php", "class Cart {\n  public function items($a) {\n  }\n}\n", ["Cart", "items"]),
        ("a.sh", "build() {\n  echo\n}\nfunction clean {\n}\n", ["build", "clean"]),
        ("a.ex", "defmodule Shop do\n  def load(a) do\n  end\nend\n", ["Shop", "load"]),
        ("a.lua", "local function go(a)\nend\nfunction M.run()\nend\n", ["go", "run"]),
        ("a.swift", "struct Box {\n  func draw(a: Int) -> Int {\n  }\n}\n", ["Box", "draw"]),
        ("a.md", "class Foo:\n", []),
        ("README", "def f():\n", []),
    ],
)
def test_languages(file: str, text: str, defined: list[str]) -> None:
    assert list(defined_in(text, file)) == defined


def touches(path: str, old: str, new: str, *heads: str) -> list[SymbolTouch]:
    return list(symbols_changed(path, old=old, new=new, heads=heads))


def test_where_a_change_stands() -> None:
    old = "class Cart:\n    def one(self):\n        pass\n\n    def two(self):\n        return 1\n"
    new = old.replace("return 1", "return 2")
    assert touches("a.py", old, new) == [("Cart", "edited"), ("two", "edited")]


def test_what_comes_what_goes_and_what_stays() -> None:
    assert touches("a.py", "x = 1\n", "def fresh():\n    pass\n") == [("fresh", "created")]
    assert touches("a.py", "def gone():\n    pass\n", "") == [("gone", "deleted")]
    assert touches("a.py", "def go(a):\n", "def go(a, b):\n") == [("go", "edited")]
    assert touches("a.py", "def was():\n", "def now():\n") == [
        ("now", "created"),
        ("was", "deleted"),
    ]
    assert touches("a.py", "def same():\n    pass\n", "def same():\n    pass\n") == []
    assert touches("a.py", "", "class A:\n    def __init__(self):\n        pass\n") == [
        ("A", "created")
    ]


def test_heads_of_a_patch() -> None:
    assert touches("a.py", "a", "b", "def load(x):") == [("load", "edited")]
    assert touches("a.ts", "a", "b", "export function pick(x: number,") == [("pick", "edited")]
    assert touches("A.java", "a", "b", "public int total(int a)") == [("total", "edited")]


def test_bounded() -> None:
    many = "".join(f"def f{number}():\n    pass\n" for number in range(500))
    assert len(touches("a.py", "", many)) == MOST
    assert touches("a.py", "", f"def {'x' * 101}():\n") == []


@given(
    st.text(st.sampled_from("def class(){}:=> \n\tfn@,;.x0"), max_size=200),
    st.sampled_from(["a.py", "a.ts", "a.java", "a.rs"]),
)
def test_any_text_can_be_read(text: str, path: str) -> None:
    assert all(text.count(name) for name in defined_in(text, path))
    symbols_changed(path, old=text[:50], new=text[50:], heads=[text[:20]])
