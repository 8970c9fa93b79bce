import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the generated parser is what the grammar gives', () => {
  const script = fileURLToPath(new URL('../../scripts/generate-parser.mjs', import.meta.url))
  expect(
    execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8', stdio: 'pipe' }),
  ).toBe('')
})
