import fc from 'fast-check'
import { isEntiaError } from '../../../core/src/index.ts'
import { type Chain, type Chained, type Chains, chainOf, found as foundBy } from './chains.ts'
import { FILTERS } from './league.ts'

/** The part of a store that the steps use. */
export interface League {
  dataClass(name: string): {
    readonly count: number
    get(key: unknown): Record<string, unknown> | undefined
    findBy(attribute: string, value: unknown): { readonly key: unknown } | undefined
    insert(values: object): object
    update(key: unknown, values: object, options?: object): object
    remove(key: unknown, options?: object): void
    updateAll(changes: readonly object[]): { readonly count: number }
    load(rows: readonly object[]): { readonly count: number }
    all(): Chained
    from(keys: readonly unknown[]): Chained
    query(filter: string, params: readonly unknown[]): Found
  }
  transact<R>(body: () => R): R
  readonly globalStamp: number
}
interface Found extends Chained {
  orderBy(text: string): Found
  remove(): number
  query(filter: string, params: readonly unknown[]): Found
  toArray(): readonly Record<string, unknown>[]
}

type ClassName = 'Team' | 'Player' | 'Pass'
export type Step =
  | { readonly do: 'insert'; readonly name: ClassName; readonly values: object }
  | {
      readonly do: 'update'
      readonly name: ClassName
      readonly key: unknown
      readonly values: object
      readonly stamp: number | null
    }
  | { readonly do: 'remove'; readonly name: ClassName; readonly key: unknown }
  | { readonly do: 'get'; readonly name: ClassName; readonly key: unknown }
  | { readonly do: 'related'; readonly key: number }
  | {
      readonly do: 'query' | 'order' | 'removeFound' | 'narrow' | 'read'
      readonly filter: number
      readonly params: readonly unknown[]
    }
  | { readonly do: 'findBy'; readonly attribute: string; readonly value: unknown }
  | { readonly do: 'count'; readonly name: ClassName }
  | { readonly do: 'chain'; readonly chain: Chain<Step> }
  | {
      readonly do: 'updateAll' | 'load'
      readonly rows: readonly { readonly key: number; readonly values: object }[]
    }
  | { readonly do: 'transact' | 'fail' | 'swallow'; readonly steps: readonly Step[] }

const key = fc.integer({ min: 1, max: 9 })
const name = fc.constantFrom('ann', 'Bob', 'cara', 'count', 'found', 'founded', 'ann')
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(value, { freq: 4 })
const pass = fc.constantFrom('a', 'A', 'b', 'ç')
const values: { readonly [K in ClassName]: fc.Arbitrary<object> } = {
  Team: fc.record(
    {
      name: fc.constantFrom('red', 'RED', 'blue', 'founded', null),
      city: fc.constantFrom('Rome', 'Oslo', null),
      lead: optional(key),
      ID: key,
    },
    { requiredKeys: [] },
  ),
  Player: fc.record(
    {
      name: optional(name),
      score: fc.constantFrom(0, 1, 3, 9, -1),
      rank: optional(fc.integer({ min: 1, max: 5 })),
      team: optional(key),
      captain: optional(key),
      ID: key,
    },
    { requiredKeys: [] },
  ),
  Pass: fc.record(
    { code: pass, holder: optional(key), sponsor: optional(key) },
    { requiredKeys: ['code'] },
  ),
}
/** Mostly inputs without a key, so that sequences advance. */
const input = (name: ClassName, isNew: boolean): fc.Arbitrary<object> =>
  fc.tuple(values[name], fc.nat(4)).map(([given, at]) => {
    const { ID, code, ...others } = given as { ID?: number; code?: string }
    if (isNew && code !== undefined) return given
    return isNew && at === 0 ? given : others
  })
const params = fc.tuple(fc.integer({ min: 0, max: 4 }), name)
const of = <K extends ClassName>(make: (name: K) => fc.Arbitrary<Step>): fc.Arbitrary<Step> =>
  fc.constantFrom<K[]>(...(['Team', 'Player', 'Player', 'Pass'] as K[])).chain(make)
const keyOf = (name: ClassName): fc.Arbitrary<unknown> => (name === 'Pass' ? pass : key)
const filter = fc.nat(FILTERS.length - 1)

