"""Starts Home Assistant with an earlier patch release of Python than the one it asks for.

Usage: python run.py -c DIRECTORY …, as with `python -m homeassistant`. For tests only: the
language is the same, and what a patch release mends is not what the tests are about.
"""

import runpy

import homeassistant.const

homeassistant.const.REQUIRED_PYTHON_VER = homeassistant.const.REQUIRED_PYTHON_VER[:2] + (0,)
runpy.run_module("homeassistant", run_name="__main__", alter_sys=True)
