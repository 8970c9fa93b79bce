import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { createRestHandler, ReplicaState, type RestHandler } from '@entia/rest'

// What callers may see, in two ways: by the rules that a server is given, and by hand.

const Company = defineDataClass('Company', {
  ID: attribute.string({ key: true }),
  city: attribute.string({ indexed: true }),
  revenue: attribute.long(),
  staff: attribute.relatedEntities('Employee', 'employer'),
  accesses: attribute.relatedEntities('Access', 'company'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.string({ key: true }),
  name: attribute.string(),
  salary: attribute.long({ indexed: true }),
  employer: attribute.relatedEntity('Company'),
  manager: attribute.relatedEntity('Employee'),
  reports: attribute.relatedEntities('Employee', 'manager'),
})
const Access = defineDataClass('Access', {
  ID: attribute.string({ key: true }),
  user: attribute.string(),
  company: attribute.relatedEntity('Company'),
})
export const WATCHED = [Company, Employee, Access] as const

export type Name = 'Company' | 'Employee' | 'Access'
export const NAMES: readonly Name[] = ['Company', 'Employee', 'Access']
/** The values of an entity; relations are keys. */
export type Row = { readonly [attribute: string]: string | number | null }
/** Entities by dataclass and key. */
export type World = { readonly [N in Name]: ReadonlyMap<string, Row> }

const COLUMNS: { readonly [N in Name]: readonly string[] } = {
  Company: ['city', 'revenue'],
  Employee: ['name', 'salary', 'employer', 'manager'],
  Access: ['user', 'company'],
}
const RELATIONS: { readonly [name: string]: readonly [from: Name, column: string, to: Name] } = {
  employer: ['Employee', 'employer', 'Company'],
  manager: ['Employee', 'manager', 'Employee'],
  company: ['Access', 'company', 'Company'],
}
const INVERSES: { readonly [name: string]: string } = {
  staff: 'employer',
  reports: 'manager',
  accesses: 'company',
}

type StoreOf = ReturnType<typeof createWatched>['store']

/** The values of a store's tables. A relation to a hidden or missing entity is a key, too. */
export function worldOf(store: object): World {
  const { writer } = handleOf(store as StoreOf)
  return Object.fromEntries(
    NAMES.map((name) => {
      const table = writer.tables.find(({ model }) => model.name === name)!
      const { storage, key } = table.model
      const columns = storage.flatMap(({ ordinal, name, relation }) =>
        ordinal === key.ordinal ? [] : [[relation?.name ?? name, ordinal] as const],
      )
      const rows = new Map<string, Row>()
      for (const slot of table.liveSlots()) {
        const row = columns.map(([of, ordinal]) => [of, table.read(slot, ordinal)])
        rows.set(table.read(slot, key.ordinal) as string, Object.fromEntries(row))
      }
      return [name, rows]
    }),
  ) as unknown as World
}

/** The keys to which a relation leads. */
function related(world: World, of: string, key: string): readonly string[] {
  const inverse = INVERSES[of]
  if (inverse !== undefined) {
    const [from, column] = RELATIONS[inverse]!
    return [...world[from]].flatMap(([each, row]) => (row[column] === key ? [each] : []))
  }
  const [from, column, to] = RELATIONS[of]!
  const target = world[from].get(key)?.[column]
  return typeof target === 'string' && world[to].has(target) ? [target] : []
}
const targetOf = (of: string): Name => {
  const inverse = INVERSES[of]
  return inverse === undefined ? RELATIONS[of]![2] : RELATIONS[inverse]![0]
}

type Test = (world: World, key: string) => boolean
export interface Condition {
  readonly text: string
  readonly test: Test
}
const is =
  (of: Name, column: string, test: (value: string | number | null) => boolean): Test =>
  (world, key) =>
    test(world[of].get(key)?.[column] ?? null)
const some =
  (relation: string, test: Test): Test =>
  (world, key) =>
    related(world, relation, key).some((each) => test(world, each))
const isParis = is('Company', 'city', (city) => city === 'Paris')
const isRich = is('Employee', 'salary', (salary) => Number(salary ?? 0) > 1)
const isAnns = is('Access', 'user', (user) => user === 'ann')

const CONDITIONS: { readonly [N in Name]: readonly Condition[] } = {
  Company: [
    { text: "city === 'Paris'", test: isParis },
    { text: 'staff.salary > 1', test: some('staff', isRich) },
    { text: "accesses.user === 'ann'", test: some('accesses', isAnns) },
    { text: "not (city === 'Paris')", test: (world, key) => !isParis(world, key) },
  ],
  Employee: [
    { text: 'salary > 1', test: isRich },
    { text: "employer.city === 'Paris'", test: some('employer', isParis) },
    { text: 'manager.salary > 1', test: some('manager', isRich) },
    { text: 'reports.salary > 1', test: some('reports', isRich) },
    {
      text: "employer.accesses.user === 'ann'",
      test: some('employer', some('accesses', isAnns)),
    },
    {
      text: "salary > 1 and employer.staff.salary > 1 or manager.employer.city === 'Paris'",
      test: (world, key) =>
        (isRich(world, key) && some('employer', some('staff', isRich))(world, key)) ||
        some('manager', some('employer', isParis))(world, key),
    },
  ],
  Access: [{ text: "user === 'ann'", test: isAnns }],
}
const PATHS: { readonly [N in Name]: readonly string[] } = {
  Company: ['staff', 'staff.manager', 'staff.reports.employer', 'accesses'],
  Employee: ['employer', 'manager.manager', 'reports.employer.staff', 'employer.accesses'],
  Access: ['company', 'company.staff', 'company.staff.reports'],
}

/** What a caller may see: rows by number of a condition, null for all; hidden attributes. */
export interface Permissions {
  readonly rows: { readonly [N in Name]: number | null }
  readonly hidden: readonly string[]
}
export interface WatchedShape {
  /** The number of a condition; null for all. */
  readonly filter: number | null
  readonly paths: readonly number[]
}
export type WatchedShapes = { readonly [N in Name]?: WatchedShape }

const conditionOf = (name: Name, number: number | null): Condition | null =>
  number === null ? null : CONDITIONS[name][number % CONDITIONS[name].length]!
const pathsOf = (name: Name, { paths }: WatchedShape): readonly string[] => [
  ...new Set(paths.map((at) => PATHS[name][at % PATHS[name].length]!)),
]

const textOf = ({ rows, hidden }: Permissions): string =>
  JSON.stringify([NAMES.map((name) => conditionOf(name, rows[name])?.text), hidden])

/** What is left of a world for a caller. */
export function seenBy({ rows, hidden }: Permissions, world: World): World {
  const isSeen = (name: Name, key: string): boolean =>
    world[name].has(key) && (conditionOf(name, rows[name])?.test(world, key) ?? true)
  const valueIn = (name: Name, row: Row, column: string): Row[string] => {
    const value = row[column] ?? null
    if (hidden.includes(`${name}.${column}`)) return null
    const target = RELATIONS[column]?.[2]
    return target !== undefined && !isSeen(target, String(value)) ? null : value
  }
  return Object.fromEntries(
    NAMES.map((name) => {
      const seen = [...world[name]].filter(([key]) => isSeen(name, key))
      const rowOf = (row: Row): Row =>
        Object.fromEntries(COLUMNS[name].map((column) => [column, valueIn(name, row, column)]))
      return [name, new Map(seen.map(([key, row]) => [key, rowOf(row)]))]
    }),
  ) as unknown as World
}

/** What shapes hold of what a caller sees, in an order that can be compared. */
export function heldBy(shapes: WatchedShapes, seen: World): object {
  const held: { readonly [N in Name]: Set<string> } = {
    Company: new Set(),
    Employee: new Set(),
    Access: new Set(),
  }
  for (const [name, shape] of Object.entries(shapes) as [Name, WatchedShape][]) {
    const test = conditionOf(name, shape.filter)?.test ?? (() => true)
    const start = [...seen[name].keys()].filter((key) => test(seen, key))
    for (const key of start) held[name].add(key)
    for (const path of pathsOf(name, shape)) {
      let keys: Iterable<string> = start
      for (const step of path.split('.')) {
        const next = new Set([...keys].flatMap((key) => related(seen, step, key)))
        for (const key of next) held[targetOf(step)].add(key)
        keys = next
      }
    }
  }
  return shown(seen, (name, key) => held[name].has(key))
}

/** Entities by dataclass and key, in order. */
export const shown = (world: World, isShown: (name: Name, key: string) => boolean): object =>
  Object.fromEntries(
    NAMES.map((name) => [
      name,
      [...world[name]]
        .filter(([key]) => isShown(name, key))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, row]) => [key, ...COLUMNS[name].map((column) => row[column] ?? null)]),
    ]),
  )

