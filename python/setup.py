"""The wheel's tag: any Python 3, as cffi's ABI mode compiles nothing, on this platform alone."""
from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """libfinf.so is inside, so the wheel is not pure, but it is bound to no Python's ABI."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"bdist_wheel": PlatformWheel})
