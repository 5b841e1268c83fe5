# Builds a wheel of the package in SOURCE into DIST, installs it into a new virtual environment VENV, which has NumPy and
# cffi from the system and nothing of this folder, and imports it there. Usage: sh scripts/wheel.sh SOURCE DIST VENV
python=${PYTHON:-/usr/bin/python3} source=$1
case $3 in /*) venv=$3 ;; *) venv=$PWD/$3 ;; esac
mkdir -p "$2" && dist=$(cd "$2" && pwd) || exit 1
rm -rf "$venv" "$source/build" "$source"/*.egg-info "$dist"/finf-*.whl
strip --strip-debug "$source/finf/libfinf.so" || exit 1 # which also names the folder it was built in
(cd "$source" && "$python" -c "
import sys
from setuptools.build_meta import build_wheel
sys.argv = ['setup.py', '-q']
print(build_wheel('$dist'))") > "$venv.log" 2>&1 || { cat "$venv.log"; exit 1; }
set -- "$dist"/finf-*.whl
case $1 in
*-py3-none-linux_*.whl) ;;
*) echo "$1: the tag should be py3-none-linux_.." && exit 1 ;;
esac
for part in finf/libfinf.so finf/__init__.py finf/py.typed dist-info/LICENSE; do
    "$python" -m zipfile -l "$1" | grep "$part " >/dev/null || { echo "$1: $part is not inside"; exit 1; }
done
if readelf -d "$source/finf/libfinf.so" | grep -E 'NEEDED.*lib(R|Rblas|Rlapack|python)'; then
    echo "libfinf.so must not need these" && exit 1
fi
"$python" -m venv --system-site-packages "$venv" &&
    "$venv/bin/pip" install -q --no-index --no-deps --disable-pip-version-check "$1" || exit 1
cd / && env -u PYTHONPATH "$venv/bin/python" -c "
import finf, sys
assert finf.__file__.startswith(sys.prefix), finf.__file__
r = finf.linreg('nu:best', eta=0.02, spectrum=finf.Spectrum.power(1, 128))
assert r.F_best < r.F_inf < 1.02 * r.F_best
print('$1:', 'finf', finf.__version__, 'imported in a new environment')"
