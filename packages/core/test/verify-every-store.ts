import fc from 'fast-check'
import { afterAll, vi } from 'vitest'
import type * as WriterModule from '../src/write/writer.ts'
import { verifyEveryStore } from './every-store.ts'
import { runs } from './runs.ts'

// A setup file of the test projects: every store that a test file creates is verified at the end of
// the file. A property that does not say how often it runs, runs a hundred times.

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...runs(100) })

vi.mock('../src/write/writer.ts', async (original) => {
  const module = await original<typeof WriterModule>()
  const { remember } = await import('./every-store.ts')
  class RememberedWriter extends module.Writer {
    constructor(...args: ConstructorParameters<typeof WriterModule.Writer>) {
      super(...args)
      remember(this)
    }
  }
  return { ...module, Writer: RememberedWriter }
})

// Large stores on a busy machine take longer than the ten seconds that hooks usually have.
afterAll(verifyEveryStore, 120_000)
