import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { generators, root } from '../prepare.mjs'

test.each([...generators, 'scripts/module-graph.mjs'])(
  'the committed output of %s is fresh',
  (generator) => {
    const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  },
)
