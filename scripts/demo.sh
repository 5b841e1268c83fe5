# One worked example: the paper's Figure 2 setting, DP-SGD against correlated noise.
finf=$1
setting="--eta 0.02 --spectrum power:1 --dim 128 --rho 0.5"
sgd=$("$finf" linreg --noise sgd $setting --json | sed 's/.*"F_inf":\([^,]*\).*/\1/')
nu=$("$finf" linreg --noise nu:paper $setting --json | sed 's/.*"F_inf":\([^,]*\).*/\1/')
echo "\$ finf linreg --noise nu:paper $setting"
"$finf" linreg --noise nu:paper $setting || exit 1
echo
awk "BEGIN { printf \"DP-SGD ends at F_inf = %.4g, correlated noise at %.4g: %.0f times lower at the same privacy.\n\", $sgd, $nu, $sgd / $nu }"
echo
echo "And for any loss of condition number 100, the noise with the least worst case, proved:"
echo "\$ finf optimize --eta 0.1 --kappa 100 --certify"
"$finf" optimize --eta 0.1 --kappa 100 --certify --precision 6 | cut -c1-110
