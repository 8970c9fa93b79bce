import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parserGenerator } from '../prepare.mjs'
import { root } from './source-files.ts'

test('the generated parser is what its grammar gives', () => {
  const { status, stderr } = spawnSync(process.execPath, [parserGenerator, '--check'], { cwd: root, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
