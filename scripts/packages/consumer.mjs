/** A project of a user: a folder with the packed packages installed, and programs to run there. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../prepare.mjs'
import { command } from './pack.mjs'

/** @typedef {import('./pack.mjs').PackedPackage} PackedPackage */

/**
 * @typedef {object} Program
 * @property {string} title
 * @property {readonly string[]} parameters of node
 * @property {string} prints a part of its expected output
 */

const programFolder = fileURLToPath(new URL('consumer/', import.meta.url))
const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  // Check the declarations as a consumer without skipLibCheck does, with the least library that
  // the pages name.
  skipLibCheck: false,
  target: 'es2022',
  lib: ['es2022', 'dom'],
}

/**
 * Writes the files of the project.
 * @param {string} folder absolute path of an empty folder
 */
export function writeConsumer(folder) {
  cpSync(programFolder, folder, { recursive: true })
  for (const file of [
    'quick-start/quick-start.mjs',
    'tests-node/shop.js',
    'tests-node/shop.spec.js',
  ]) {
    cpSync(join(root, 'examples', file), join(folder, file.replace(/.*\//, '')))
  }
  const manifest = { name: 'consumer', version: '1.0.0', private: true, type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  for (const [resolution, module] of resolutions) {
    const config = {
      compilerOptions: { ...compilerOptions, module, moduleResolution: resolution, types: [] },
    }
    writeFileSync(
      join(folder, `tsconfig.${resolution}.json`),
      JSON.stringify({ ...config, files: ['typed.ts'] }),
    )
  }
}

const resolutions = new Map([
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
])

/**
 * Installs with npm, as a user does. Needs the registry or npm's cache.
 * @param {string} folder
 * @param {readonly PackedPackage[]} packed
 */
export function installPacked(folder, packed) {
  const tarballs = packed.map(({ tarball }) => tarball)
  const quiet = [
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    '--loglevel=error',
  ]
  command('npm', ['install', ...quiet, ...tarballs], folder)
}

/**
 * Installs without npm and the registry: moves the unpacked packages (a copy of their thousands of
 * files takes seconds) and links their dependencies from this checkout. An undeclared dependency is
 * still missing.
 * @param {string} folder
 * @param {readonly PackedPackage[]} packed
 */
export function linkPacked(folder, packed) {
  const names = new Set(packed.map(({ name }) => name))
  for (const each of packed) {
    const place = join(folder, 'node_modules', each.name)
    mkdirSync(dirname(place), { recursive: true })
    renameSync(each.folder, place)
    const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    for (const name of Object.keys(manifest.dependencies ?? {}).filter(
      (name) => !names.has(name),
    )) {
      const link = join(place, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), link, 'junction')
    }
  }
}

/** Programs for every version of Node. @type {readonly Program[]} */
export const smokePrograms = [
  { title: 'the quick start', parameters: ['quick-start.mjs'], prints: 'Byron' },
  {
    title: 'the quick start with the condition entia-source',
    parameters: ['--conditions=entia-source', 'quick-start.mjs'],
    prints: 'Byron',
  },
  { title: 'a dump and a journal in files', parameters: ['files.mjs'], prints: 'read again' },
  {
    title: 'entia query over a CSV file',
    parameters: [
      'node_modules/entia/bin/entia.mjs',
      'query',
      'people.csv',
      'Person',
      '--filter',
      'salary > 50000',
    ],
    prints: 'Kowalewskaja',
  },
  { title: 'the client against a server', parameters: ['client.mjs'], prints: 'met 125 people' },
  {
    title: 'node:test with @entia/testing',
    parameters: ['--test', '--test-reporter=tap', 'shop.spec.js'],
    prints: '# fail 0',
  },
]

/** @type {Program} */
export const conformanceProgram = {
  title: 'the conformance suite by node:test',
  parameters: ['--test', '--test-reporter=tap', 'conformance.mjs'],
  prints: '# fail 0',
}

/** The compilers of this checkout on `typed.ts`. @type {readonly Program[]} */
export const typePrograms = [...resolutions.keys()].map((resolution) => ({
  title: `types with moduleResolution ${resolution}`,
  parameters: [join(root, 'node_modules/typescript/bin/tsc'), '-p', `tsconfig.${resolution}.json`],
  prints: '',
}))

/**
 * Returns null if the program succeeds with the expected output, otherwise its whole output.
 * @param {string} folder
 * @param {Program} program
 * @param {string} [node] the binary
 * @returns {string | null}
 */
export function runProgram(folder, { parameters, prints }, node = process.execPath) {
  // Hide the outer test runner from the program.
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    NODE_OPTIONS: undefined,
    NO_COLOR: '1',
  }
  const { status, stdout, stderr } = spawnSync(node, parameters, {
    cwd: folder,
    encoding: 'utf8',
    env,
  })
  return status === 0 && stdout.includes(prints) ? null : `exit code ${status}\n${stdout}${stderr}`
}
