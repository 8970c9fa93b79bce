import { describe, expect, test } from 'vitest'
import { filesBelow, readJson, readText } from './source-files.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license: string
  readonly type: string
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

const manifestFiles = filesBelow('').filter((file) => /(^|\/)package\.json$/.test(file))
const dependenciesOf = (name: string) =>
  Object.keys(readJson<Manifest>(`packages/${name}/package.json`).dependencies ?? {}).sort()

describe('package.json', () => {
  test('of core depends only on immer, lru-cache and the types of Standard Schema', () => {
    expect(dependenciesOf('core')).toEqual(['@standard-schema/spec', 'immer', 'lru-cache'])
  })

  test('of engine depends only on core; of rest and sql on both', () => {
    expect(dependenciesOf('engine')).toEqual(['@entia/core'])
    expect(dependenciesOf('rest')).toEqual(['@entia/core', '@entia/engine'])
    expect(dependenciesOf('sql')).toEqual(['@entia/core', '@entia/engine'])
  })

  test('of cli depends on the other packages, parsers and pluralize', () => {
    expect(dependenciesOf('cli')).toEqual([
      '@entia/core',
      '@entia/engine',
      '@entia/explorer',
      '@entia/rest',
      'acorn',
      'csv-stringify',
      'pluralize',
    ])
  })

  test('of cli has the server for assistants and PostgreSQL as optional peers', () => {
    const { peerDependencies, peerDependenciesMeta } = readJson<Manifest>(
      'packages/cli/package.json',
    )
    const names = ['@entia/mcp', '@entia/sql', 'pg']
    expect(Object.keys(peerDependencies ?? {})).toEqual(names)
    expect(peerDependenciesMeta).toEqual(
      Object.fromEntries(names.map((name) => [name, { optional: true }])),
    )
  })

  test.each(manifestFiles)(
    '%s is ESM except for one example, names its licence and the oldest Node',
    (file) => {
      const manifest = readJson<Manifest>(file)
      const isCommonJs = file === 'examples/tests-jest-commonjs/package.json'
      expect(manifest.type).toBe(isCommonJs ? 'commonjs' : 'module')
      expect(manifest.license).toBe('MIT')
      expect(manifest.engines).toEqual({ node: '>=20.19' })
    },
  )

  test('of the benchmark names what its programs import', () => {
    const { dependencies, devDependencies } = readJson<Manifest>('bench/package.json')
    // The peers are a package of their own.
    const own = filesBelow('bench').filter((file) =>
      /^(?!(?:replicas\/)?peers\/).*\.js$/.test(file),
    )
    const packageName = /^import [^'";]*?'((?:@[a-z-]+\/)?[a-z][a-z\d-]*)(?:\/[^':]*)?'/gm
    const imported = own.flatMap((file) =>
      Array.from(readText(`bench/${file}`).matchAll(packageName), ([, name]) => name!),
    )
    const named = Object.keys({ ...dependencies, ...devDependencies })
    expect([...new Set(imported)].filter((name) => !named.includes(name))).toEqual([])
    expect(imported).toContain('iovalkey')
  })

  test.each(manifestFiles.filter((file) => readJson<Manifest>(file).private !== true))(
    '%s names its repository, folder, home page and where to report a fault',
    (file) => {
      const directory = file.replace('/package.json', '')
      const address = 'https://github.com/entia/entia'
      expect(readJson(file)).toMatchObject({
        homepage: `${address}/tree/main/${directory}#readme`,
        repository: { type: 'git', url: `git+${address}.git`, directory },
        bugs: { url: `${address}/issues` },
      })
    },
  )

  test('packages are published at one version', () => {
    const versions = manifestFiles
      .map((file) => readJson<Manifest>(file))
      .filter((manifest) => manifest.private !== true)
      .map((manifest) => manifest.version)
    expect(new Set(versions).size).toBe(1)
  })
})

// What only some commands, examples and slow tests need: packages outside the workspaces.
const outside = [
  'bench/peers',
  'bench/replicas/peers',
  'docs/site',
  'examples',
  'packages/rest/test',
  'scripts/mutation',
  'scripts/packages',
]
const lockFiles = ['package-lock.json', ...outside.map((folder) => `${folder}/package-lock.json`)]
describe.each(lockFiles)('%s', (lockFile) => {
  interface LockEntry {
    readonly resolved?: string
    readonly link?: boolean
    readonly dependencies?: Readonly<Record<string, string>>
    readonly optionalDependencies?: Readonly<Record<string, string>>
  }
  const { packages } = readJson<{ packages: Record<string, LockEntry> }>(lockFile)

  test('has no download addresses, so that any registry can serve it', () => {
    expect(readText(lockFile)).not.toMatch(/\.tgz|"resolved": "(https?|git|file):/)
    const resolved = Object.entries(packages).filter(
      ([, entry]) => entry.resolved !== undefined && entry.link !== true,
    )
    expect(resolved.map(([path]) => path)).toEqual([])
  })

  // Without the package of a platform in the registry, the generated lock file lacks it, and
  // `npm ci` refuses the lock file on every platform.
  test('has an entry for every dependency, also for other platforms', () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .filter((name) => !isFound(path, name))
        .map((name) => `${path} needs ${name}`),
    )
    expect(missing).toEqual([])
  })

  /** Resolves as Node does: in the package's own node_modules, then in the parent folders. */
  const isFound = (path: string, name: string): boolean => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
      const prefix = folder === '' ? '' : `${folder}/`
      if (packages[`${prefix}node_modules/${name}`] !== undefined) return true
      if (folder === '') return false
    }
  }
})

describe('package-lock.json', () => {
  interface PlacedEntry {
    readonly link?: boolean
    readonly os?: readonly string[]
    readonly cpu?: readonly string[]
    readonly libc?: readonly string[]
  }
  const { packages } = readJson<{ packages: Record<string, PlacedEntry> }>('package-lock.json')

  const folders = manifestFiles
    .filter((file) => file.includes('/'))
    .map((file) => file.replace('/package.json', ''))
    .filter((folder) => !outside.includes(folder))

  test('includes every workspace; examples outside of them take their packages from examples', () => {
    const shared = readJson<Manifest>('examples/package.json').devDependencies ?? {}
    const missing = folders
      .filter((folder) => packages[folder] === undefined)
      .flatMap((folder) => {
        if (!folder.startsWith('examples/')) return [folder]
        const { dependencies, devDependencies } = readJson<Manifest>(`${folder}/package.json`)
        return Object.entries({ ...dependencies, ...devDependencies })
          .filter(([name, range]) => !/^(@entia\/|entia$)/.test(name) && shared[name] !== range)
          .map(([name, range]) => `${folder} needs ${name} ${range} in examples/package.json`)
      })
    expect(missing).toEqual([])
  })

  // Linters, bundlers and frameworks belong to the folders above.
  test('installs at most 350 packages', () => {
    const forThisPlatform = Object.entries(packages).filter(
      ([path, { os, cpu, libc, link }]) =>
        path.includes('node_modules/') &&
        link !== true &&
        (os ?? ['linux']).includes('linux') &&
        (cpu ?? ['x64']).includes('x64') &&
        (libc ?? ['glibc']).includes('glibc'),
    )
    expect(forThisPlatform.length).toBeLessThanOrEqual(350)
  })
})
