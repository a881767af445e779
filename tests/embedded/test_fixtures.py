import psycopg
import pytest
import redis

from app.embedded.schema import plain_url


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
