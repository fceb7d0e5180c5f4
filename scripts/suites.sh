# Runs suites one after the other: each one's time and outcome in a line, the end of its output where it fails, and the sum of what they
# counted. Sourced by scripts/test and .ci/run.
passed=0
failed=0

# Adds up what a suite's log says: lines of the form `N passed, N failed`, and the totals of meson's test runner.
count() {
    local log=$1 good bad
    good=$(awk '/^[0-9]+ passed, [0-9]+ failed/ {n += $1} /^Ok: / {n += $2} /^Expected Fail: / {n += $3} END {print n + 0}' "$log")
    bad=$(awk '/^[0-9]+ passed, [0-9]+ failed/ {n += $3} /^(Fail|Timeout): / {n += $2} /^Unexpected Pass: / {n += $3} END {print n + 0}' "$log")
    passed=$((passed + good))
    failed=$((failed + bad))
    # A step that fails without a count of its own is one failure; one that counts nothing is one thing that passed.
    if [ "$2" -ne 0 ] && [ "$bad" -eq 0 ]; then failed=$((failed + 1)); fi
    if [ "$2" -eq 0 ] && [ "$good" -eq 0 ]; then passed=$((passed + 1)); fi
}

# suite NAME COMMAND...: runs a step, shows the end of its output when it fails, and its time.
suite() {
    local name=$1 log status start=$SECONDS
    shift
    log=$(mktemp)
    "$@" >"$log" 2>&1
    status=$?
    count "$log" $status
    if [ $status -ne 0 ]; then
        echo "---- $name failed (status $status); its last lines:"
        tail -n 60 "$log"
    fi
    printf '%-34s %s in %d s\n' "$name" "$([ $status -eq 0 ] && echo ok || echo FAILED)" $((SECONDS - start))
    rm -f "$log"
    return $status
}

# The sum, as the last line; true when nothing failed.
suites_end() {
    echo "$SECONDS s in all"
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}
