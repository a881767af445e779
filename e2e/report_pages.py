"""Writes the pages of a study's report as pictures: `python -m e2e.report_pages STUDY FOLDER`."""

import sys
from pathlib import Path
from uuid import UUID

from app.cli.programs import with_services
from app.services.reports import report_study
from app.settings import get_settings


def main() -> None:
    """One file a page: 1.png, 2.png and so on."""
    with_services(get_settings())
    for number, page in enumerate(report_study(UUID(sys.argv[1])).pngs(), start=1):
        (Path(sys.argv[2]) / f"{number}.png").write_bytes(page)


if __name__ == "__main__":
    main()