export function createWatched(commits: number) {
  const dataClasses = [...WATCHED, ReplicaState] as const
  const store = createDataStore({ name: 'watched', dataClasses, history: { commits } })
  return { store }
}

/** What a replica asks for. */
export const sentShapes = (shapes: WatchedShapes) =>
  Object.fromEntries(
    (Object.entries(shapes) as [Name, WatchedShape][]).map(([name, shape]) => {
      const filter = conditionOf(name, shape.filter)?.text
      const paths = pathsOf(name, shape)
      return [name, { ...(filter !== undefined && { filter }), with: paths }]
    }),
  )

/** The handler of a caller, whose permissions a test changes, and a connection to it. */
export class WatchedCaller {
  permissions: Permissions
  /** What the caller was sent and must not have seen. */
  readonly leaks: string[] = []
  /** The permissions that the last stream was opened with. */
  opened: Permissions
  isUp = true
  lines = 0
  readonly db
  readonly rest: RestHandler
  readonly #store: StoreOf
  /** Keys that the caller has ever been allowed to see. */
  readonly #known = new Set<string>()
  readonly #open = new Set<() => void>()

  constructor(store: StoreOf, permissions: Permissions) {
    this.#store = store
    this.permissions = permissions
    this.opened = permissions
    this.rest = createRestHandler(store, {
      replicas: true,
      authorize: ({ dataClass, action, attribute }) => {
        const { rows, hidden } = this.permissions
        if (dataClass === null || action !== 'read') return true
        if (attribute !== undefined) return !hidden.includes(`${dataClass}.${attribute}`)
        return conditionOf(dataClass as Name, rows[dataClass as Name])?.text ?? true
      },
    })
    this.noteSeen()
    store.on('commit', () => this.noteSeen())
    this.db = connect('http://watched.test/rest', { fetch: (request) => this.#fetch(request) })
  }

  noteSeen(): void {
    const seen = seenBy(this.permissions, worldOf(this.#store))
    for (const name of NAMES) for (const key of seen[name].keys()) this.#known.add(name + key)
  }
  change(permissions: Permissions): void {
    this.permissions = permissions
    this.noteSeen()
    this.rest.permissionsChanged()
  }
  cut(): void {
    this.isUp = false
    for (const end of this.#open) end()
    this.#open.clear()
  }

  async #fetch(request: Request): Promise<Response> {
    const body = await request.text()
    if (!this.isUp || request.signal.aborted) throw new TypeError('no connection')
    const { permissions } = this
    const url = new URL(request.url).pathname
    const headers = { 'content-type': 'application/json' }
    const answer = await this.rest.handle({ method: 'POST', url, headers, body })
    if (answer.stream === undefined)
      return new Response(answer.body as string, { status: answer.status, headers: answer.headers })
    this.opened = permissions
    const lines = answer.stream[Symbol.asyncIterator]()
    const tap = new Tap(() => seenBy(permissions, worldOf(this.#store)), this.#known)
    let end = (): void => {}
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          end = () => {
            this.#open.delete(end)
            void lines.return?.()
            try {
              controller.error(new TypeError('cut'))
            } catch {
              // It has ended.
            }
          }
        },
        pull: async (controller) => {
          const { done, value } = await lines.next()
          if (done === true) {
            this.#open.delete(end)
            controller.close()
            return
          }
          if (value !== '\n' && textOf(permissions) !== textOf(this.permissions))
            this.leaks.push(`after a change of permissions: ${value}`)
          this.lines += value.length
          this.leaks.push(...tap.leaksOf(value))
          controller.enqueue(new TextEncoder().encode(value))
        },
        cancel: () => {
          this.#open.delete(end)
          void lines.return?.()
        },
      },
      { highWaterMark: 0 },
    )
    this.#open.add(end)
    request.signal.addEventListener('abort', end, { once: true })
    return new Response(stream, { status: 200, headers: answer.headers })
  }
}

type Columns = readonly (readonly [name: Name, columns: readonly string[]])[]

/** Reads the lines of one stream as they leave the server. */
class Tap {
  #classes: Columns = []
  readonly #seen: () => World
  readonly #known: ReadonlySet<string>

  constructor(seen: () => World, known: ReadonlySet<string>) {
    this.#seen = seen
    this.#known = known
  }

  /** What the caller must not see now. */
  leaksOf(text: string): readonly string[] {
    const seen = this.#seen()
    return text.split('\n').flatMap((line) => {
      if (line === '') return []
      const parsed = JSON.parse(line) as { readonly classes: Columns } | unknown[]
      if (!Array.isArray(parsed)) {
        this.#classes = parsed.classes
        return []
      }
      const [number, key, , fourth, values, places] = parsed
      if (typeof number !== 'number') return []
      const [name, columns] = this.#classes[number]!
      if (Array.isArray(key)) {
        const lists = key.map(valuesIn)
        return lists[0]!.flatMap((each, at) =>
          this.#wrong(
            seen,
            name,
            each as string,
            columns,
            lists.map((list) => list[at]),
          ),
        )
      }
      if (fourth === undefined)
        return this.#known.has(name + String(key)) ? [] : [`left, and never seen: ${line}`]
      const sent = places === undefined ? columns : (places as number[]).map((at) => columns[at]!)
      return this.#wrong(seen, name, key as string, sent, values as unknown[])
    })
  }

  #wrong(
    seen: World,
    name: Name,
    key: string,
    columns: readonly string[],
    values: readonly unknown[],
  ): readonly string[] {
    const row = seen[name].get(key)
    if (row === undefined) return [`${name} ${key} is hidden or not there`]
    return columns.flatMap((column, at) =>
      column === 'ID' || row[column] === values[at]
        ? []
        : [`${name} ${key}.${column} is ${row[column]}, not ${String(values[at])}`],
    )
  }
}

function valuesIn(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list
  const { w, c } = list as { readonly w: readonly unknown[]; readonly c: readonly number[] }
  return c.map((code) => w[code])
}
