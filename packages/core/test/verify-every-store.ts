import { afterAll, vi } from 'vitest'
import type * as WriterModule from '../src/write/writer.ts'
import { verifyEveryStore } from './every-store.ts'

// A setup file of the test projects: every store that a test file creates is verified at the end of
// the file.

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

afterAll(verifyEveryStore)
