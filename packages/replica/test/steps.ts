import fc from 'fast-check'
import { expect } from 'vitest'
import { type ReplicateOptions, replicate } from '../src/index.ts'
import { CLASSES, type createOffice, linkTo, PAUSES, rowsOf } from './office.ts'
import { until } from './waiting.ts'

/** Conditions of employees and companies, with what a replica holds by them. */
export const SHAPES = [
  { shapes: { Company: true, Employee: true }, Company: null, Employee: null },
  {
    shapes: { Company: { filter: 'city = Paris', with: ['staff'] } },
    Company: 'city = Paris',
    Employee: 'employer.city = Paris',
  },
  {
    shapes: { Employee: { filter: 'salary >= 2', with: ['employer'] } },
    Company: 'staff.salary >= 2',
    Employee: 'salary >= 2',
  },
  {
    shapes: { Employee: { filter: 'salary = 1', with: ['manager', 'reports'] } },
    Company: 'ID = null',
    Employee: 'salary = 1 or manager.salary = 1 or reports.salary = 1',
  },
] as const

const nat = fc.nat(3)
export type Server =
  | { readonly kind: 'company'; readonly at: number; readonly city: string | null }
  | {
      readonly kind: 'hire'
      readonly salary: number
      readonly employer: number
      readonly manager: number
    }
  | {
      readonly kind: 'change'
      readonly at: number
      readonly salary: number
      readonly employer: number
    }
  | { readonly kind: 'remove'; readonly of: 'Company' | 'Employee'; readonly at: number }
export const server: fc.Arbitrary<Server> = fc.oneof(
  fc.record({
    kind: fc.constant('company' as const),
    at: nat,
    city: fc.constantFrom('Paris', 'Rome', null),
  }),
  fc.record({ kind: fc.constant('hire' as const), salary: nat, employer: nat, manager: nat }),
  fc.record({ kind: fc.constant('change' as const), at: nat, salary: nat, employer: nat }),
  fc.record({
    kind: fc.constant('remove' as const),
    of: fc.constantFrom('Company' as const, 'Employee' as const),
    at: nat,
  }),
)
export type Step =
  | { readonly kind: 'server'; readonly writes: readonly Server[] }
  | { readonly kind: 'wait'; readonly turns: number }
  | { readonly kind: 'wire'; readonly replica: number; readonly isUp: boolean }
  | { readonly kind: 'lose'; readonly replica: number }
  | { readonly kind: 'local'; readonly replica: number; readonly write: Server }
export const step = (hasWrites: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('server' as const),
        writes: fc.array(server, { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.nat(4) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('wire' as const),
        replica: fc.nat(1),
        isUp: fc.boolean(),
      }),
    },
    {
      weight: hasWrites ? 5 : 0,
      arbitrary: fc.record({
        kind: fc.constant('local' as const),
        replica: fc.nat(1),
        write: server,
      }),
    },
    {
      weight: hasWrites ? 1 : 0,
      arbitrary: fc.record({ kind: fc.constant('lose' as const), replica: fc.nat(1) }),
    },
  )

export type Office = ReturnType<typeof createOffice>
export type Tables = Pick<Office['store'], 'Company' | 'Employee'>

/** Makes one change if there is something to change. `text` marks the employees that it saves. */
export function write(tx: Tables, change: Server, text: string): void {
  const company = (at: number) => tx.Company.all().keys()[at] ?? null
  const employee = (at: number) => tx.Employee.all().keys()[at]
  switch (change.kind) {
    case 'company': {
      const key = company(change.at)
      if (key === null) tx.Company.insert({ city: change.city })
      else tx.Company.update(key, { city: change.city })
      return
    }
    case 'hire': {
      const { salary } = change
      const manager = employee(change.manager) ?? null
      tx.Employee.insert({ salary, manager, employer: company(change.employer), notes: { text } })
      return
    }
    case 'change': {
      const key = employee(change.at)
      const { salary } = change
      if (key !== undefined)
        tx.Employee.update(key, { salary, employer: company(change.employer), notes: { text } })
      return
    }
    case 'remove': {
      const key = change.of === 'Company' ? company(change.at) : employee(change.at)
      if (key !== null && key !== undefined) tx[change.of].remove(key)
    }
  }
}

export async function opened(
  office: Pick<Office, 'rest'>,
  number: number,
  { isUp = true, keep }: { readonly isUp?: boolean; readonly keep?: ReplicateOptions['keep'] } = {},
) {
  const link = linkTo(office.rest)
  if (!isUp) link.cut()
  const kind = SHAPES[number]!
  const errors: unknown[] = []
  const replica = await replicate(link.db, {
    dataClasses: CLASSES,
    shapes: kind.shapes,
    // The test reads everything that is here.
    partial: true,
    pauses: PAUSES,
    ...(keep && { keep }),
    onError: (error) => errors.push(error),
  })
  return { ...link, kind, replica, errors }
}
export type Opened = Awaited<ReturnType<typeof opened>>

/** What a replica must hold of a state of the server. */
export const expected = (tables: Tables, { kind }: Pick<Opened, 'kind'>) => ({
  Company: rowsOf(
    kind.Company === null ? tables.Company.all() : tables.Company.query(kind.Company),
  ),
  Employee: rowsOf(
    kind.Employee === null ? tables.Employee.all() : tables.Employee.query(kind.Employee),
  ),
})
export const held = ({ replica: { store } }: Opened) => ({
  Company: rowsOf(store.Company.all()),
  Employee: rowsOf(store.Employee.all()),
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
/** Waits until a connected replica has what it should, and asserts that it has not failed. */
export async function untilSame(tables: Tables, one: Opened): Promise<void> {
  await until(() => one.errors.length > 0 || isEqual(held(one), expected(tables, one)))
  expect(one.errors).toEqual([])
}
export const placeOf = (one: Opened): number =>
  (
    (one.replica.store as never as { dataClass(n: string): { get(k: string): never } })
      .dataClass('ReplicaPlace')
      .get('place') as { readonly at: { readonly globalStamp: number } }
  ).at.globalStamp
/** The last commits of the server did not concern the replica. */
export const isUntouched = (office: Office, one: Opened): boolean =>
  isEqual(held(one), expected(office.store, one))

/** Counts in `saved` how often each mark of a local write was saved, from now on. */
export function countMarks({ store }: Pick<Office, 'store'>, saved: Map<string, number>): void {
  const markOf = (entity: { readonly notes?: unknown } | null): string | undefined =>
    (entity?.notes as { text?: string } | null | undefined)?.text
  store.on('commit', ({ changes }) => {
    for (const { before, after } of changes) {
      const mark = markOf(after)
      if (mark?.startsWith('mine') && mark !== markOf(before))
        saved.set(mark, (saved.get(mark) ?? 0) + 1)
    }
  })
}

export async function run(
  office: Pick<Office, 'store'>,
  all: readonly Opened[],
  step: Step,
): Promise<void> {
  switch (step.kind) {
    case 'server':
      office.store.transact((tx) => {
        for (const each of step.writes) write(tx as never, each, 'server')
      })
      return
    case 'wait':
      for (let at = 0; at < step.turns; at++) await turn()
      return
    case 'wire':
      if (step.isUp) all[step.replica]!.connect()
      else all[step.replica]!.cut()
      return
    case 'lose':
      all[step.replica]!.wire.lost++
      return
    case 'local':
      return
  }
}
