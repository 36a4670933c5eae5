# artifactr as an image: one process a container, as a user without rights, with nothing to write but /app/var.
# The base image is whatever Python 3.13 your registry has under this name; compose.yaml names none either.
ARG PYTHON=python:3.13-slim-bookworm
FROM ${PYTHON} AS build
WORKDIR /app
RUN python -m venv .venv && python -m pip install --quiet --no-cache-dir uv
COPY pyproject.toml uv.lock ./
RUN UV_PROJECT_ENVIRONMENT=.venv uv sync --frozen --no-dev --no-python-downloads --python .venv/bin/python
COPY manage.py ./
COPY artifactr_site artifactr_site
COPY artifacts artifacts
COPY threads threads
COPY templates templates
COPY static static
RUN ARTIFACTR_SECRET_KEY="only to collect static files, and for nothing else at all" \
    .venv/bin/python manage.py collectstatic --no-input --verbosity 0 && rm -f var/*.sqlite3

FROM ${PYTHON}
RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin artifactr
WORKDIR /app
COPY --from=build /app /app
RUN chown -R artifactr var
USER artifactr
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 ARTIFACTR_LOG=json
EXPOSE 8000
STOPSIGNAL SIGTERM
ENTRYPOINT ["python", "manage.py"]
CMD ["serve", "--host", "0.0.0.0"]
