import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import workspace from '../../../../vitest.workspace.ts'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export default defineConfig({
  ...workspace,
  test: {
    root: path('../../../rest'),
    include: ['test/{http,plain,openapi,interop,handle,hosts,render}/**/*.test.ts'],
    // Each run of a property copies its stores: ENTIA_RUNS=1 makes as many as in memory.
    env: { ENTIA_RUNS: process.env.ENTIA_RUNS ?? '0.05' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    clearMocks: true,
    maxWorkers: 2,
    setupFiles: [path('./serve-copies.ts')],
    globalSetup: [
      path('../database-setup.ts'),
      path('../../../../scripts/install-before-tests.mjs'),
    ],
  },
})
