# The version is FINF_VERSION of include/finf.h; the places that must repeat it say the same. Usage: sh tests/version.sh
version=$(sed -n 's/.*FINF_VERSION "\(.*\)"/\1/p' include/finf.h)
failed=0
same() { # same FILE WHAT IT SAYS
    [ "$2" = "$version" ] && return
    echo "$1 says $2, include/finf.h $version"
    failed=1
}
same CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
same debian/changelog "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)"
same CHANGELOG.md "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
exit $failed
