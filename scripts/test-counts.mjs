/**
 * Counts a vitest JSON report. A test file that cannot be loaded counts as one failure. So does a
 * failed run without a failed test (an unhandled rejection, no test found, no report).
 *
 * @typedef {{ status: string, assertionResults: readonly unknown[] }} FileReport
 * @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number,
 * numTodoTests: number, testResults: readonly FileReport[] }} Report
 * @param {Report | null} report
 * @param {number} exitCode of the run
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(report, exitCode) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 }
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  const failed = report.numFailedTests + brokenFiles.length
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}
