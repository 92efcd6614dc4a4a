// Counts a run of vitest: prints `PASSED FAILED SKIPPED`, from its JSON report and its exit code together, because the
// report alone says success for an unhandled error or a killed worker. A run without a single passed test is a failure.
// What failed goes to standard error, by file and name, with the first lines of its message.
// node .ci/count.mjs REPORT EXIT_CODE
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const MESSAGE_LINES = 12

const [file, exitCode] = process.argv.slice(2)
let passed = 0
let failed = 0
let skipped = 0
try {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  passed = report.numPassedTests
  skipped = report.numPendingTests + report.numTodoTests
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failures = assertionResults.filter((result) => result.status === 'failed')
    for (const { fullName, failureMessages } of failures) say(`${relative('', name)}: ${fullName}`, failureMessages)
    failed += failures.length
    if (status !== 'failed' || failures.length > 0) continue
    // a file that could not be loaded fails without a failed test
    say(relative('', name), [message])
    failed++
  }
} catch (error) {
  console.error(`no readable report of the tests: ${error.message}`)
}
if (failed === 0 && (exitCode !== '0' || !(passed > 0))) failed = 1
console.log(`${passed} ${failed} ${skipped}`)

/** Prints what failed. */
function say(title, messages) {
  const lines = (messages ?? []).join('\n').split('\n').slice(0, MESSAGE_LINES)
  console.error([title, ...lines.map((line) => `  ${line}`)].join('\n'))
}
