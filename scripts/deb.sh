# Builds the Debian packages of a source archive in an empty folder, looks them over with lintian, and leaves them beside
# the archive. Usage: sh scripts/deb.sh dist/finf-VERSION.tar.gz FOLDER
set -e
archive=$1 dir=$2
dist=$(cd "$(dirname "$archive")" && pwd)
rm -rf "$dir" && mkdir -p "$dir" && tar -xzf "$archive" -C "$dir"
cd "$dir/$(basename "$archive" .tar.gz)"
dpkg-checkbuilddeps || {
    echo "install these, or run: apt-get build-dep ./" >&2
    exit 1
}
dpkg-buildpackage -us -uc > ../build.log 2>&1 || {
    tail -n 30 ../build.log >&2
    exit 1
}
cd ..
if command -v lintian > /dev/null; then lintian --fail-on error --allow-root finf_*.changes; fi
rm -f "$dist"/*.deb
cp ./*.deb "$dist"
ls "$dist"/*.deb
