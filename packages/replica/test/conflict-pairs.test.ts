import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../src/index.ts'
import { PAUSES } from './office.ts'
import { until } from './waiting.ts'

const Card = defineDataClass('Card', {
  ID: attribute.string({ key: true }),
  a: attribute.string(),
  b: attribute.string(),
  c: attribute.string(),
})
const NAMES = ['a', 'b', 'c'] as const
const VALUES = ['old', 'mine', 'theirs'] as const

type Values = { readonly [name in 'a' | 'b' | 'c']?: string }
/** A change of some attributes; null for a removal. */
type Change = Values | null

/** Every choice of attributes with each of some values, and the removal. */
const changes = (values: readonly string[]): readonly Change[] => {
  let all: Values[] = [{}]
  for (const name of NAMES)
    all = all.flatMap((one) => [one, ...values.map((value) => ({ ...one, [name]: value }))])
  return [...all.filter((each) => Object.keys(each).length > 0), null]
}
/** Changes of others may end with the value that was there, or with the same as here. */
const MINE = changes(['mine'])
const THEIRS = changes(VALUES)

/** Whether the writer would overwrite, or remove, what it has not seen. */
function conflicts(mine: Change, theirs: Change): boolean {
  if (theirs === null) return mine !== null
  if (mine === null) return true
  return NAMES.some((name) => mine[name] !== undefined && (theirs[name] ?? 'old') === 'theirs')
}

test('of all pairs of changes to three attributes, those conflict that overwrite an unseen value', async () => {
  const store = createDataStore({ name: 'cards', dataClasses: [Card, ReplicaState] })
  const rest = createRestHandler(store, { replicas: true })
  let sends = true
  const db = connect('http://cards.test/rest', {
    // Changes of the server come in any case.
    fetch: (request) =>
      sends || !request.url.endsWith('batches')
        ? rest.fetch(request)
        : Promise.reject(new TypeError('offline')),
  })
  const pairs = MINE.flatMap((mine) => THEIRS.map((theirs) => ({ mine, theirs })))
  expect(pairs).toHaveLength(8 * 64)
  const old = { a: 'old', b: 'old', c: 'old' }
  for (const at of pairs.keys()) store.Card.insert({ ID: String(at), ...old })
  const replica = await replicate(db, {
    dataClasses: [Card],
    shapes: { Card: true },
    pauses: PAUSES,
  })
  const shown = (of: { Card: { get(key: string): object | undefined } }, at: number): unknown => {
    const card = of.Card.get(String(at)) as (Values & object) | undefined
    return card === undefined ? null : { a: card.a, b: card.b, c: card.c }
  }
  sends = false
  const sent = []
  for (const [at, { mine, theirs }] of pairs.entries()) {
    sent.push(
      await replica.transact((tx) =>
        mine === null ? tx.Card.remove(String(at)) : tx.Card.update(String(at), mine),
      ),
    )
    if (theirs === null) store.Card.remove(String(at))
    else {
      // Saved in any case: only the values count.
      store.Card.update(String(at), { a: 'between' })
      store.Card.update(String(at), { a: 'old', ...theirs })
    }
    expect(shown(replica.store, at)).toEqual(mine === null ? null : { ...old, ...mine })
  }
  // Shown is what the server has, with the changes that wait.
  store.Card.insert({ ID: 'last', ...old })
  await until(() => replica.store.Card.get('last') !== undefined)
  for (const [at, { mine, theirs }] of pairs.entries()) {
    const all = mine === null || theirs === null ? null : { ...old, ...theirs, ...mine }
    expect([at, shown(replica.store, at)]).toEqual([at, all])
  }
  sends = true
  replica.reconnect()
  for (const [at, { mine, theirs }] of pairs.entries()) {
    const pair = JSON.stringify({ mine, theirs })
    const outcome = await sent[at]!.outcome
    const isConflict = conflicts(mine, theirs)
    expect(outcome.kind, pair).toBe(isConflict ? 'problem' : 'applied')
    const server = theirs === null ? null : { ...old, ...theirs }
    const decided = isConflict ? server : mine === null ? null : server && { ...server, ...mine }
    expect(shown(store, at), pair).toEqual(decided)
    if (outcome.kind !== 'problem') continue
    const [conflict] = outcome.problem.conflicts
    const [base, wanted] = mine === null ? [{}, null] : [old, mine]
    expect(conflict, pair).toMatchObject({ dataClass: 'Card', key: String(at), mine: wanted })
    for (const [name, value] of Object.entries(conflict!.base ?? {}))
      expect([pair, value]).toEqual([pair, (base as Values)[name as 'a']])
    for (const name of Object.keys(conflict!.theirs ?? {}))
      expect(conflict!.theirs![name], pair).toBe(server?.[name as 'a'])
  }
  for (const { number } of replica.problems.toArray()) await replica.solve(number, 'theirs')
  await replica.current()
  for (const at of pairs.keys()) expect(shown(replica.store, at)).toEqual(shown(store, at))
  await replica.close()
})
