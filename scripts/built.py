#!/usr/bin/env python3
"""The build that a script uses: in the folder that BUILD names, from the project's folder on; without it in build/.

Scripts in Python import it. Others ask for the executable: koridor=$(scripts/built.py NAME), with their own name.
"""
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / (os.environ.get("BUILD") or "build")


def require_built(script):
    """The path of the executable; a line in the script's name and exit code 2 where there is none."""
    koridor = BUILD / "koridor"
    if not koridor.is_file():
        print(f"{script}: no {koridor}: build it first (scripts/build), or name its folder in BUILD", file=sys.stderr)
        sys.exit(2)
    return koridor


if __name__ == "__main__":
    print(require_built(*sys.argv[1:]))
