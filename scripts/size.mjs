/**
 * `npm run size`: prints the size of core in a minified, gzipped browser bundle by part; exits with
 * 1 above the budget.
 */
import { budgetBytes, goalBytes, measureBundle } from './bundle-size.mjs'
import { checkNode, ensureInstalled, runMain } from './prepare.mjs'

await runMain(async () => {
  checkNode()
  ensureInstalled()
  const { minified, gzipped, parts } = await measureBundle()
  for (const [part, bytes] of parts) console.log(`${String(bytes).padStart(8)}  ${part}`)
  console.log(`@entia/core in a browser: ${minified} bytes minified, ${gzipped} bytes gzipped`)
  console.log(`goal: ${goalBytes} bytes: ${gzipped <= goalBytes ? 'reached' : `${gzipped - goalBytes} bytes above`}`)
  console.log(
    `budget: ${budgetBytes} bytes: ${gzipped <= budgetBytes ? 'kept' : `${gzipped - budgetBytes} bytes above`}`,
  )
  process.exitCode = gzipped <= budgetBytes ? 0 : 1
})
