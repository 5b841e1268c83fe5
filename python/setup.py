"""The wheel's tag: any Python 3, as cffi's ABI mode compiles nothing, on this platform alone."""
from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class PlatformDistribution(Distribution):
    """libfinf.so is inside, so the package is not pure: it goes where a platform's files go."""

    def has_ext_modules(self):
        return True


class PlatformWheel(bdist_wheel):
    """It is bound to no Python's ABI all the same."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"bdist_wheel": PlatformWheel}, distclass=PlatformDistribution)
