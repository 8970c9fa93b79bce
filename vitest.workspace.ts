// The one list of test projects. Vitest 4 and later do not look for a file of this name by
// themselves: `npm test` names it, vitest.config.ts re-exports it, and
// scripts/test/projects.test.ts asserts that every test file belongs to a project.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** A slow machine must not fail a test: nothing here is about time. */
const testTimeout = 60_000

const project = (name: string, root: string, include = 'test/**/*.test.ts') => ({
  extends: true as const,
  test: { name, root, include: [include], testTimeout },
})

/** Every store that its test files make is verified at their ends. */
const projectOfStores = (...[name, root, include]: Parameters<typeof project>) => ({
  extends: true as const,
  test: {
    ...project(name, root, include).test,
    setupFiles: [
      fileURLToPath(new URL('./packages/core/test/verify-every-store.ts', import.meta.url)),
    ],
  },
})

/** Its tests run the built programs in processes of their own, as a user does. */
const projectOfPrograms = (...[name, root, include]: Parameters<typeof project>) => ({
  extends: true as const,
  test: {
    ...project(name, root, include).test,
    globalSetup: [fileURLToPath(new URL('./scripts/build-before-tests.mjs', import.meta.url))],
  },
})

/** Its tests share what `file` finds or starts before them. */
const withSetup = (project: ReturnType<typeof projectOfStores>, file: string) => ({
  ...project,
  test: { ...project.test, globalSetup: [fileURLToPath(new URL(file, import.meta.url))] },
})

/**
 * Each test file starts with the globals of Node: a web framework may replace `Response`, as Hono's
 * server does. A worker for each file would do the same, and would import everything for each.
 */
const withOwnGlobals = (project: ReturnType<typeof projectOfPrograms>) => ({
  ...project,
  test: {
    ...project.test,
    setupFiles: [fileURLToPath(new URL('./scripts/restore-web-globals.mjs', import.meta.url))],
  },
})

export const projects = [
  projectOfStores('core', './packages/core'),
  projectOfStores('rest', './packages/rest'),
  projectOfStores('testing', './packages/testing'),
  projectOfStores('client', './packages/client'),
  projectOfStores('explorer', './packages/explorer'),
  projectOfStores('react', './packages/react', 'test/**/*.test.{ts,tsx}'),
  projectOfStores('mcp', './packages/mcp'),
  withSetup(projectOfStores('sql', './packages/sql'), './packages/sql/test/database-setup.ts'),
  withSetup(
    projectOfStores('valkey', './packages/valkey'),
    './packages/sql/test/database-setup.ts',
  ),
  projectOfPrograms('cli', './packages/cli'),
  withOwnGlobals(projectOfPrograms('examples', './examples', '*/test/**/*.test.ts')),
  project('repo', './scripts'),
]

export default defineConfig({
  // Tests read the sources of the packages, not their build.
  resolve: { conditions: ['entia-source'] },
  ssr: { resolve: { conditions: ['entia-source'], externalConditions: ['entia-source'] } },
  test: {
    projects,
    clearMocks: true,
    // The files that a worker runs share the modules that they import: importing them for each file
    // takes half as long as the tests.
    isolate: false,
    // Left to itself vitest keeps a core free, which of two is half of them.
    maxWorkers: '100%',
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
