import fc from 'fast-check'
import { createMedia } from '../../src/value/types.ts'
import type { FirmOracle, Row } from './firm-oracle.ts'
import type { TestStore } from './firm-store.ts'

/** One write of a transaction, or a query inside it, which changes nothing. */
export type Action =
  | { readonly kind: 'insert'; readonly name: 'Firm' | 'Person' | 'Badge'; readonly values: Row }
  | {
      readonly kind: 'update'
      readonly name: 'Firm' | 'Person' | 'Badge'
      readonly key: unknown
      readonly patch: Row
      readonly stamp?: number
    }
  | { readonly kind: 'remove'; readonly name: 'Firm' | 'Person' | 'Badge'; readonly key: unknown }
  | { readonly kind: 'query' }

const id = fc.integer({ min: 1, max: 5 })
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })
const PHOTO = createMedia('image/png', new Uint8Array([1, 2, 3]))

const firm = fc.record(
  { name: orNull(fc.constantFrom('Acme', 'ACME', 'Bolt', 'Cog')), boss: orNull(id) },
  { requiredKeys: [] },
)
const person = fc.record(
  {
    name: orNull(fc.constantFrom('ada', 'Ada', 'bob', 'eve', 'zoé')),
    email: orNull(fc.constantFrom('a@x', 'A@x', 'b@x', 'c@x')),
    pay: orNull(fc.constantFrom(0, 1, 2.5, 7, -1)),
    day: orNull(fc.constantFrom(-1, 0, 20_000)),
    active: orNull(fc.boolean()),
    notes: orNull(fc.constantFrom<Row>({ tags: ['x'] }, { tags: [] }, {})),
    photo: orNull(fc.constant(PHOTO)),
    firmID: orNull(id),
    mentor: orNull(id),
  },
  { requiredKeys: [] },
)
const badge = fc.record({ owner: orNull(id) }, { requiredKeys: [] })
const code = fc.constantFrom('p', 'q', 'P')
const withID = (values: fc.Arbitrary<Row>) =>
  fc.tuple(values, orNull(id)).map(([row, ID]): Row => ({ ID, ...row }))

const stamp = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 3, nil: undefined })
const update = (
  name: 'Firm' | 'Person' | 'Badge',
  key: fc.Arbitrary<unknown>,
  patch: fc.Arbitrary<Row>,
) =>
  fc.record({ key, patch, stamp }).map(
    ({ key, patch, stamp }): Action => ({
      kind: 'update',
      name,
      key,
      patch,
      ...(stamp === undefined ? {} : { stamp }),
    }),
  )
const remove = (name: 'Firm' | 'Person' | 'Badge', key: fc.Arbitrary<unknown>) =>
  key.map((each): Action => ({ kind: 'remove', name, key: each }))

export const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: withID(firm).map((values): Action => ({ kind: 'insert', name: 'Firm', values })),
  },
  {
    weight: 5,
    arbitrary: withID(person).map((values): Action => ({ kind: 'insert', name: 'Person', values })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(code, badge)
      .map(([code, row]): Action => ({ kind: 'insert', name: 'Badge', values: { code, ...row } })),
  },
  { weight: 2, arbitrary: update('Firm', id, firm) },
  { weight: 4, arbitrary: update('Person', id, person) },
  { weight: 1, arbitrary: update('Badge', code, badge) },
  { weight: 2, arbitrary: remove('Firm', id) },
  { weight: 3, arbitrary: remove('Person', id) },
  { weight: 1, arbitrary: remove('Badge', code) },
  { weight: 2, arbitrary: fc.constant<Action>({ kind: 'query' }) },
)
export const actions = fc.array(action, { maxLength: 6 })

export function perform(store: TestStore, each: Action): void {
  switch (each.kind) {
    case 'insert':
      store.insert(each.name, forInput(each.values))
      return
    case 'update':
      store.update(each.name, each.key, forInput(each.patch), each.stamp)
      return
    case 'remove':
      store.remove(each.name, each.key)
      return
    case 'query':
      store.writer.enter()
  }
}

/** Runs a transaction that goes on after a refused action, and may be refused as a whole. */
export function performAll(store: TestStore, actions: readonly Action[]): void {
  try {
    store.writer.transact(() => {
      for (const each of actions) {
        try {
          perform(store, each)
        } catch {
          // Refused: the transaction continues.
        }
      }
    })
  } catch {
    // Refused as a whole.
  }
}

export function performPlain(oracle: FirmOracle, each: Action): void {
  if (each.kind === 'insert') oracle.insert(each.name, each.values)
  else if (each.kind === 'update') oracle.update(each.name, each.key, each.patch, each.stamp)
  else if (each.kind === 'remove') oracle.remove(each.name, each.key)
}

/** Days are stored as numbers and given as milliseconds. */
function forInput(values: Row): Row {
  return typeof values.day === 'number' ? { ...values, day: values.day * 86_400_000 } : values
}
