import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import workspace from '../../../../vitest.workspace.ts'
import { FAULTS } from './faults.mjs'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const fault = FAULTS[Number(process.env.ENTIA_FAULT)]!

/** The properties of replicas over sources with one fault. */
export default defineConfig({
  ...workspace,
  plugins: [
    {
      name: 'planted-fault',
      enforce: 'pre',
      transform(code, id) {
        if (!id.endsWith(`/packages/${fault.file}`)) return null
        if (code.split(fault.from).length !== 2)
          throw new Error(`${fault.file} has no single place for the fault "${fault.what}".`)
        return code.replace(fault.from, () => fault.to)
      },
    },
  ],
  test: {
    root: path('..'),
    include: [
      '{conflict-pairs,instances,strict,whole-transactions,writing,histories}.test.ts',
      '{comparing,comparing-divided,tabs}.test.ts',
      'watched.slow.test.ts',
    ],
    setupFiles: [path('../../../core/test/verify-every-store.ts')],
    testTimeout: 60_000,
    isolate: true,
    maxWorkers: 1,
    bail: 1,
  },
})
