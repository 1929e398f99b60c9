// Checks rule files of Prometheus and runs their unit tests, as `promtool check rules` and `promtool test rules` do. The unit tests are
// promtool's own file, which is copied beside this one when it is built; the rest of promtool brings half the clouds' libraries along.
package main

import (
	"fmt"
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/promqltest"
)

const (
	successExitCode = 0
	failureExitCode = 1
	usageExitCode   = 2
)

func check(files []string) int {
	code := successExitCode
	for _, file := range files {
		groups, errs := rulefmt.ParseFile(file, false, model.UTF8Validation)
		for _, err := range errs {
			fmt.Fprintln(os.Stderr, err)
			code = failureExitCode
		}
		if groups == nil {
			continue
		}
		count := 0
		for _, group := range groups.Groups {
			count += len(group.Rules)
		}
		fmt.Printf("%s: %d rules\n", file, count)
	}
	return code
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: promtool-rules check|test FILE...")
		os.Exit(usageExitCode)
	}
	switch files := os.Args[2:]; os.Args[1] {
	case "check":
		os.Exit(check(files))
	case "test":
		os.Exit(RulesUnitTest(promqltest.LazyLoaderOpts{}, nil, false, false, false, files...))
	default:
		fmt.Fprintf(os.Stderr, "%q is neither check nor test\n", os.Args[1])
		os.Exit(usageExitCode)
	}
}
