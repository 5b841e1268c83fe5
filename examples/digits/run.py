"""Private training on scikit-learn's digits: python3 examples/digits/run.py OUT."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from private_training.data import digits  # noqa: E402
from private_training.main import main, prediction, table  # noqa: E402
from private_training.tasks import softmax_task  # noqa: E402


def _softmax():
    return softmax_task(digits(), batches={1: (27, 108), 8: (108, 270)}, clips=(0.25, 0.5, 1),
                        steps=(2, 4, 8, 16, 32, 64, 128, 256, 512), tuning=4, seeds=20)


if __name__ == "__main__":
    main("digits", {"softmax": lambda: table("softmax", _softmax()),
                    "predict": lambda: prediction(_softmax(), 8, 108, (2, 8, 32))})
