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
  ['engine', ['request']],
  ['handle/permission', ['request', 'engine']],
  ['handle/context', ['request', 'engine', 'handle/permission']],
  ['handle/target', ['request', 'engine', 'handle/context']],
  ['handle/plain', ['request', 'engine', 'handle/context']],
  ['handle/read', ['request', 'engine', 'handle/context', 'handle/target']],
  ['handle/media', ['request', 'engine', 'handle/context', 'handle/target']],
  ['handle/write', ['request', 'engine', 'handle/context', 'handle/target', 'handle/media']],
  [
    'handle/functions',
    ['request', 'engine', 'handle/context', 'handle/target', 'handle/media', 'handle/write'],
  ],
  ['handle/server-state', ['request', 'engine', 'handle/context', 'handle/target']],
  ['handle/info', ['request', 'engine', 'handle/context', 'handle/permission']],
  ['handle', ['request', 'engine', 'handle/*']],
  ['local-engine', ['request', 'engine']],
  ['slow', ['request', 'engine']],
  ['render', ['request', 'engine', 'handle/context', 'handle/permission']],
  ['transport/body', ['request', 'engine']],
  ['transport/input', ['request', 'engine', 'transport/body']],
  ['transport/session', ['engine', 'handle/context', 'transport/input']],
  ['transport/live', ['engine', 'handle/context', 'render']],
  [
    'transport/handler',
    [
      'request',
      'engine',
      'handle',
      'handle/*',
      'local-engine',
      'slow',
      'render',
      'transport/body',
      'transport/input',
    ].concat('transport/session', 'transport/live'),
  ],
  [
    'transport/hosts',
    ['engine', 'render', 'transport/body', 'transport/input', 'transport/handler'],
  ],
])

const ERRORS = 'errors'

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

test('only core is imported, sharp only by its own entry, and no module of the host', () => {
  const foreign = files.flatMap((file) =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/(?:from|import\() ?'([^.'][^']*)'/g)]
      .map(([, name]) => name)
      .filter((name) => !['', '/kit', '/schema'].some((entry) => name === `@entia/core${entry}`))
      .map((name) => `${file} -> ${name}`),
  )
  expect(foreign).toEqual(['sharp.ts -> sharp'])
  const toSharp = files.filter((file) =>
    /'\.{1,2}\/(?:.*\/)?sharp\.ts'/.test(readFileSync(join(SOURCE, file), 'utf8')),
  )
  expect(toSharp).toEqual([])
})

test('files stay under 300 lines', () => {
  const long = files.filter(
    (file) => readFileSync(join(SOURCE, file), 'utf8').split('\n').length > 300,
  )
  expect(long).toEqual([])
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
