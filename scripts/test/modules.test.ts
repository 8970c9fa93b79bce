import { describe, expect, test } from 'vitest'
import { findCycle, importGraph, importsOf, withoutComments } from '../source-imports.mjs'
import { isGenerated, sourcesOf } from './source-files.ts'

/**
 * Module of packages/core/src -> the modules that it may import, including types. All others are
 * forbidden.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  value: [],
  model: ['value'],
  filter: ['value', 'model'],
  plan: ['value', 'model', 'filter'],
  storage: ['value', 'model'],
  execute: ['value', 'model', 'filter', 'plan', 'storage'],
  entity: ['value', 'model', 'filter', 'storage', 'execute'],
  write: ['value', 'model', 'storage', 'ports.ts'],
  query: ['value', 'model', 'filter', 'plan', 'storage', 'execute', 'entity', 'write', 'ports.ts'],
  aggregate: ['value', 'model', 'filter', 'plan', 'storage', 'execute', 'entity', 'query'],
  live: ['value', 'model', 'filter', 'plan', 'storage', 'execute', 'query', 'write'],
  view: ['value', 'model', 'filter', 'plan', 'storage', 'execute', 'query', 'write'],
  'server-state': ['value', 'model', 'storage', 'query', 'write', 'ports.ts'],
  store: [
    'value',
    'model',
    'filter',
    'plan',
    'storage',
    'execute',
    'entity',
    'aggregate',
    'query',
    'write',
    'live',
    'view',
    'server-state',
    'ports.ts',
  ],
  schema: ['value', 'model', 'write'],
  async: ['value', 'model', 'query', 'write', 'store'],
  persistence: ['value', 'model', 'storage', 'query', 'write', 'store', 'ports.ts'],
  'error-details.ts': [],
  'errors.ts': ['error-details.ts'],
  'error-tables.ts': [
    'error-details.ts',
    'model',
    'filter',
    'storage',
    'query',
    'write',
    'view',
    'server-state',
    'persistence',
    'store',
  ],
  'async.ts': ['async'],
  'browser.ts': ['persistence'],
  'node.ts': ['persistence'],
  'schema.ts': ['schema'],
  'ports.ts': [],
  'index.ts': [
    'error-details.ts',
    'value',
    'model',
    'filter',
    'plan',
    'storage',
    'execute',
    'query',
    'write',
    'live',
    'store',
    'ports.ts',
  ],
  'query.ts': ['model', 'query'],
  'internal.ts': [
    'error-tables.ts',
    'value',
    'model',
    'filter',
    'plan',
    'storage',
    'execute',
    'aggregate',
    'async',
    'query',
    'write',
    'live',
    'view',
    'server-state',
    'store',
    'ports.ts',
  ],
  'kernel.ts': ['error-details.ts', 'model', 'query', 'store', 'ports.ts'],
}
const packages = ['immer', 'lru-cache', '@standard-schema/spec']
const maxLines = 400

/**
 * The inferred types are recursive (an entity has selections, a selection returns entities) and too
 * many for one file. Files with these names hold only types and may import each other.
 */
const recursiveTypes = /^model\/[\w-]+-types\.ts$/

const moduleOf = (file: string): string => file.split('/', 1)[0] ?? file

/** The violations of a table, as readable lines. */
function violationsOf(
  sources: ReadonlyMap<string, string>,
  table: Readonly<Record<string, readonly string[]>> = mayImport,
): readonly string[] {
  const found: string[] = []
  for (const [file, targets] of importGraph(sources)) {
    const name = moduleOf(file)
    const allowed = table[name]
    if (allowed === undefined) found.push(`${file}: the module "${name}" is not in the table`)
    for (const target of targets) {
      const to = moduleOf(target)
      if (!sources.has(target)) found.push(`${file}: ${target} does not exist (imports end in .ts)`)
      else if (to !== name && to !== 'errors.ts' && !allowed?.includes(to))
        found.push(`${file} -> ${target}`)
    }
  }
  return found
}

const withoutRecursiveTypes = (graph: ReturnType<typeof importGraph>) =>
  new Map(
    [...graph].map(([file, targets]) => [
      file,
      recursiveTypes.test(file)
        ? targets.filter((target) => !recursiveTypes.test(target))
        : targets,
    ]),
  )

