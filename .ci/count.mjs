// Counts a run of vitest: prints `PASSED FAILED SKIPPED`, from its JSON report and its exit code together, because the
// report alone says success for an unhandled error or a killed worker. A run without a single passed test is a failure.
// node .ci/count.mjs REPORT EXIT_CODE
import { readFileSync } from 'node:fs'

const [file, exitCode] = process.argv.slice(2)
let passed = 0
let failed = 0
let skipped = 0
try {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  passed = report.numPassedTests
  skipped = report.numPendingTests + report.numTodoTests
  for (const { status, assertionResults } of report.testResults) {
    const failures = assertionResults.filter((result) => result.status === 'failed').length
    // a file that could not be loaded fails without a failed test
    failed += status === 'failed' && failures === 0 ? 1 : failures
  }
} catch (error) {
  console.error(`no readable report of the tests: ${error.message}`)
}
if (failed === 0 && (exitCode !== '0' || !(passed > 0))) failed = 1
console.log(`${passed} ${failed} ${skipped}`)
