#!/bin/sh
# Makes the application's role on the first start of the database; the owner, who migrates, is POSTGRES_USER.
set -e
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=password="$APPLICATION_PASSWORD" <<'SQL'
CREATE ROLE autolab LOGIN PASSWORD :'password';
REVOKE ALL ON DATABASE autolab FROM PUBLIC;
GRANT CONNECT ON DATABASE autolab TO autolab;
SQL
