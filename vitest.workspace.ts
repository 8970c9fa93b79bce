// The one list of test projects. Vitest 4 and later do not look for a file of this name by
// themselves: `npm test` names it, vitest.config.ts re-exports it, and
// scripts/test/projects.test.ts asserts that every test file belongs to a project.
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import type { InlineConfig } from 'vitest/node'

/** A slow machine must not fail a test: nothing here is about time. */
const LONGEST = 180_000

/** Files with this end start processes, browsers or databases, or take seconds: `npm test` leaves them out. */
const SLOW = '**/*.slow.test.{ts,tsx}'
const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** The test files of these packages that start something or take long. */
const slowOf = (...packages: readonly string[]): readonly string[] =>
  packages.map((name) => `packages/${name}/test/${SLOW}`)

const project = (name: string, include: readonly string[], options: InlineConfig = {}) => ({
  extends: true as const,
  test: { ...options, name, include: [...include], testTimeout: LONGEST, hookTimeout: LONGEST },
})

/** Every store that its test files make is verified at their ends. */
const VERIFIED = [path('./packages/core/test/verify-every-store.ts')]

/** What only slow tests import is installed before them. */
const INSTALLED = [path('./scripts/install-before-tests.mjs')]

// Few projects: each transforms the sources that it imports, and starts workers of its own.
export const projects = [
  project('unit', ['packages/*/test/**/*.test.{ts,tsx}', 'examples/*/test/**/*.test.ts'], {
    exclude: [...configDefaults.exclude, SLOW],
    setupFiles: VERIFIED,
  }),
  project('repo', ['scripts/test/**/*.test.ts']),
  project(
    'stores',
    slowOf(
      'core',
      'engine',
      'rest',
      'testing',
      'client',
      'replica',
      'tanstack-db',
      'explorer',
      'react',
      'mcp',
    ),
    { setupFiles: VERIFIED, globalSetup: INSTALLED },
  ),
  project('databases', slowOf('sql', 'valkey'), {
    setupFiles: VERIFIED,
    globalSetup: [path('./packages/sql/test/database-setup.ts'), ...INSTALLED],
  }),
  // Their tests run the built programs in processes of their own, as a user does.
  project('programs', [...slowOf('cli'), `examples/*/test/${SLOW}`], {
    globalSetup: [path('./scripts/build-before-tests.mjs'), ...INSTALLED],
    // A web framework may replace `Response`, as Hono's server does. A worker for each file would
    // restore it too, and would import everything for each.
    setupFiles: [path('./scripts/restore-web-globals.mjs')],
  }),
]

export default defineConfig({
  // Tests read the sources of the packages, not their build.
  resolve: { conditions: ['entia-source'] },
  ssr: { resolve: { conditions: ['entia-source'], externalConditions: ['entia-source'] } },
  test: {
    projects,
    clearMocks: true,
    expect: { poll: { timeout: 60_000 } },
    // The files that a worker runs share the modules that they import: importing them for each file
    // takes half as long as the tests.
    isolate: false,
    // Left to itself vitest keeps a core free, which of two is half of them. Twice as many workers
    // as cores made the slow tests take 1.2 times as long.
    maxWorkers: '100%',
    // Projects, and the next run, read the sources that one project has transformed: starting a
    // test file takes half the CPU time.
    experimental: { fsModuleCache: true },
    // For `npm run coverage`. Generated files are left out: their tables and copies of one class
    // for each number of attributes are tested by what they are generated from.
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**'],
      exclude: ['**/*.generated.ts'],
      reporter: ['text-summary', 'json'],
      thresholds: { branches: 98 },
    },
  },
})
