"""How alike two builds of the word vectors are: `python compare.py ONE OTHER`; see README.md."""

import sys
from pathlib import Path

import numpy as np


def main() -> None:
    """Turn one build into the other's directions, and print the cosines of their pieces."""
    one, other = (_loaded(Path(name)) for name in sys.argv[1:3])
    left, _, right = np.linalg.svd(one.T @ other)
    turned = one @ (left @ right)
    lengths = np.linalg.norm(turned, axis=1) * np.linalg.norm(other, axis=1)
    cosines = (turned * other).sum(1) / np.maximum(lengths, np.finfo(np.float32).tiny)
    shares = ", ".join(f"{share} % {np.percentile(cosines, share):.4f}" for share in (1, 10, 50))
    print(f"mean cosine of {len(cosines):,} pieces {cosines.mean():.4f}; {shares}")


def _loaded(folder: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    scales = np.load(folder / "scales.npy").astype(np.float32)
    return np.load(folder / "pieces.npy").astype(np.float32) * scales[:, None]


if __name__ == "__main__":
    main()