export const { step } = fc.letrec<{ step: Step; simple: Step; plain: Step }>((tie) => ({
  simple: fc.oneof(
    { weight: 8, arbitrary: tie('plain') },
    fc.record({ do: fc.constant('chain' as const), chain: chainOf(tie('plain')) }),
  ),
  plain: fc.oneof(
    {
      weight: 5,
      arbitrary: of((name) => input(name, true).map((values) => ({ do: 'insert', name, values }))),
    },
    {
      weight: 5,
      arbitrary: of((name) =>
        fc.record({
          do: fc.constant('update' as const),
          name: fc.constant(name),
          key: keyOf(name),
          values: input(name, false),
          stamp: optional(fc.integer({ min: 1, max: 3 })),
        }),
      ),
    },
    {
      weight: 2,
      arbitrary: of((name) =>
        fc.record({
          do: fc.constant('remove' as const),
          name: fc.constant(name),
          key: keyOf(name),
        }),
      ),
    },
    of((name) =>
      fc.record({ do: fc.constant('get' as const), name: fc.constant(name), key: keyOf(name) }),
    ),
    fc.record({ do: fc.constant('related' as const), key }),
    fc.record({
      do: fc.constantFrom(
        'query' as const,
        'query' as const,
        'order' as const,
        'removeFound' as const,
        'narrow' as const,
        'read' as const,
      ),
      filter,
      params,
    }),
    fc.record({ do: fc.constant('findBy' as const), attribute: fc.constant('name'), value: name }),
    fc.record({
      do: fc.constant('findBy' as const),
      attribute: fc.constant('rank'),
      value: fc.integer({ min: 1, max: 5 }),
    }),
    of((name) => fc.constant({ do: 'count', name })),
    fc.record({
      do: fc.constantFrom('updateAll' as const, 'load' as const),
      rows: fc.array(fc.record({ key, values: input('Player', false) }), { maxLength: 3 }),
    }),
  ),
  step: fc.oneof(
    { weight: 4, arbitrary: tie('simple') },
    fc.record({
      do: fc.constantFrom(
        'transact' as const,
        'transact' as const,
        'fail' as const,
        'swallow' as const,
      ),
      steps: fc.array(tie('simple'), { maxLength: 5 }),
    }),
  ),
}))

/** Runs a step; its result does not depend on the order of records. */
function done(store: League, step: Step): unknown {
  const found = (at: { readonly filter: number; readonly params: readonly unknown[] }): Found =>
    store.dataClass('Player').query(FILTERS[at.filter], at.params)
  switch (step.do) {
    case 'insert':
      return JSON.parse(JSON.stringify(store.dataClass(step.name).insert(step.values)))
    case 'update': {
      const options = step.stamp === null ? {} : { stamp: step.stamp }
      const entity = store.dataClass(step.name).update(step.key, step.values, options)
      return JSON.parse(JSON.stringify(entity))
    }
    case 'remove':
      return store.dataClass(step.name).remove(step.key)
    case 'get':
      return JSON.parse(JSON.stringify(store.dataClass(step.name).get(step.key) ?? null))
    case 'related': {
      const player = store.dataClass('Player').get(step.key)
      const { captain, mates, teamName } = player ?? {}
      return [
        (captain as { readonly name: unknown } | null | undefined)?.name,
        sorted((mates as Found | undefined)?.keys() ?? []),
        teamName,
      ]
    }
    case 'query':
      return [found(step).count, sorted(found(step).keys())]
    case 'order':
      return found(step).orderBy('team.name desc, teamName, ID').keys()
    case 'narrow':
      return sorted(found(step).query('not (team.city = "Oslo") and mates.score < 9', []).keys())
    case 'read':
      return found(step)
        .orderBy('ID')
        .toArray()
        .map(({ ID, teamName, team }) => [ID, teamName, (team as { size: number } | null)?.size])
    case 'removeFound':
      return found(step).remove()
    case 'findBy':
      return step.attribute === 'rank'
        ? (store.dataClass('Player').findBy('rank', step.value)?.key ?? null)
        : store.dataClass('Player').findBy('name', step.value) !== undefined
    case 'count':
      return store.dataClass(step.name).count
    case 'chain':
      return foundBy(store.dataClass('Player') as Chains, step.chain, (each) =>
        outcome(store, each),
      )
    case 'updateAll':
      return store
        .dataClass('Player')
        .updateAll(step.rows.map(({ key, values }) => ({ key, patch: values }))).count
    case 'load':
      return store.dataClass('Player').load(step.rows.map(({ values }) => values)).count
    case 'transact':
      return store.transact(() => step.steps.map((each) => done(store, each)))
    case 'fail':
      return store.transact(() => {
        for (const each of step.steps) done(store, each)
        throw new Error('no')
      })
    case 'swallow':
      return store.transact(() => step.steps.map((each) => outcome(store, each)))
  }
}

const sorted = (keys: readonly unknown[]): readonly unknown[] =>
  [...keys].sort((a, b) => Number(a) - Number(b))

/** The result of a step, or its error. */
export function outcome(store: League, step: Step): unknown {
  try {
    return { answer: done(store, step) }
  } catch (error) {
    return errorOf(error)
  }
}

/** An error without its record number, which differs in a database. */
function errorOf(error: unknown): unknown {
  if (!isEntiaError(error)) return { message: String(error) }
  const { code, message, details } = error
  const { recordNumber, failures, ...others } = details as Record<string, unknown>
  return {
    code,
    message: message.replaceAll(/record# \d+/g, 'record'),
    others: JSON.stringify(others),
    failures: ((failures ?? []) as unknown[]).map(errorOf),
  }
}
