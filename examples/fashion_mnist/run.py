"""Private training on Fashion-MNIST: python3 examples/fashion_mnist/run.py OUT."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from private_training.data import fashion  # noqa: E402
from private_training.main import main, prediction, table  # noqa: E402
from private_training.tasks import convnet_task, softmax_task  # noqa: E402


def _net():
    return convnet_task(fashion(6000, 2000), batches={1: (60, 250), 4: (250,)},
                        steps=(0.25, 0.5, 1, 2, 4, 8, 16, 32, 64), nus=(0.1, 0.01), scales=(1, 0.1),
                        tuning=2, seeds=10)


def _softmax():
    return softmax_task(fashion(), batches={1: (250, 1000), 5: (1000, 2500)}, clips=(0.25, 0.5, 1),
                        steps=(2, 4, 8, 16, 32, 64, 128, 256, 512), tuning=2, seeds=10)


if __name__ == "__main__":
    main("fashion", {"softmax": lambda: table("softmax", _softmax()),
                     "predict": lambda: prediction(_softmax(), 5, 1000, (4, 16, 64)),
                     "convnet": lambda: table("convnet", _net())})
