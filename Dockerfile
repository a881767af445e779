# One image for every part: the command decides which (web, worker, beat, migrate, user, doctor).
FROM python:3.13-slim AS packages
RUN pip install --no-cache-dir uv==0.13.9
COPY requirements.lock /
RUN python -m venv /packages \
 && uv pip install --no-cache --python /packages/bin/python --require-hashes --requirement /requirements.lock

FROM python:3.13-slim
RUN useradd --system --uid 10001 --no-create-home autolab && install --directory --owner autolab --mode 0700 /data
COPY --from=packages /packages /packages
WORKDIR /srv/autolab
COPY LICENSE README.md ./
COPY app app
COPY workers workers
COPY migrations migrations
COPY docs docs
COPY templates templates
COPY static static
ENV PATH=/packages/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    AUTOLAB_HOME=/data AUTOLAB_HOST=0.0.0.0 AUTOLAB_PORT=8000
USER autolab
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["python", "-m", "app.cli.main"]
CMD ["web"]
