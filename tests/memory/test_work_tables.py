"""Tables and columns of SQL, in files and commands."""

import pytest

from app.memory.work_tables import MOST, tables_in
from tests.memory.work_desk import names, of, ran, told


@pytest.mark.parametrize(
    ("sql", "touched"),
    [
        (
            "CREATE TABLE orders (id int PRIMARY KEY, total numeric(10,2), PRIMARY KEY (id));",
            [("orders", "created"), ("orders.id", "created"), ("orders.total", "created")],
        ),
        (
            'create table if not exists "public"."items" (\n  "name" text, -- a, b\n  x int\n)',
            [("items", "created"), ("items.name", "created"), ("items.x", "created")],
        ),
        ("CREATE TABLE shop.orders AS SELECT 1", [("shop.orders", "created")]),
        (
            "ALTER TABLE orders ADD COLUMN note text, DROP COLUMN old;",
            [("orders", "edited"), ("orders.note", "created"), ("orders.old", "deleted")],
        ),
        ("ALTER TABLE `orders` ADD note text", [("orders", "edited"), ("orders.note", "created")]),
        ("ALTER TABLE orders ADD CONSTRAINT x UNIQUE (a)", [("orders", "edited")]),
        (
            "ALTER TABLE orders RENAME COLUMN a TO b",
            [("orders", "edited"), ("orders.a", "deleted"), ("orders.b", "renamed")],
        ),
        ("ALTER TABLE orders RENAME TO sales", [("orders", "edited"), ("sales", "renamed")]),
        (
            "ALTER TABLE orders ALTER COLUMN total TYPE int",
            [("orders", "edited"), ("orders.total", "edited")],
        ),
        ("DROP TABLE IF EXISTS [dbo].[orders]", [("orders", "deleted")]),
        (
            "INSERT INTO orders (id, total) VALUES (1, 2)",
            [("orders", "ran"), ("orders.id", "ran"), ("orders.total", "ran")],
        ),
        ("UPDATE orders SET total = 1", [("orders", "ran")]),
        ("DELETE FROM orders WHERE id = 1", [("orders", "ran")]),
        ("CREATE VIEW totals AS SELECT 1", [("totals", "created")]),
        ("SELECT * FROM orders", []),
        ("CREATE TABLE\n  orders (id int)", [("orders", "created"), ("orders.id", "created")]),
        ("-- delete from cache one day\n/* DROP TABLE x */\n", []),
    ],
)
def test_sql(sql: str, touched: list[tuple[str, str]]) -> None:
    assert [(one.name, one.action) for one in tables_in(sql, "m/001.sql")] == touched


def test_in_other_files_only_what_makes_tables() -> None:
    text = 'SQL = """\nCREATE TABLE orders (id int)\n"""\n# update the docs, insert into a list\n'
    assert [one.name for one in tables_in(text, "a.py")] == ["orders", "orders.id"]
    assert tables_in("As the ALTER TABLE pattern shows, …", "a.md") == ()
    assert names(
        told("write_file", path="a.py", content="q = 'ALTER TABLE orders ADD b int'"), "table"
    )
    assert tables_in("Please create table reservations and drop table salt.", "a.md") == ()


def test_migrations() -> None:
    alembic = (
        "op.create_table(\n        'orders',\n        sa.Column('id', sa.Integer()),\n"
        "        sa.Column('total', sa.Integer()),\n    )\n"
        "op.add_column('items', sa.Column('name', sa.Text()))\nop.drop_table(\"old\")\n"
    )
    assert {(one.name, one.action) for one in tables_in(alembic, "m/1.py")} == {
        ("orders", "created"),
        ("orders.id", "created"),
        ("orders.total", "created"),
        ("items", "edited"),
        ("items.name", "created"),
        ("old", "deleted"),
    }
    rails = "  add_column :orders, :total, :integer\n  drop_table :old\n"
    assert {(one.name, one.action) for one in tables_in(rails, "db/1.rb")} == {
        ("orders", "edited"),
        ("orders.total", "created"),
        ("old", "deleted"),
    }
    django = (
        "migrations.CreateModel(\n  name='Order',\n  fields=[('id', models.AutoField()),"
        " ('total', models.IntegerField())]),\n"
        "migrations.RemoveField(model_name='item', name='old'),\n"
    )
    laravel = "Schema::create('orders', fn ($t) => [$t->id(), $t->string('note'), $t->index('x')]);"
    knex = (
        "exports.up = k => k.schema.createTable('orders', (t) => {\n  t.string('note')\n})\n"
        "exports.down = k => k.schema.dropTable('orders')\n"
    )
    kysely = "db.schema.alterTable('orders').addColumn('note', 'text').dropColumn('old').execute()"
    for path, text, touched in (
        (
            "m/1.py",
            django,
            "order:created order.id:created order.total:created item:edited item.old:deleted",
        ),
        ("src/Table.ts", "import { Table } from 'x'", ""),
        ("m/1.php", laravel, "orders:created orders.note:created"),
        ("m/1.js", knex, "orders:created orders.note:created"),
        ("m/1.ts", kysely, "orders:edited orders.note:created orders.old:deleted"),
        (
            "m/1.sql",
            "CREATE TABLE a1 (x int);\n-- +goose Down\nDROP TABLE a1;",
            "a1:created a1.x:created",
        ),
        (
            "m/1.py",
            f"def upgrade():\n    {alembic}\ndef downgrade():\n    op.drop_table('orders')\n",
            "orders:created orders.id:created orders.total:created items:edited items.name:created"
            " old:deleted",
        ),
    ):
        found = tables_in(text, path)
        assert " ".join(f"{one.name}:{one.action}" for one in found) == touched, text


def test_of_calls() -> None:
    work = told("write_file", path="db/001.sql", content="CREATE TABLE orders (id int);")
    assert [(one.name, one.file) for one in of(work, "table")] == [
        ("orders", "db/001.sql"),
        ("orders.id", "db/001.sql"),
    ]
    for command in (
        'psql -h x -c "ALTER TABLE orders ADD COLUMN total int"',
        "sqlite3 shop.db 'ALTER TABLE orders ADD COLUMN total int'",
        "sqlite3 shop.db <<'E'\nALTER TABLE orders ADD COLUMN total int;\nE",
    ):
        assert names(ran(command), "table") == ["orders", "orders.total"], command
    failed = ran('psql -c "DROP TABLE orders"', "exit code: 1\nERROR: denied", ok=False)
    assert [one.ok for one in of(failed, "table")] == [False]
    assert not of(ran("echo 'CREATE TABLE a (b int)'"), "table")


def test_bounded() -> None:
    sql = "".join(f"CREATE TABLE t{number} (id int);\n" for number in range(200))
    assert len(tables_in(sql)) == MOST
