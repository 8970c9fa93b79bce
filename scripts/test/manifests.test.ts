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
}

const manifestFiles = filesBelow('').filter((file) => /(^|\/)package\.json$/.test(file))
const dependenciesOf = (name: string) =>
  Object.keys(readJson<Manifest>(`packages/${name}/package.json`).dependencies ?? {}).sort()

describe('package.json', () => {
  test('of core depends only on immer, lru-cache and the types of Standard Schema', () => {
    expect(dependenciesOf('core')).toEqual(['@standard-schema/spec', 'immer', 'lru-cache'])
  })

  test('of rest depends only on core; of cli on the other packages, file readers and pluralize', () => {
    expect(dependenciesOf('rest')).toEqual(['@entia/core'])
    expect(dependenciesOf('cli')).toEqual([
      '@entia/core',
      '@entia/explorer',
      '@entia/mcp',
      '@entia/rest',
      'csv-stringify',
      'pluralize',
    ])
  })

  test.each(manifestFiles)('%s is ESM, names its licence and the oldest Node', (file) => {
    const manifest = readJson<Manifest>(file)
    expect(manifest.type).toBe('module')
    expect(manifest.license).toBe('MIT')
    expect(manifest.engines).toEqual({ node: '>=20.19' })
  })

  test('of the benchmark names what its programs import', () => {
    const { dependencies, devDependencies } = readJson<Manifest>('bench/package.json')
    // The peers are a package of their own.
    const own = filesBelow('bench').filter((file) => /^(?!peers\/).*\.js$/.test(file))
    const packageName = /^import [^'";]*?'((?:@[a-z-]+\/)?[a-z][a-z\d-]*)(?:\/[^':]*)?'/gm
    const imported = own.flatMap((file) =>
      Array.from(readText(`bench/${file}`).matchAll(packageName), ([, name]) => name!),
    )
    const named = Object.keys({ ...dependencies, ...devDependencies })
    expect([...new Set(imported)].filter((name) => !named.includes(name))).toEqual([])
    expect(imported).toContain('iovalkey')
  })

  test('packages are published at one version', () => {
    const versions = manifestFiles
      .map((file) => readJson<Manifest>(file))
      .filter((manifest) => manifest.private !== true)
      .map((manifest) => manifest.version)
    expect(new Set(versions).size).toBe(1)
  })
})

// The peers of the benchmark, Stryker and the site are packages outside the workspaces.
const outside = ['bench/peers', 'scripts/mutation', 'docs/site', 'scripts/packages']
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
  const { packages } = readJson<{ packages: Record<string, unknown> }>('package-lock.json')

  test('includes every workspace', () => {
    const workspaces = manifestFiles
      .filter((file) => file.includes('/'))
      .map((file) => file.replace('/package.json', ''))
    expect(
      workspaces.filter((folder) => !outside.includes(folder) && packages[folder] === undefined),
    ).toEqual([])
  })
})
