"""The file's bytes: what isn't changed stays, whatever is in it; what is broken is salvaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.fact_file import FactFile, FlawKind, parse
from app.memory.fact_history import pasts
from app.memory.json_text import dump, member, members, with_member, without_member
from tests.memory.fact_desk import tokens

JACKSON = (
    '[ {\n  "id" : "fact-00000001",\n  "content" : "JDK 17 ☕",\n  "type" : "FACT",\n'
    '  "timestamp" : "2026-01-02T03:04:05.123456789Z",\n  "metadata" : {\n    "scope" : "global"\n'
    '  },\n  "tokenCount" : 1e1\n}, {\n  "id" : "b",\n  "content" : "x",\n  "more" : [ NaN, '
    '123456789012345678901234567890, "\\ud83d" ]\n} ]'
)
PYTHON = json.dumps(
    [{"id": "a", "content": "甲", "metadata": {"scope": "global"}}, {"id": "b", "content": "乙"}],
    indent=2,
)
COMPACT = '[{"id":"a","content":"x","tokenCount":3},{"id":"b","content":"y"}]'
ODD = (
    '\ufeff \r\n[\r\n\t{"id":"a",\r\n\t "content":"x"}  ,\r\n\r\n 5, null,'
    '\t{"id": "b","content":"y"}\r\n]\r\n'
)
FORMS = [JACKSON, PYTHON, PYTHON.replace("\n", "\r\n"), COMPACT, ODD]


def kinds(file: FactFile) -> list[FlawKind]:
    return [flaw.kind for flaw in file.flaws]


def contents(file: FactFile) -> list[str]:
    return [fact.content for fact in file.facts]


@pytest.mark.parametrize("text", FORMS)
def test_an_unchanged_file_is_written_byte_for_byte(text: str) -> None:
    file = parse(text.encode(), tokens)
    assert len(file.facts) == 2
    assert file.to_bytes() == text.encode()
    assert file.with_entries(file.entries).to_bytes() == text.encode()


@pytest.mark.parametrize("text", FORMS)
def test_an_added_entry_leaves_all_bytes_before_it_and_is_laid_out_alike(text: str) -> None:
    """FIELD 51: adding one never costs another, whatever the line endings are."""
    file = parse(text.encode(), tokens)
    new = file.entry({"id": "c", "content": "new", "metadata": {"scope": "global"}}, tokens)
    data = file.with_entries([*file.entries, new]).to_bytes()
    foot = file.foot
    assert data.startswith(text.encode()[: -len(foot)])
    assert data.endswith(foot)
    assert contents(parse(data, tokens)) == [*contents(file), "new"]
    assert (b"\r\n" in new.raw) <= (b"\r\n" in text.encode())


@pytest.mark.parametrize("text", [*FORMS, "[]", "[ 5 ]", '[{"content": "no id"}]'])
def test_a_file_that_grows_is_the_same_as_one_made_anew(text: str) -> None:
    file, raw = parse(text.encode(), tokens), text.encode()
    for number in range(2):
        more = [
            file.entry({"id": f"{number}{n}", "content": "x", "metadata": {"scope": scope}}, tokens)
            for n, scope in enumerate(("global", "project"))
        ]
        grown, anew = file.with_more(more), file.with_entries([*file.entries, *more])
        assert grown == anew
        data = grown.to_bytes((file, raw))
        assert data == grown.to_bytes() == anew.to_bytes()
        assert (grown.facts, grown.places) == (anew.facts, anew.places)
        assert grown.domains == anew.domains
        ids = frozenset(entry.id for entry in more)
        assert pasts(file, grown, ids) == pasts(file, anew, ids)
        assert contents(parse(data, tokens)) == contents(grown)
        file, raw = grown, data


def test_the_layout_of_other_programs_is_kept() -> None:
    fields = {"id": "c", "content": "new", "metadata": {"scope": "global"}}
    expected = json.loads(PYTHON)
    for form, written in (
        (PYTHON, json.dumps([*expected, fields], indent=2, ensure_ascii=True)),
        (
            JACKSON,
            JACKSON[:-2] + ', {\n  "id" : "c",\n  "content" : "new",\n  "metadata" : {\n'
            '    "scope" : "global"\n  }\n} ]',
        ),
        (COMPACT, COMPACT[:-1] + ',{"id":"c","content":"new","metadata":{"scope":"global"}}]'),
    ):
        file = parse(form.encode(), tokens)
        assert file.with_entries(
            [*file.entries, file.entry(fields, tokens)]
        ).to_bytes().decode() == written  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_a_removed_entry_leaves_all_others(text: str) -> None:
    file = parse(text.encode(), tokens)
    for gone in range(len(file.entries)):
        left = [entry for at, entry in enumerate(file.entries) if at != gone]
        again = parse(file.with_entries(left).to_bytes(), tokens)
        assert [entry.raw for entry in again.entries] == [entry.raw for entry in left]


def test_an_emptied_and_a_new_file_are_arrays() -> None:
    assert parse(COMPACT.encode(), tokens).with_entries([]).to_bytes() == b"[]"
    assert json.loads(FactFile().to_bytes()) == []
    for start in (None, b"", b" \n", b"null", b"[]", b"[ ]"):
        file = parse(start, tokens)
        data = file.with_entries([file.entry({"id": "a", "content": "x"}, tokens)]).to_bytes()
        assert json.loads(data) == [{"id": "a", "content": "x"}]
        assert data.startswith(b'[\n  {\n    "id"')


GOOD = '{"id":"a","content":"x"}'
ALSO = '{"id":"b","content":"{\\"id\\": 1}","metadata":{"content":"no","id":"no"}}'


@pytest.mark.parametrize(
    ("text", "flaws", "found"),
    [
        ("", ["empty"], 0),
        (" \r\n", ["empty"], 0),
        ("\ufeff", ["empty"], 0),
        ("null", ["null"], 0),
        (" null\n", ["null"], 0),
        ("{}", ["root"], 0),
        ("5", ["root"], 0),
        ('"text"', ["root"], 0),
        (f'{{"facts":[{GOOD},{ALSO}],"v":1}}', ["root"], 2),
        (GOOD, ["root"], 1),
        (f"{GOOD}\n{ALSO}\n", ["corrupt"], 2),
        (f"[{GOOD},{ALSO}", ["corrupt"], 2),
        (f"[{GOOD},{ALSO[:-3]}", ["corrupt"], 1),
        (f"[{GOOD},{ALSO},]", ["corrupt"], 2),
        (f"[{GOOD} {ALSO}]", ["corrupt"], 2),
        (f"[{GOOD}][{ALSO}]", ["corrupt"], 2),
        (f"[{GOOD},{ALSO}]]", ["corrupt"], 2),
        (f"[{GOOD},{ALSO}]\0\0\0\0", ["corrupt"], 2),
        (f"[{GOOD},{{broken}},{ALSO}]", ["corrupt"], 2),
        (f"<<<<<<< ours\n[{GOOD},\n=======\n{ALSO}]", ["corrupt"], 2),
        ("nul", ["corrupt"], 0),
        ("[" * 100_000, ["corrupt"], 0),
        ('{"a":' * 5_000 + GOOD, ["corrupt"], 1),
        ("[1,2,3]", ["bad_entry"], 0),
        (f"[{GOOD},null,[],{{}},{ALSO},{{\"id\":\"z\"}}]", ["bad_entry"], 2),
        (f"[{GOOD},{GOOD}]", ["doubled_id"], 2),
        (f"[{GOOD},{ALSO},]{GOOD}", ["corrupt", "doubled_id"], 3),
        ('[{"content":"no id"},{"id":7,"content":"number"},{"id":"","content":"x"}]', [], 3),
        (f"[{GOOD},{{\"id\":\"n\",\"content\":\"x\",\"n\":{'9' * 9_000}}}]", [], 2),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_every_damage_is_told_and_good_entries_survive(
    text: str, flaws: list[FlawKind], found: int
) -> None:
    file = parse(text.encode(), tokens)
    assert kinds(file) == flaws
    assert len(file.facts) == found
    assert len(file.places) == found
    again = parse(file.with_entries(file.entries).to_bytes(), tokens)
    assert set(kinds(again)) <= {"bad_entry"}
    assert contents(again) == contents(file)
    assert [fact.id for fact in again.facts] == [fact.id for fact in file.facts]


def test_another_encoding_is_salvaged_and_bytes_that_are_none_are_kept() -> None:
    file = parse(f"[{GOOD},{ALSO}]".encode("utf-16"), tokens)
    assert (kinds(file), len(file.facts)) == (["encoding"], 2)
    raw = b'[{"id":"a","content":"caf\xe9"},{"id":"b","content":"\xe7\x8c\xab"}]'
    file = parse(raw, tokens)
    assert (kinds(file), len(file.facts)) == (["encoding"], 2)
    assert file.with_entries(file.entries).to_bytes() == raw


def test_made_ids_are_the_same_at_each_reading_and_collide_with_none() -> None:
    text = f'[{GOOD},{GOOD},{GOOD},{{"content":"n"}},{{"content":"n"}}]'
    first, second = parse(text.encode(), tokens), parse(text.encode(), tokens)
    assert [fact.id for fact in first.facts] == [fact.id for fact in second.facts]
    assert len({fact.id for fact in first.facts}) == 5
    shorter = first.with_entries(first.entries[1:])
    assert [f.id for f in parse(shorter.to_bytes(), tokens).facts] == [
        fact.id for fact in first.facts[1:]
    ]


@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:\\ \n0a', max_size=40).map(str.encode))
def test_no_bytes_raise_and_what_is_written_is_sound(raw: bytes) -> None:
    file = parse(raw, tokens)
    again = parse(file.with_entries(file.entries).to_bytes(), tokens)
    assert set(kinds(again)) <= {"bad_entry", "encoding"}
    assert len(again.entries) == len(file.entries)


@given(st.integers(0, len(JACKSON.encode())))
def test_a_file_cut_anywhere_loses_only_what_was_cut(at: int) -> None:
    raw = JACKSON.encode()
    file = parse(raw[:at], tokens)
    whole = sum(at >= raw.index(end) + len(end) for end in (b"1e1\n}", b"]\n}"))
    assert len(file.facts) == whole


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=5)


@given(OBJECTS, st.sampled_from([None, 2, "\t"]), st.booleans(), st.data())
def test_a_member_is_set_or_taken_out_and_all_others_keep_their_text(
    fields: dict[str, object], indent: int | str | None, ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps(fields, indent=indent, ensure_ascii=ascii_only)
    name = data.draw(st.sampled_from([*fields, "new"]))
    before = {one.name: text[one.value : one.end] for one in members(text)}
    assert list(before) == list(fields)
    changed = with_member(text, name, '"v"')
    after = {one.name: changed[one.value : one.end] for one in members(changed)}
    assert after == {**before, name: '"v"'}
    json.loads(changed)
    removed = without_member(changed, name)
    left = {one.name: removed[one.value : one.end] for one in members(removed)}
    assert left == {key: value for key, value in before.items() if key != name}
    json.loads(removed)


def test_of_a_member_written_twice_the_last_counts() -> None:
    text = '{"a": 1, "b": 2, "a": 3}'
    assert member(text, "a") == "3"
    assert with_member(text, "a", "4") == '{"a": 1, "b": 2, "a": 4}'
    assert without_member(text, "a") == '{"b": 2}'
    assert without_member('{"a": 1}', "a") == "{}"


def test_lone_surrogates_are_written_as_escapes() -> None:
    assert dump("a\ud83d") == '"a\\ud83d"'
    assert json.loads(dump("\udc80")) == "\udc80"
