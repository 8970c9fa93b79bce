import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeHost } from '../../host-claims.ts'
import { serve } from '../serve.mjs'
import { createStore } from '../store.mjs'

const program = new URL('../serve.mjs', import.meta.url)
describeHost('msw', { serve, createStore, program })

test('msw: the program prints its response without changes', () => {
  expect(execFileSync(process.execPath, [fileURLToPath(program)], { encoding: 'utf8' })).toContain(
    '"lastName":"Byron"',
  )
})
