import { AsyncResource } from 'node:async_hooks'
import { attribute, defineDataClass, EntiaError, isEntiaError } from '@entia/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { migrateDatabase, openSqlStore } from '../../src/index.ts'
import { describeDatabases } from '../database.ts'

// One commit inserts a left and a right half. It happens between the two reads of a call, which
// must see both halves or none.

const Owner = defineDataClass('Owner', {
  ID: attribute.long({ key: true }),
  lefts: attribute.relatedEntities('Left', 'owner'),
  rights: attribute.relatedEntities('Right', 'owner'),
})
const half = {
  ID: attribute.long({ key: true }),
  code: attribute.string({ unique: true }),
  size: attribute.long(),
  owner: attribute.relatedEntity('Owner'),
}
const Left = defineDataClass('Left', half)
const Right = defineDataClass('Right', half)
const Mark = defineDataClass('Mark', { ID: attribute.long({ key: true, autoSequence: true }) })

type Awaitable<T> = T | Promise<T>
interface Halves {
  get(key: number): Awaitable<object | undefined>
  query(filter: string, parameters: readonly unknown[]): { readonly count: number }
  query(filter: TemplateStringsArray, ...values: unknown[]): { count(): Promise<number> }
  insert(values: object): Awaitable<unknown>
}
type Tables = { readonly [name in 'Left' | 'Right' | 'Mark']: Halves } & {
  readonly Owner: { get(key: number): { readonly [name: string]: { readonly count: number } } }
}
interface Store {
  call(name: string, ...args: unknown[]): Promise<unknown>
  transact<R>(body: (tx: Tables) => Promise<R>): Promise<R>
  readonly Owner: { insert(values: object): Promise<unknown> }
}
type Side = 'Left' | 'Right'

/** How many halves of a number a call sees: each of these questions is another fact. */
const READS: { readonly [name: string]: (tables: Tables, side: Side, n: number) => number } = {
  'by a filter': (tables, side, n) => tables[side].query('size = :1', [n]).count,
  'by its key': (tables, side, n) => (tables[side].get(n) === undefined ? 0 : 1),
  'by a unique value': (tables, side, n) => tables[side].query('code = :1', [`c${n}`]).count,
  'by its owner': (tables, side, n) => tables.Owner.get(n)[`${side.toLowerCase()}s`]!.count,
}
const READ_NAMES = Object.keys(READS)

describeDatabases('one call sees one moment', { connections: 'several', on: 'one' }, (database) => {
  /** What happens between the two reads of a call; the first time only. */
  let between: (() => Promise<void>) | null = null
  const meanwhile = async (): Promise<void> => {
    const once = between
    between = null
    await once?.()
  }
  const functionOf = (finish: (tables: Tables, seen: readonly number[]) => unknown) => ({
    run: async ({ store }: { store: unknown }, name: string, n: number) => {
      const tables = store as Tables
      const left = READS[name]!(tables, 'Left', n)
      await meanwhile()
      return finish(tables, [left, READS[name]!(tables, 'Right', n)])
    },
  })
  const options = {
    name: 'halves',
    dataClasses: [Owner, Left, Right, Mark],
    schema: database.newSchema(),
    database: database.open({ max: 4 }),
    functions: {
      shown: functionOf((_, seen) => seen),
      thrown: functionOf((_, seen) => {
        throw new EntiaError('functionRefused', { errCode: 10_001, message: seen.join() })
      }),
      written: functionOf((tables, seen) => {
        tables.Mark.insert({})
        return seen
      }),
    },
  }
  let db: Store
  beforeAll(async () => {
    await migrateDatabase(options as never)
    db = (await openSqlStore(options as never)) as never
  })

  let count = 0
  const newPair = async (): Promise<number> => {
    const n = ++count
    await db.Owner.insert({ ID: n })
    // Bound to this place: it is not a part of the transaction that calls it.
    between = AsyncResource.bind(() =>
      db.transact(async (tx) => {
        for (const side of ['Left', 'Right'] as const)
          await tx[side].insert({ ID: n, code: `c${n}`, size: n, owner: n })
      }),
    )
    return n
  }

  test.each(READ_NAMES)('a function that shows what it found %s', async (name) => {
    const n = await newPair()
    const [left, right] = (await db.call('shown', name, n)) as number[]
    expect(right).toBe(left)
    expect(between).toBeNull()
  })

  test.each(READ_NAMES)('a function that refuses by what it found %s', async (name) => {
    const refusal = await db.call('thrown', name, await newPair()).catch((error) => error)
    expect((refusal as Error).message).toMatch(/^(0,0|1,1)$/)
  })

  test.each(READ_NAMES)('a function that writes by what it found %s', async (name) => {
    const [left, right] = (await db.call('written', name, await newPair())) as number[]
    expect(right).toBe(left)
  })

  describe.each([
    ['only reads', 'never'],
    ['writes before it reads', 'before'],
    ['writes between its reads', 'between'],
  ])('a transaction that %s', (_, writes) => {
    test.each(['returns', 'throws'])('%s what is true of one moment', async (ends) => {
      const n = await newPair()
      let last: readonly number[] = []
      const outcome = await db
        .transact(async (tx) => {
          if (writes === 'before') await tx.Mark.insert({})
          const left = await tx.Left.query`size = ${n}`.count()
          await meanwhile()
          if (writes === 'between') await tx.Mark.insert({})
          last = [left, await tx.Right.query`size = ${n}`.count()]
          if (ends === 'throws') throw new Error(last.join())
          return last
        })
        .catch((error: Error) => error)
      if (isEntiaError(outcome, 'transactionConflict')) expect(writes).not.toBe('never')
      else expect(outcome instanceof Error ? outcome.message : outcome.join()).toBe(last.join())
      // What the body saw, also if its transaction is refused in the end.
      if (last.length > 0) expect(last[1]).toBe(last[0])
    })
  })
})
