import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import workspace from '../../../../vitest.workspace.ts'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export default defineConfig({
  ...workspace,
  test: {
    root: path('../../../rest'),
    include: ['test/{http,plain,openapi,interop,handle,hosts,render}/**/*.test.ts'],
    testTimeout: 60_000,
    clearMocks: true,
    maxWorkers: 2,
    setupFiles: [path('./serve-copies.ts')],
    globalSetup: [path('../database-setup.ts')],
  },
})
