/**
 * The mutated files by module, and their tests. `near` are the closest and fastest tests; the
 * survivors run against `tests`. Tests of files (src/node), of processes, and of several minutes
 * are left out.
 */
const core = (...files) => files.map((file) => `packages/core/src/${file}`)
const rest = (...files) => files.map((file) => `packages/rest/src/${file}`)
const generated = '!packages/*/src/**/*.generated.ts'

const sessions = core(
  ...['locks', 'sessions', 'server-state*', 'open-session'].map(
    (name) => `server-state/${name}.ts`,
  ),
)
const views = core('view/*.ts')
const filesOf = (name, excluded = []) => [
  ...core(`${name}/**/*.ts`),
  generated,
  ...excluded.map((file) => `!${file}`),
]

const ALL =
  /^core\/test\/(engine|execute|filter|model|plan|query|storage|write|value|[a-z-]+\.test)(?!.*generated-parser)/
const SMALL = /^core\/test\/(filter|model|plan|query|storage|write|value)\/(?!generated-parser)/
const OFFICE =
  /^core\/test\/engine\/(a|data-store|entity|regressions|keys|planner|range|restore|selection|set-|text|tied|tra|update)/

/**
 * By name: the files to mutate, and the patterns of the test files to run first and last.
 * @type {Readonly<Record<string, { readonly mutate: readonly string[], readonly near: readonly
 * RegExp[], readonly tests: readonly RegExp[] }>>}
 */
export const modules = {
  value: {
    mutate: filesOf('value'),
    near: [/^core\/test\/(value|filter)\/(?!generated-parser)/],
    tests: [ALL],
  },
  filter: {
    mutate: filesOf('filter'),
    near: [/^core\/test\/filter\/(?!generated-parser)/],
    tests: [ALL],
  },
  plan: {
    mutate: filesOf('plan'),
    near: [/^core\/test\/(plan|filter)\/(?!generated-parser)/, OFFICE],
    tests: [ALL],
  },
  storage: { mutate: filesOf('storage'), near: [/^core\/test\/storage\//], tests: [SMALL] },
  write: {
    mutate: filesOf('write'),
    near: [/^core\/test\/write\//],
    tests: [
      /^core\/test\/(write|engine\/(data-store|transactions|update-all|text-rel|arguments|rare-calls))/,
    ],
  },
  query: {
    mutate: ['query', 'entity', 'aggregate'].flatMap((name) => filesOf(name)),
    near: [/^core\/test\/query\//, OFFICE],
    tests: [ALL],
  },
  engine: {
    mutate: [
      ...['kernel', 'live', 'server-state', 'dump', 'store'].flatMap((name) => filesOf(name)),
      ...sessions.map((file) => `!${file}`),
    ],
    near: [/^core\/test\/(engine\/|write\/|[a-z-]+\.test)/],
    tests: [ALL],
  },
  locks: {
    mutate: sessions,
    near: [/^core\/test\/engine\/(lock|session|anonymous)/],
    tests: [/^core\/test\/engine\/(lock|session|anonymous|entity-set|restore|uploads|view)/],
  },
  views: {
    mutate: views,
    near: [/^core\/test\/engine\/view/],
    tests: [/^core\/test\/engine\/(view|reading|entity-set|trace|rare-calls)/],
  },
  words: {
    mutate: core(
      ...[
        'storage/word-index',
        'storage/word-order',
        'execute/word-search',
        'execute/relevance',
      ].map((name) => `${name}.ts`),
    ),
    near: [
      /^core\/test\/(storage|execute)\/word-/,
      /^core\/test\/engine\/(relevance|search|word-)/,
    ],
    tests: [
      /^core\/test\/(engine\/(relevance|search|word-|live|view|restore)|commands|storage|plan)/,
    ],
  },
  permission: {
    mutate: [
      ...rest('endpoints/permission/authorize.ts'),
      'packages/engine/src/interface/access.ts',
      'packages/engine/src/interface/permit.ts',
    ],
    near: [/^rest\/test\/endpoints\//],
    tests: [
      /^rest\/test\/endpoints\//,
      /^rest\/test\/http\/(authorize|hidden|locks|functions|media|sessions|entity-sets|write)/,
    ],
  },
}
