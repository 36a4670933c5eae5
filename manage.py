#!/usr/bin/env python
"""Django's command line: `manage.py serve`, `manage.py signin`, `manage.py migrate` and so on."""

import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "artifactr_site.settings")

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
