// The one list of test projects. Vitest 4 and later do not look for a file of this name by themselves: `npm test` names
// it, vitest.config.ts re-exports it, and scripts/test/projects.test.ts asserts that every test file belongs to a project.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const project = (name: string, root: string, include: string, globalSetup: string[] = []) => ({
  extends: true as const,
  test: { name, root, include: [include], globalSetup },
})
// Their tests run the built programs, as a user does.
const build = [fileURLToPath(new URL('./scripts/build-before-tests.mjs', import.meta.url))]

export const projects = [
  project('core', './packages/core', 'test/**/*.test.ts'),
  project('rest', './packages/rest', 'test/**/*.test.ts'),
  project('cli', './packages/cli', 'test/**/*.test.ts', build),
  project('examples', './examples', '*/test/**/*.test.ts', build),
  project('repo', './scripts', 'test/**/*.test.ts'),
]

export default defineConfig({
  // Tests read the sources of the packages, not their build.
  resolve: { conditions: ['entia-source'] },
  ssr: { resolve: { conditions: ['entia-source'], externalConditions: ['entia-source'] } },
  test: { projects, clearMocks: true },
})
