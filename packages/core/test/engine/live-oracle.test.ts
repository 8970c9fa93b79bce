import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LiveDelta, LiveQuery } from '../../src/index.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { SHAPE } from '../oracle/office.ts'
import { PlainOffice, type PlainRecord } from '../oracle/plain-office.ts'
import { membersOf, type Source } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { type Rules, rules, viewOf } from './hidden-rows.ts'
import { act, eachAct, type Mark, markOf } from './office-acts.ts'
import { select, sources } from './office-selections.ts'
import {
  type Entity,
  type OfficeStore,
  officeOf,
  outcome,
  rowOf,
  type Selection,
} from './office-store.ts'
import { copyInto } from './office-writes.ts'

const acts = fc.array(fc.oneof(...eachAct), { maxLength: 14, size: '+1' })

/** A filter with an order, and sometimes a page: the selections that can be live. */
function canBeLive(source: Source): boolean {
  if (source.kind === 'step' && source.step.kind === 'page') return isAsked(source.of)
  return isAsked(source)
}
function isAsked(source: Source): boolean {
  if (source.kind !== 'step') return source.kind !== 'from'
  return (source.step.kind === 'query' || source.step.kind === 'orderBy') && isAsked(source.of)
}
const isPage = (source: Source): boolean => source.kind === 'step' && source.step.kind === 'page'

const startLive = (
  selection: Selection,
  listener: (delta: LiveDelta) => void,
  options = {},
): LiveQuery =>
  (
    selection as unknown as {
      live(listener: (delta: LiveDelta) => void, options: object): LiveQuery
    }
  ).live(listener, options)

/** A result that a listener maintains by deltas. */
class Followed {
  readonly live: LiveQuery
  readonly deltas: LiveDelta[] = []
  readonly rows = new Map<unknown, unknown>()
  order: readonly unknown[]

  constructor(selection: Selection) {
    this.live = startLive(selection, (delta) => this.take(delta))
    for (const entity of this.live.initial) this.#put(entity as unknown as Entity)
    this.order = [...this.rows.keys()]
  }
  take(delta: LiveDelta): void {
    this.deltas.push(delta)
    const { entered, changed, left, order } = delta
    expect(
      entered.length + changed.length + left.length + (order === null ? 0 : 1),
    ).toBeGreaterThan(0)
    for (const key of left) expect(this.rows.delete(key)).toBe(true)
    for (const entity of entered) {
      expect(this.rows.has(entity.key)).toBe(false)
      this.#put(entity as unknown as Entity)
    }
    for (const entity of changed) {
      expect(this.rows.has(entity.key)).toBe(true)
      this.#put(entity as unknown as Entity)
    }
    if (order !== null) this.order = order
  }
  #put(entity: Entity): void {
    this.rows.set(entity.key, shown(entity))
  }
}

const shown = (entity: Entity): unknown => [entity.stamp, Object.entries(rowOf(entity))]

const keysOfMembers = (members: readonly PlainRecord[]): unknown[] =>
  members.map(({ row }) => row[SHAPE.Employee.key])
const sorted = (keys: Iterable<unknown>): unknown[] =>
  [...keys].sort((a, b) => Number(a) - Number(b))

test(
  'the initial result with all deltas applied equals a new query after every commit',
  patience,
  () => {
    fc.assert(
      fc.property(
        offices({ maxEmployees: 6 }),
        indexSets,
        acts,
        fc.array(sources.filter(canBeLive), { minLength: 1, maxLength: 4 }),
        (data, indexes, acts, sources) => {
          const store = officeOf(data, indexes)
          const office = copyInto(new PlainOffice(), data)
          const snapshots: Mark[] = [markOf(store, office)]
          const asked = sources.filter(
            (source) => outcome(() => membersOf(office, source)) !== 'refused',
          )
          const followed = asked.map((source) => ({
            source,
            result: new Followed(select(store, source)),
          }))
          let changed = 0
          for (const done of acts) {
            const before = store.globalStamp
            const marks = marksOf(store)
            act(store, office, snapshots, done)
            changed += differences(marks, marksOf(store))
            for (const { source, result } of followed) {
              const members = membersOf(office, source)
              const reported = result.deltas.filter(({ globalStamp }) => globalStamp > before)
              expect(reported.map(({ globalStamp }) => globalStamp)).toEqual(
                reported.length === 0 ? [] : [store.globalStamp],
              )
              expect(sorted(result.rows.keys())).toEqual(sorted(keysOfMembers(members)))
              for (const [key, row] of result.rows)
                expect(row).toEqual(shown(store.Employee.get(key as number) as Entity))
              if (isPage(source)) expect(result.order).toEqual(keysOfMembers(members))
            }
          }
          for (const { source, result } of followed) {
            const { judged, runs } = result.live.work
            // Changing one record may affect all records that refer to it.
            const isOfOwnAttributes = !/boss|employer|staff|reports|team|badge/i.test(
              JSON.stringify(source),
            )
            if (isOfOwnAttributes) expect(judged).toBeLessThanOrEqual(changed)
            if (result.live.plan === 'incremental') expect(runs).toBe(0)
          }
          store.verify()
        },
      ),
      runs(80),
    )
  },
)

