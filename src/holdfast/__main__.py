"""Run Holdfast as `python -m holdfast`."""

from holdfast.faces.cli.main import main

raise SystemExit(main())
