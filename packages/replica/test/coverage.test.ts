import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { type Replica, ReplicaError, replicate } from '../src/index.ts'
import { CLASSES, createOffice, PAUSES } from './office.ts'
import { until } from './waiting.ts'
import { change, permissions, shapes, write } from './watched-histories.ts'
import {
  createWatched,
  NAMES,
  type Name,
  type Permissions,
  sentShapes,
  WATCHED,
  WatchedCaller,
  type WatchedShapes,
  worldOf,
} from './watched-office.ts'

const PARTS: { readonly [N in Name]: readonly string[] } = {
  Company: [
    "city === 'Paris'",
    "city === 'Rome'",
    'city = null',
    "city in ['Paris', 'Oslo']",
    'revenue > 0',
    'staff.salary > 1',
    'staff.salary > 2',
    "staff.salary = 2 and staff.name = 'n1'",
    "staff.employer.city === 'Paris'",
    'staff.manager.salary = 3',
    "accesses.user === 'ann'",
    'staff = null',
  ],
  Employee: [
    'salary > 1',
    'salary > 2',
    'salary = 2',
    'salary < 3',
    "name = 'n1'",
    "employer.city === 'Paris'",
    "employer.city === 'Rome'",
    'employer.city = null',
    "employer.city === 'Paris' and employer.revenue > 0",
    "employer.accesses.user === 'ann'",
    'employer.staff.salary > 1',
    'manager.salary > 1',
    'manager.salary = 3',
    'manager = null',
    'reports.salary > 1',
    "reports.employer.city === 'Paris'",
  ],
  Access: [
    "user === 'ann'",
    'user = null',
    "company.city === 'Paris'",
    'company.staff.salary > 1',
    'company.staff.salary > 2',
  ],
}
const query = (name: Name): fc.Arbitrary<string> => {
  const part = fc.constantFrom(...PARTS[name])
  const join = (sign: string) => fc.tuple(part, part).map(([a, b]) => `(${a}) ${sign} (${b})`)
  return fc.oneof(
    part,
    part.map((a) => `not (${a})`),
    join('and'),
    join('or'),
  )
}
const asked = fc.record({
  Company: fc.array(query('Company'), { maxLength: 6 }),
  Employee: fc.array(query('Employee'), { maxLength: 6 }),
  Access: fc.array(query('Access'), { maxLength: 4 }),
})
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never
const filter = (name: Name) => fc.option(query(name), { freq: 2, nil: undefined })
/** Conditions of shapes in the place of those that they have. */
const filters = fc.record({
  Company: filter('Company'),
  Employee: filter('Employee'),
  Access: filter('Access'),
})
type Filters = typeof filters extends fc.Arbitrary<infer T> ? T : never
const WALKS = [
  ['Company', 'staff', 'Employee', 'employer'],
  ['Company', 'accesses', 'Access', 'company'],
  ['Employee', 'reports', 'Employee', 'manager'],
] as const

/** What the replica answers; the text of the error if it refuses. */
function answerOf(read: () => { keys(): readonly unknown[] }): readonly unknown[] | string {
  try {
    return [...read().keys()].sort()
  } catch (error) {
    expect(error).toBeInstanceOf(ReplicaError)
    expect(error).toMatchObject({ code: 'notReplicated' })
    return (error as Error).message
  }
}

const met = { answered: 0, refused: 0, walks: 0, remedies: 0 }