const longFilesOf = (sources: ReadonlyMap<string, string>) =>
  [...sources]
    .filter(([file, text]) => !isGenerated(file) && text.trimEnd().split('\n').length > maxLines)
    .map(([file, text]) => `${file}: ${text.trimEnd().split('\n').length} lines`)

/**
 * `eval`, `Function`, timers with text, and `RegExp` with anything but a literal. `import()` is
 * allowed.
 */
const makesCode =
  /\beval\s*\)?\s*\(|(?<![.\w])Function\s*\(|\bnew\s+Function\b|\bset(?:Timeout|Interval|Immediate)\s*\(\s*['"`]|\bRegExp\s*\((?!\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*[,)])/g

const codeMakersOf = (sources: ReadonlyMap<string, string>): readonly string[] =>
  [...sources].flatMap(([file, text]) =>
    [...withoutComments(text).matchAll(makesCode)].map(([match]) => `${file}: ${match}`),
  )

describe('packages/core/src', () => {
  const sources = sourcesOf('packages/core/src')

  test('has the modules of the table', () => {
    const names = new Set([...sources.keys()].map(moduleOf))
    expect(
      Object.keys(mayImport).filter((name) => !name.endsWith('.ts') && !names.has(name)),
    ).toEqual([])
  })

  test('every import obeys the table of modules', () => {
    expect(violationsOf(sources)).toEqual([])
  })

  test('the files of recursive types hold only types', () => {
    const code = [...sources].filter(
      ([file, text]) =>
        recursiveTypes.test(file) &&
        /^\s*(?!declare const \w+: unique symbol$)(export\s+)?(declare\s+)?(const|let|var|class|function|async|import(?! type))\b/m.test(
          withoutComments(text),
        ),
    )
    expect(code.map(([file]) => file)).toEqual([])
  })

  test('only immer and lru-cache are imported, and node: modules only in persistence/node', () => {
    const isAllowed = (file: string, specifier: string): boolean =>
      specifier.startsWith('.') ||
      packages.includes(specifier) ||
      (file.startsWith('persistence/node/') && /^node:/.test(specifier))
    const outside = [...sources].flatMap(([file, text]) =>
      importsOf(text)
        .filter((specifier) => !isAllowed(file, specifier))
        .map((specifier) => `${file} -> ${specifier}`),
    )
    expect(outside).toEqual([])
  })

  test('immer and lru-cache are both in use', () => {
    const used = new Set([...sources.values()].flatMap(importsOf))
    expect(packages.filter((name) => !used.has(name))).toEqual([])
  })

  test('text is never compiled to code, and time and randomness come from the ports', () => {
    const forbidden =
      /\beval\s*\(|\bnew\s+Function\b|(?<!\.)\bFunction\s*\(|\bDate\.now\b|\bnew\s+Date\s*\(\s*\)|\bperformance\.now\b|\bMath\.random\b|\bcrypto\./g
    const found = [...sources]
      .filter(([file]) => !/(^|\/)ports\.ts$/.test(file))
      .flatMap(([file, text]) =>
        [...withoutComments(text).matchAll(forbidden)].map(([match]) => `${file}: ${match}`),
      )
    expect(found).toEqual([])
  })
})

test('packages/engine/src: the engine of stores in memory stands on the interface', () => {
  const sources = sourcesOf('packages/engine/src')
  const table = {
    errors: [],
    interface: ['errors'],
    speculation: [],
    memory: ['errors', 'interface'],
    'index.ts': ['errors', 'interface', 'memory', 'speculation'],
  }
  expect(violationsOf(sources, table)).toEqual([])
})

test.each([
  ['engine', ['@entia/core', '@entia/core/internal']],
  ['sql', ['@entia/core', '@entia/core/internal', '@entia/core/query', '@entia/engine']],
])('of the packages of Entia, packages/%s/src imports %j', (name, own) => {
  const imported = [...sourcesOf(`packages/${name}/src`).values()]
    .flatMap(importsOf)
    .filter((specifier) => specifier.startsWith('@entia/'))
  expect([...new Set(imported)].sort()).toEqual(own)
})

describe.each(['core', 'engine', 'rest', 'testing', 'explorer', 'cli', 'mcp', 'valkey'])(
  'packages/%s/src',
  (name) => {
    const sources = sourcesOf(`packages/${name}/src`)

    test('has no import cycle, including type-only imports', () => {
      expect(findCycle(withoutRecursiveTypes(importGraph(sources)))?.join(' -> ')).toBeUndefined()
    })

    test(`has no file above ${maxLines} lines, except generated ones`, () => {
      expect(longFilesOf(sources)).toEqual([])
    })
  },
)

test.each(['core', 'engine', 'rest', 'explorer', 'cli', 'valkey'])(
  'packages/%s/src compiles no code from text, and regular expressions only from literals',
  (name) => {
    expect(codeMakersOf(sourcesOf(`packages/${name}/src`))).toEqual([])
  },
)

test('packages/explorer/src imports only Preact, and sends requests in one place', () => {
  const sources = [...sourcesOf('packages/explorer/src')].filter(([file]) => !isGenerated(file))
  const imported = sources
    .flatMap(([, text]) => importsOf(text))
    .filter((specifier) => !specifier.startsWith('.'))
  expect([...new Set(imported)].sort()).toEqual(['preact', 'preact/hooks'])
  const asking =
    /\bfetch\s*\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|innerHTML|insertAdjacentHTML|outerHTML/
  expect(
    sources.filter(([, text]) => asking.test(withoutComments(text))).map(([file]) => file),
  ).toEqual(['page/api.ts'])
})

describe('the checks themselves', () => {
  test('a forbidden import is reported in every form', () => {
    const forms = [
      "import { a } from '../store/store.ts'",
      "import type { A } from '../store/store.ts'",
      "export * from '../store/store.ts'",
      "import '../store/store.ts'",
      "const a = await import('../store/store.ts')",
      "type A = import('../store/store.ts').A",
      "import {\n  a,\n} from '../store/store.ts'",
    ]
    for (const text of forms) {
      const sources = new Map([
        ['value/date.ts', text],
        ['store/store.ts', ''],
      ])
      expect(violationsOf(sources), text).toEqual(['value/date.ts -> store/store.ts'])
    }
  })

  test('imports in comments are ignored, and comments in strings are kept', () => {
    expect(importsOf("/** import { a } from './a.ts' */\n// import './b.ts'\n")).toEqual([])
    expect(importsOf("const a = '/*'\nimport './b.ts'\nconst c = '*/'")).toEqual(['./b.ts'])
  })

  test('unknown modules and unresolved imports are reported', () => {
    expect(violationsOf(new Map([['misc/a.ts', "import './b.ts'"]]))).toEqual([
      'misc/a.ts: the module "misc" is not in the table',
      'misc/a.ts: misc/b.ts does not exist (imports end in .ts)',
    ])
  })

  test('a cycle is reported as a path', () => {
    const graph = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['b.ts']],
    ])
    expect(findCycle(graph)).toEqual(['b.ts', 'c.ts', 'b.ts'])
    expect(findCycle(new Map([...graph, ['c.ts', []]]))).toBeNull()
  })

  test.each([
    'eval(text)',
    '(0, eval) (text)',
    'new Function(text)',
    'Function(text)',
    "setTimeout('work()', 5)",
    'new RegExp(text)',
    'RegExp(`^a`)',
    "new RegExp('^' + text)",
  ])('code compiled by %s is reported', (text) => {
    expect(codeMakersOf(new Map([['a.ts', `const code = ${text}`]]))).toHaveLength(1)
  })

  test('similar code is accepted', () => {
    const text =
      "new RegExp('[a-z]', 'u'); isFunction(a); faker.fromRegExp(a); setTimeout(work, 5); /\\p{L}/u.exec(a)"
    expect(codeMakersOf(new Map([['a.ts', text]]))).toEqual([])
  })

  test('a long file is reported unless it is generated', () => {
    const text = 'x\n'.repeat(maxLines + 1)
    const sources = new Map([
      ['a.ts', text],
      ['a.generated.js', text],
      ['b.ts', 'x\n'.repeat(maxLines)],
    ])
    expect(longFilesOf(sources)).toEqual([`a.ts: ${maxLines + 1} lines`])
  })
})
