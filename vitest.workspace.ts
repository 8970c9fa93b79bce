// The one list of test projects. Vitest 4 and later do not look for a file of this name by themselves: `npm test` names
// it, vitest.config.ts re-exports it, and scripts/test/projects.test.ts asserts that every test file belongs to a project.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** A slow machine must not fail a test: nothing here is about time. */
const testTimeout = 60_000

const project = (name: string, root: string, include = 'test/**/*.test.ts') => ({
  extends: true as const,
  test: { name, root, include: [include], testTimeout },
})

/** Its tests run the built programs in processes of their own, as a user does. */
const projectOfPrograms = (...[name, root, include]: Parameters<typeof project>) => ({
  extends: true as const,
  test: {
    ...project(name, root, include).test,
    globalSetup: [fileURLToPath(new URL('./scripts/build-before-tests.mjs', import.meta.url))],
  },
})

export const projects = [
  project('core', './packages/core'),
  project('rest', './packages/rest'),
  project('testing', './packages/testing'),
  projectOfPrograms('cli', './packages/cli'),
  projectOfPrograms('examples', './examples', '*/test/**/*.test.ts'),
  project('repo', './scripts'),
]

export default defineConfig({
  // Tests read the sources of the packages, not their build.
  resolve: { conditions: ['entia-source'] },
  ssr: { resolve: { conditions: ['entia-source'], externalConditions: ['entia-source'] } },
  test: { projects, clearMocks: true },
})
