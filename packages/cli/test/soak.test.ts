import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/soak.mjs', import.meta.url))

// `npm run test:soak` for a second or two. Whether the heap grows cannot be told in so short a time, so the exit code is no matter.
test('under mixed load no answer is 500, reads by nobody leave no session, and the store verifies', {
  timeout: 180_000,
}, async () => {
  const parameters = [script, '--minutes', '0.01', '--anonymous', '300', '--connections', '5']
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, parameters, (_, stdout, stderr) => resolve(stdout + stderr))
  })
  for (const claim of [
    'no answer from 500 on, no connection broken',
    'reads by nobody leave no session',
    'the store verifies',
    'the server said nothing',
  ])
    expect(printed).toContain(`ok    ${claim}`)
  expect(printed).toMatch(/^300 reads .* 200:300$/m)
})
