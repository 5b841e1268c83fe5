# Help, version, and every command in every format.

ok '^finf [0-9]+\.[0-9]+\.[0-9]+$' --version
ok '^finf [0-9]+\.[0-9]+\.[0-9]+$' gamma --version
for part in 'GSL +[0-9.]+' 'FFTW .*[0-9].*' '(FLINT|Arb) +([0-9.]+|not found)' 'ECOS +(2[.0-9]+ [(]/.*|not found [(]..*)[)]' 'LAPACK +([0-9.]+.* [(]/.*|not found [(]..*)[)]' 'libsodium +([0-9.]+|not found)' 'compiler .*[0-9]'; do
    ok "^  $part$" --version --verbose
done
ok '^\.TH FINF 1' --man
ok '^## finf simulate' --markdown
ok 'finf gamma' --help
for c in gamma mean linreg coef privacy; do
    case " $(echo $commands) " in *" $c "*) yes ;; *) no "--help does not list $c" --help ;; esac
done
printf '[[grid]]\ncommand = "mean"\nnoise = "sgd"\neta = [0.1, 0.2]\n' >jobs.toml # of the example of sweep
if ! "$finf" --version --verbose | grep -q 'SQLite *[0-9]'; then commands=$(echo "$commands" | grep -v sweep); fi
for c in $commands; do
    ok "^finf $c" "$c" --help
    ok "^finf $c" "$c" --quiet --help # nothing is missing when help is all that is asked
    "$finf" "$c" --help | sed -n '/^Example/,$ s/^  finf //p' >"$T/examples"
    if [ -s "$T/examples" ]; then yes; else no "no Example in the help" "$c" --help; fi
    while read -r words; do
        eval "ok . $words"
        eval "ok '^[-A-Za-z_0-9:.]+(,[-A-Za-z_0-9:.]+)*\$' $words --format csv"
        if [ "$(wc -l <"$T/out")" -ge 2 ]; then yes; else no "no row" $words --format csv; fi
        eval "ok '^[{].*[}]\$' $words --json"
    done <"$T/examples"
done
ok '"directions":\[[{]"k":1,"lambda":1,' linreg --noise sgd $regression --directions --json
ok '^k,lambda,' linreg --noise sgd $regression --directions --format csv
ok '^ +128 +0.0078125 ' linreg --noise sgd $regression --directions
# no line of any help is wider than 100 columns
for c in '' gamma mean linreg iqc optimize tune coef privacy rates curve simulate design noise audit sweep reproduce errata; do
    run $c --help
    if awk 'length > 100 { exit 1 }' "$T/out" && [ -s "$T/out" ]; then yes; else no 'wider than 100 columns' $c --help; fi
done
# help of a command by another word, and what is shown where nothing is asked
run help gamma
"$finf" gamma --help >"$T/same"
if [ $rc = 0 ] && cmp -s "$T/out" "$T/same"; then yes; else no 'not the help of gamma' help gamma; fi
run
if [ $rc = 2 ] && [ ! -s "$T/out" ] && grep -q '^ *finf simulate ' "$T/err"; then yes; else no "exit $rc" ''; fi
# completions: a shell takes them, and offers commands, options, values and files
bad1 2 "--completion 'fish': must be bash or zsh" --completion fish
ok '^#compdef finf$' --completion zsh
if command -v zsh >/dev/null; then
    if zsh -n "$T/out"; then yes; else no 'zsh does not read it' --completion zsh; fi
fi
if awk '/^ *[a-z]+\) _arguments/ { commands++ } /--noise\[.*sgd nu/ { noises++ } END { exit commands < 17 || noises < 8 }' "$T/out"; then yes; else no 'commands are missing' --completion zsh; fi
ok '^complete .*finf$' --completion bash
if command -v bash >/dev/null; then
    cp "$T/out" "$T/completion"
    offered() { # offered WORDS..: what bash offers for the last of them
        bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _finf; printf "%s\n" "${COMPREPLY[@]}"' "$T/completion" finf "$@"
    }
    : >file.toml
    for case in 'gamma:g' '--noise:gamma --noi' 'nu:best:mean --noise nu' 'newton:iqc --solver n' 'file.toml:sweep file' 'file.toml:mean --output fi'; do
        want=${case%:*}
        if offered ${case##*:} 2>"$T/err" | grep -q -x -e "$want"; then yes; else no "no $want after ${case##*:}" --completion bash; fi
    done
fi
