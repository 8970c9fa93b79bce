/**
 * The files with which jest runs tests in CommonJS, below `dist/cjs` of @entia/testing. Jest loads
 * no ECMAScript modules without a flag of Node, so its preset maps the packages to these files.
 *
 * One file holds all packages, because their entries share classes. The others name a part of it.
 */

/** The modules of a test in CommonJS, and the file of each. */
const MODULES = new Map([
  ['@entia/core', 'core'],
  ['@entia/core/kernel', 'core-kernel'],
  ['@entia/core/async', 'core-async'],
  ['@entia/core/query', 'core-query'],
  ['@entia/core/schema', 'core-schema'],
  ['@entia/core/node', 'core-node'],
  ['@entia/rest', 'rest'],
  ['@entia/testing', 'testing'],
  ['@entia/testing/jest', 'testing-jest'],
])
const PACKAGES = 'packages.cjs'

/**
 * @param {string} folder absolute path of @entia/testing
 * @returns {Promise<readonly (readonly [string, string])[]>} texts by path below `dist`
 */
export async function commonJsFiles(folder) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: folder,
    stdin: {
      contents: [...MODULES]
        .map(([name, file]) => `export * as ${identifier(file)} from '${name}'`)
        .join('\n'),
      resolveDir: folder,
    },
    bundle: true,
    conditions: ['entia-source'],
    external: ['@jest/globals', '@faker-js/faker', 'sharp'],
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
    minifyWhitespace: true,
    lineLimit: 240,
    outfile: `dist/cjs/${PACKAGES}`,
    write: false,
    logLevel: 'warning',
  })
  const parts = [...MODULES.values()].map((file) => [
    `cjs/${file}.cjs`,
    `module.exports = require('./${PACKAGES}').${identifier(file)}\n`,
  ])
  const mapper = [...MODULES].map(
    ([name, file]) => `    '^${name}$': require.resolve('./${file}.cjs'),\n`,
  )
  return /** @type {[string, string][]} */ ([
    ...outputFiles.map(({ text }) => [`cjs/${PACKAGES}`, text]),
    ...parts,
    [
      'cjs/jest-preset.cjs',
      `module.exports = {\n  moduleNameMapper: {\n${mapper.join('')}  },\n}\n`,
    ],
  ])
}

const identifier = (/** @type {string} */ file) => file.replace('-', '_')