/** For each key, how a saved employee differs from before. */
const marksOf = (store: OfficeStore): ReadonlyMap<unknown, string> =>
  new Map(
    [...store.Employee.all()].map(({ key, stamp, timestamp }) => [key, `${stamp} ${timestamp}`]),
  )

const differences = (a: ReadonlyMap<unknown, string>, b: ReadonlyMap<unknown, string>): number =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key)).length

test('a caller receives deltas of visible entities only', patience, () => {
  fc.assert(
    fc.property(
      offices({ maxEmployees: 6 }),
      rules,
      acts,
      fc.array(sources.filter(canBeLive), { minLength: 1, maxLength: 3 }),
      (data, rules: Rules, acts, sources) => {
        const store = officeOf(data)
        const office = copyInto(new PlainOffice(), data)
        const marks: Mark[] = [markOf(store, office)]
        const view = viewOf(store, rules)
        if (view === null) return
        const seen = { Employee: view.dataClass('Employee') } as unknown as Pick<
          OfficeStore,
          'Employee'
        >
        const followed = sources
          .filter((source) => outcome(() => select(seen, source).count) !== 'refused')
          .map((source) => ({ source, result: new Followed(select(seen, source)) }))
        for (const done of acts) {
          act(store, office, marks, done)
          for (const { source, result } of followed) {
            const fresh = select(seen, source)
            expect(sorted(result.rows.keys())).toEqual(sorted(fresh.keys()))
            for (const entity of fresh) expect(result.rows.get(entity.key)).toEqual(shown(entity))
            if (isPage(source)) expect(result.order).toEqual(fresh.keys())
          }
        }
      },
    ),
    runs(60),
  )
})

test('callers with older results receive the missed changes as one delta each', patience, () => {
  fc.assert(
    fc.property(
      offices({ maxEmployees: 6 }),
      acts,
      // Those that continue from the same stamp share what was there before.
      fc.array(
        sources.filter((source) => canBeLive(source) && !isPage(source)),
        { minLength: 1, maxLength: 3 },
      ),
      (data, acts, given) => {
        const store = officeOf(data)
        const office = copyInto(new PlainOffice(), data)
        const marks: Mark[] = [markOf(store, office)]
        const followed = given.filter(
          (source) => outcome(() => membersOf(office, source)) !== 'refused',
        )
        const keepAll = () => followed.map((source) => ({ source, ...keep(store, source) }))
        const kept = keepAll()
        for (const done of acts) {
          act(store, office, marks, done)
          kept.push(...keepAll())
        }
        for (const { source, since, rows } of kept) {
          const live = startLive(select(store, source), () => {}, { since })
          expect(live.missed === null).toBe(live.plan === 'recompute')
          if (live.missed === null) continue
          expect(live.initial).toEqual([])
          for (const key of live.missed.left) expect(rows.delete(key)).toBe(true)
          for (const entity of live.missed.entered) expect(rows.has(entity.key)).toBe(false)
          for (const entity of live.missed.changed) expect(rows.has(entity.key)).toBe(true)
          for (const entity of [...live.missed.entered, ...live.missed.changed])
            rows.set(entity.key, shown(entity as unknown as Entity))
          expect(sorted(rows.keys())).toEqual(sorted(keysOfMembers(membersOf(office, source))))
          for (const [key, row] of rows)
            expect(row).toEqual(shown(store.Employee.get(key as number) as Entity))
        }
      },
    ),
    runs(50),
  )
})

const keep = (store: OfficeStore, source: Source) => ({
  since: store.globalStamp,
  rows: new Map<unknown, unknown>(
    select(store, source)
      .toArray()
      .map((entity) => [entity.key, shown(entity)]),
  ),
})
