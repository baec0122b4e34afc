"""What the tests share. KORIDOR_TEST_MODELS names a folder with small models, which ctest makes (tests/library)."""

import os
import pathlib

import pytest

import koridor


@pytest.fixture(scope="session")
def models() -> pathlib.Path:
    folder = os.environ.get("KORIDOR_TEST_MODELS")
    if not folder:
        pytest.skip("KORIDOR_TEST_MODELS names no folder of models; ctest -R Python makes one")
    return pathlib.Path(folder)


@pytest.fixture(scope="session")
def wall(models: pathlib.Path) -> koridor.Model:
    return koridor.Model(models / "wall.koridor")


@pytest.fixture(scope="session")
def go(models: pathlib.Path) -> koridor.Model:
    return koridor.Model(models / "go.koridor")


@pytest.fixture(autouse=True)
def checked_handles():
    """Every test checks its handles."""
    before = koridor._library.lib.koridor_check_handles(1)
    yield
    koridor._library.lib.koridor_check_handles(before)