/** Asks a replica everything, and compares each answer with that of the server to its caller. */
async function runQueries(
  before: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
  allowed: Permissions,
  held: WatchedShapes,
  own: Filters,
  queries: Asked,
): Promise<void> {
  const { store } = createWatched(0)
  store.transact((tx) => {
    for (const each of before) write(tx as never, each)
  })
  const caller = new WatchedCaller(store, allowed)
  const asShape = ([name, shape]: readonly [string, object]) => {
    const text = own[name as Name]
    return [name, text === undefined ? shape : { ...shape, filter: text }] as const
  }
  const opening = replicate(caller.db, {
    dataClasses: WATCHED,
    shapes: Object.fromEntries(Object.entries(sentShapes(held)).map(asShape)),
    pauses: PAUSES,
  })
  // A condition on an attribute that the caller may not read.
  const replica = (await opening.catch(() => null)) as Replica | null
  fc.pre(replica !== null)
  const byServer = async (name: Name, text: string): Promise<readonly unknown[]> => {
    const address = `http://watched.test/rest/${name}?$filter="${encodeURIComponent(text)}"&$top=99`
    const answer = await caller.rest.fetch(new Request(address))
    const { __ENTITIES: entities } = (await answer.json()) as {
      readonly __ENTITIES?: readonly { readonly ID: string }[]
    }
    expect(entities, `The server refuses what the replica answers: ${name} ${text}`).toBeDefined()
    return entities!.map(({ ID }) => ID).sort()
  }
  const table = (name: Name) => replica.store.dataClass(name)
  for (const name of NAMES)
    for (const text of queries[name]) {
      const answer = answerOf(() => table(name).query(text))
      if (typeof answer !== 'string') {
        met.answered++
        expect({ text, answer }).toEqual({ text, answer: await byServer(name, text) })
        continue
      }
      met.refused++
      expect(answer).toMatch(/^The replica does not hold .*(Company|Employee|Access).*reshape/)
      // Each condition that the message names is a remedy, unless more is missing.
      const [, advice = ''] = answer.match(/wider than .* as narrow as (".*"), widen/) ?? []
      for (const condition of advice
        .slice(1, -1)
        .split('" or "')
        .filter((each) => each !== '')) {
        met.remedies++
        const narrower = answerOf(() => table(name).query(`(${text}) and (${condition})`))
        expect(String(narrower)).not.toMatch(/wider/)
      }
    }
  for (const [name, relation, target, inverse] of WALKS)
    for (const ID of worldOf(replica.store)[name].keys())
      for (const text of [null, ...queries[target].slice(0, 3)]) {
        const walk = () => (table(name).get(ID as never) as never as Walk)[relation]!
        const answer = answerOf(() => (text === null ? walk() : walk().query(text)))
        if (typeof answer === 'string') continue
        met.walks++
        const all = `${inverse}.ID = '${ID}'${text === null ? '' : ` and (${text})`}`
        expect({ all, answer }).toEqual({ all, answer: await byServer(target, all) })
      }
  await replica.close()
  caller.rest.endStreams()
  store.close()
}
interface Walk {
  readonly [relation: string]: { query(text: string): Keys } & Keys
}
interface Keys {
  keys(): readonly unknown[]
}
test(
  'each query that is answered is answered as by the server, and a refusal names a remedy',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 8, maxLength: 24 }),
        permissions,
        shapes,
        filters,
        asked,
        runQueries,
      ),
      runs(100, 60),
    )
    // Otherwise nothing was compared.
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(0)
  },
)

test('a condition on related entities that is as narrow as their shape needs no others', async () => {
  const { store, db } = createOffice()
  const acme = store.Company.insert({ name: 'Acme' })
  const staff = [5, 11, 20].map((salary) => store.Employee.insert({ salary, employer: acme }))
  const [, , rich] = staff.map(({ ID }) => ID)
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Company: true, Employee: { filter: 'salary > 10' } },
    pauses: PAUSES,
  })
  const { Company } = replica.store
  const walk = () => Company.get(acme.ID)!.staff
  expect(Company.query('staff.salary > 15').keys()).toEqual([acme.ID])
  expect(Company.query('not (staff.salary > 20)').keys()).toEqual([acme.ID])
  expect(walk().query('salary > 15').keys()).toEqual([rich])
  expect(walk().query('salary > 10 order by salary desc').first()?.ID).toBe(rich)
  expect(walk().query('salary > 10').orderBy('salary').select('salary')).toEqual([
    { salary: 11 },
    { salary: 20 },
  ])
  let changes = 0
  const live = walk()
    .query('salary > 15')
    .live(() => changes++)
  store.Employee.insert({ salary: 16, employer: acme })
  await until(() => walk().query('salary > 15').count === 2)
  live.stop()
  expect(changes).toBe(1)
  const behind = /behind "Company.staff" .* as narrow as "salary > 10", hold all of Employee with/
  for (const text of ['staff.salary > 5', 'not (staff.salary > 5)', 'staff = null'])
    expect(answerOf(() => Company.query(text))).toMatch(behind)
  const wider = /wider than the shape of Employee. Add .* "salary > 10", widen the shape with/
  const others = replica.store.Employee.query('salary > 10')
  const reads: readonly (() => unknown)[] = [
    () => walk().keys(),
    () => walk().count,
    () => walk().first(),
    () => [...walk()],
    () => walk().has('none'),
    () => walk().page(0, 1).toArray(),
    () => walk().orderBy('salary').toArray(),
    () => walk().or(others).count,
    () => others.and(walk()).count,
    () => walk().sum('salary'),
    () => walk().live(() => {}),
    () => walk().explain(),
    () => walk().query('salary > 5'),
    () => JSON.stringify(walk()),
  ]
  for (const read of reads) expect(read, String(read)).toThrow(wider)
  // An employer who is not held would count as none.
  await replica.reshape({ Company: { filter: 'name = null' }, Employee: true })
  const { Employee } = replica.store
  expect(Employee.query("employer.name = 'Acme' and employer.name = null").count).toBe(0)
  expect(answerOf(() => Employee.query('employer.name = null'))).toMatch(/behind/)
  await replica.close()
})
