import psycopg
import pytest
import redis

from app.embedded.roles import APPLICATION
from app.embedded.schema import plain_url
from tests.databases import Databases


@pytest.mark.services
@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_database_of_its_own(owner_database_url: str, database_url: str, turn: int):
    with psycopg.connect(plain_url(owner_database_url)) as connection:
        connection.execute("CREATE TABLE only_here (n int)")
    with psycopg.connect(plain_url(database_url)) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("autolab",)


@pytest.mark.services
@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_begins_with_an_empty_broker(redis_url: str, turn: int):
    with redis.Redis.from_url(redis_url) as client:
        assert client.get("x") is None
        client.set("x", "1")


@pytest.mark.services
def test_a_lent_database_comes_back_without_rows(databases: Databases):
    name = databases.lend()
    insert = (
        "insert into users (id, name, role, created_at) values (gen_random_uuid(), repeat(%s, 2000), 'admin', now())"
    )
    forgotten = psycopg.connect(plain_url(databases.server.url(APPLICATION, name)))
    for users in (1, 2_000):
        with psycopg.connect(plain_url(databases.server.url(APPLICATION, name))) as connection:
            connection.cursor().executemany(insert, [(f"{number} ",) for number in range(users)])
        forgotten.execute("select * from users")
        forgotten.commit()
        databases.give_back(name)
        assert databases.lend() == name
        with databases.server.connect(name) as connection:
            tables = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
            full = [table for (table,) in tables if connection.execute(f"select 1 from {table} limit 1").fetchone()]
        assert full == ["alembic_version"]
        with pytest.raises(psycopg.OperationalError):
            forgotten.execute("select 1")
        forgotten = psycopg.connect(plain_url(databases.server.url(APPLICATION, name)))
    forgotten.close()
    databases.give_back(name)
