/**
 * The mutated files by module, and their tests. `near` are the closest and fastest tests; the
 * survivors run against `tests`. Tests of files (src/node), of processes, and of several minutes
 * are left out.
 */
const core = (...files) => files.map((file) => `packages/core/src/${file}`)
const rest = (...files) => files.map((file) => `packages/rest/src/${file}`)
const generated = '!packages/*/src/**/*.generated.ts'

const sessions = core(
  ...['locks', 'sessions', 'server-state*', 'anonymous-sessions'].map(
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
  /^core\/test\/(engine|execute|filter|model|plan|selection|storage|transaction|value|[a-z-]+\.test)(?!.*generated-parser)/
const SMALL =
  /^core\/test\/(filter|model|plan|selection|storage|transaction|value)\/(?!generated-parser)/
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
  transaction: {
    mutate: filesOf('transaction'),
    near: [/^core\/test\/transaction\//],
    tests: [
      /^core\/test\/(transaction|engine\/(data-store|transactions|update-all|text-rel|arguments|rare-calls))/,
    ],
  },
  selection: {
    mutate: ['selection', 'entity', 'aggregate', 'projection'].flatMap((name) => filesOf(name)),
    near: [/^core\/test\/selection\//, OFFICE],
    tests: [ALL],
  },
  engine: {
    mutate: [
      ...['write', 'read', 'live', 'past', 'server-state', 'dump', 'store'].flatMap((name) =>
        filesOf(name),
      ),
      ...sessions.map((file) => `!${file}`),
    ],
    near: [/^core\/test\/(engine\/|transaction\/|[a-z-]+\.test)/],
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
  permission: {
    mutate: rest('handle/permission/authorize.ts', 'engine/access.ts', 'engine/permit.ts'),
    near: [/^rest\/test\/handle\//],
    tests: [
      /^rest\/test\/(handle|local-engine)\//,
      /^rest\/test\/http\/(authorize|hidden|locks|functions|media|sessions|entity-sets|write)/,
    ],
  },
}
