import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCE = fileURLToPath(new URL('../src', import.meta.url))

/**
 * Module -> modules that it may import, besides `errors`. A folder that is not listed belongs to
 * the module around it.
 */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ['errors', []],
  ['request', []],
  ['endpoints/permission', ['request']],
  ['slow', ['request']],
  ['operator', ['request', 'slow']],
  ['endpoints/context', ['request', 'endpoints/permission', 'slow', 'operator']],
  ['endpoints/resolve', ['request', 'endpoints/context']],
  ['endpoints/plain', ['request', 'endpoints/context']],
  ['endpoints/read', ['request', 'endpoints/context', 'endpoints/resolve']],
  ['endpoints/media', ['request', 'endpoints/context', 'endpoints/resolve']],
  ['endpoints/write', ['request', 'endpoints/context', 'endpoints/resolve', 'endpoints/media']],
  [
    'endpoints/functions',
    ['request', 'endpoints/context', 'endpoints/resolve', 'endpoints/media', 'endpoints/write'],
  ],
  ['endpoints/replica', ['request', 'endpoints/context']],
  ['endpoints/server-state', ['request', 'endpoints/context', 'endpoints/resolve']],
  ['endpoints/info', ['request', 'endpoints/context', 'endpoints/permission']],
  ['endpoints/operator', ['request', 'endpoints/context', 'slow']],
  ['endpoints', ['request', 'endpoints/*']],
  ['render', ['request', 'endpoints/context', 'endpoints/permission']],
  ['transport/body', ['request']],
  ['transport/input', ['request', 'transport/body']],
  ['transport/session', ['endpoints/context', 'transport/input']],
  ['transport/live', ['endpoints/context', 'render']],
  [
    'transport/handler',
    [
      'request',
      'endpoints',
      'endpoints/*',
      'slow',
      'operator',
      'render',
      'transport/body',
      'transport/input',
    ].concat('transport/session', 'transport/live'),
  ],
  ['transport/hosts', ['render', 'transport/body', 'transport/input', 'transport/handler']],
])

const ERRORS = 'errors'
const OWN_PACKAGES = ['@entia/core', '@entia/core/internal', '@entia/core/schema', '@entia/engine']

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)

const moduleOf = (file: string): string => {
  const folder = dirname(file)
  return MAY_IMPORT.has(folder) || !folder.includes('/') ? folder : moduleOf(folder)
}

const mayImport = (from: string, to: string): boolean =>
  from === to ||
  to === ERRORS ||
  (MAY_IMPORT.get(from) ?? []).some((name) => name === to || name === `${dirname(to)}/*`)

test('every import follows the table of modules', () => {
  const violations = files
    .filter((file) => file.includes('/'))
    .flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), 'utf8')
      return [...text.matchAll(/from '(\.[^']+)'/g)]
        .map(([, path]) => relative(SOURCE, join(SOURCE, dirname(file), path ?? '')))
        .filter((to) => !mayImport(moduleOf(file), moduleOf(to)))
        .map((to) => `${file} -> ${to}`)
    })
  expect(files.length).toBeGreaterThan(20)
  expect(violations).toEqual([])
})

test('the table of modules has no cycle', () => {
  const done: string[] = []
  for (const [name, imported] of MAY_IMPORT) {
    const later = [...MAY_IMPORT.keys()].filter((other) => other !== name && !done.includes(other))
    expect(later.filter((other) => mayImport(name, other))).toEqual([])
    expect(imported.filter((other) => !other.endsWith('/*') && !MAY_IMPORT.has(other))).toEqual([])
    done.push(name)
  }
})

test('no file imports itself through others', () => {
  const importsOf = (file: string): readonly string[] =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path]) =>
      relative(SOURCE, join(SOURCE, dirname(file), path ?? '')),
    )
  const left = new Map(files.map((file) => [file, importsOf(file)]))
  for (let size = -1; size !== left.size; ) {
    size = left.size
    for (const [file, imported] of left) if (!imported.some((to) => left.has(to))) left.delete(file)
  }
  expect([...left.keys()]).toEqual([])
})

test('only core and engine are imported, sharp by its own entry, and no module of the host', () => {
  const foreign = files.flatMap((file) =>
    // Examples in comments import what a program imports.
    [
      ...readFileSync(join(SOURCE, file), 'utf8')
        .replaceAll(/^ \* .*$/gm, '')
        .matchAll(/(?:from|import\() ?'([^.'][^']*)'/g),
    ]
      .map(([, name]) => name)
      .filter((name) => !OWN_PACKAGES.includes(name ?? ''))
      .map((name) => `${file} -> ${name}`),
  )
  expect(foreign).toEqual(['sharp.ts -> sharp'])
  const toSharp = files.filter((file) =>
    /'\.{1,2}\/(?:.*\/)?sharp\.ts'/.test(readFileSync(join(SOURCE, file), 'utf8')),
  )
  expect(toSharp).toEqual([])
})

test('text is never compiled to code, and clocks, randomness and prototype walks are not used', () => {
  const found = files.filter((file) =>
    /\beval\(|new Function|new RegExp|Date\.now|Math\.random|for \((?:const|let) \w+ in /.test(
      readFileSync(join(SOURCE, file), 'utf8'),
    ),
  )
  expect(found).toEqual([])
})

test('entities of the store have a type without members, since an attribute may be called "key"', () => {
  const found = files.filter((file) =>
    /\b(?:AnyEntity|EntityMarks)\b/.test(readFileSync(join(SOURCE, file), 'utf8')),
  )
  expect(found).toEqual([])
})
