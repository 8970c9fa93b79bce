import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/long.mjs', import.meta.url))

// Two seconds of `npm run test:long -- soak`: too short to measure heap growth, so the exit code
// is ignored.
test('under mixed load there is no 500, anonymous reads create no session, and the store verifies', {
  timeout: 180_000,
}, async () => {
  const parameters = [
    script,
    'soak',
    '--minutes',
    '0.01',
    '--anonymous',
    '300',
    '--connections',
    '5',
  ]
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, parameters, (_, stdout, stderr) => resolve(stdout + stderr))
  })
  for (const claim of [
    'no 5xx response, no broken connection',
    'anonymous reads create no session',
    'the store verifies',
    'the server printed no error',
  ])
    expect(printed).toContain(`ok    ${claim}`)
  expect(printed).toMatch(/^300 reads .* 200:300$/m)
})
