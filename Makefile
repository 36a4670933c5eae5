# artifactr's commands. Each is a script in bin/, which says what it does.
.PHONY: help run signin setup test check stress fmt

help:
	@echo "make run      set up, migrate, print a sign-in link, serve on 127.0.0.1 (PORT=8000)"
	@echo "make signin   a new sign-in link (NAME=somebody, otherwise the first superuser)"
	@echo "make test     every test, on SQLite and on PostgreSQL (ARGS='-k words' chooses)"
	@echo "make check    what CI runs: format, lint, types, import contracts, migrations, make test"
	@echo "make stress   the long tests, whole"
	@echo "make fmt      format, and repair what the linter can"

run:
	@exec bin/run

signin:
	@bin/setup && bin/manage signin $(NAME)

setup:
	@bin/setup dev

test:
	@bin/test $(ARGS)

check:
	@bin/check

stress:
	@bin/stress $(ARGS)

fmt: setup
	@.venv/bin/ruff check --fix --quiet . ; .venv/bin/ruff format .
