"""The adapters that come with lifebench, a file each; `lifebench run --adapter FILE.py` takes any other."""
