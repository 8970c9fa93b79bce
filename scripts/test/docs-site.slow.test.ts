import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

test('the docs site builds: it has no dead link, also in the API reference', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/docs.mjs'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined, NO_COLOR: '1' },
    maxBuffer: 64 << 20,
  })
  expect(stdout).toContain('build complete')
}, 600_000)
