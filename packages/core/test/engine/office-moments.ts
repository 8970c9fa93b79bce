import { expect } from 'vitest'
import { openDump } from '../../src/index.ts'
import { CLASS_NAMES, type ClassName, OFFICE, type Row, SHAPE } from '../oracle/office.ts'
import type { PlainOffice, PlainSnapshot } from '../oracle/plain-office.ts'
import { membersOf, type Source } from '../oracle/plain-selection.ts'
import { mustHold, select } from './office-selections.ts'
import {
  type Entity,
  mustBeExact,
  type OfficeStore,
  outcome,
  type PastOffice,
  plain,
  rowOf,
  type Selection,
} from './office-store.ts'

/** The state of an office at a global stamp, stored in two ways that do not use its history. */
export interface Moment {
  readonly globalStamp: number
  readonly dump: Uint8Array
  readonly plain: PlainSnapshot
}

export const momentOf = (store: OfficeStore, office: PlainOffice): Moment => ({
  globalStamp: store.globalStamp,
  dump: store.dump(),
  plain: office.snapshot(),
})

/** A separate store with that state. */
export const thenOf = ({ dump }: Moment): PastOffice =>
  openDump(dump, { dataClasses: OFFICE }) as unknown as PastOffice

/**
 * A past equals the earlier office: every entity with stamp, timestamp and relations, the order,
 * and the results of queries. The plain office holds the earlier state.
 */
export function mustBeAsThen(
  past: PastOffice,
  moment: Moment,
  office: PlainOffice,
  sources: readonly Source[],
): void {
  const then = thenOf(moment)
  expect(past.globalStamp).toBe(moment.globalStamp)
  for (const className of CLASS_NAMES) {
    expect(past.dataClass(className).count).toBe(then.dataClass(className).count)
    expect(allOf(past, className)).toEqual(allOf(then, className))
    for (const key of then.dataClass(className).all().keys()) {
      expect(past.dataClass(className).has(key)).toBe(true)
      expect(past.dataClass(className).get(key)?.key).toBe(key)
    }
    expect(past.dataClass(className).get(className === 'Badge' ? 'none' : 98)).toBe(undefined)
  }
  office.restore(moment.plain)
  for (const source of sources) {
    const members = outcome(() => membersOf(office, source))
    const selection = outcome(() => select(past, source))
    expect(selection === 'refused').toBe(members === 'refused')
    if (selection === 'refused' || members === 'refused') continue
    mustHold(selection, office, members)
    mustBeExact(selection.explain().root)
    expect(answersOf(selection)).toEqual(answersOf(select(then, source)))
  }
}

/** All entities of a dataclass, with their values and those of their relations. */
function allOf(store: PastOffice, className: ClassName): unknown {
  const all = store.dataClass(className).all()
  return all
    .toArray()
    .map((entity) => [
      entity.key,
      entity.stamp,
      entity.timestamp,
      rowOf(entity),
      relationsOf(className, entity),
    ])
}

function relationsOf(className: ClassName, entity: Entity): unknown {
  return Object.entries(SHAPE[className].attributes).map(([name, { kind }]) => {
    const value = entity[name]
    if (kind === 'one')
      return [name, (value as Entity | null)?.key, (value as Entity | null)?.stamp]
    return kind === 'many' ? [name, (value as Selection).keys()] : [name, plain(value)]
  })
}

const answersOf = (selection: Selection): unknown => [
  selection.json('key, stamp, timestamp, *, employer.*, team.name, badges.colour'),
  ['name', 'code', 'employer.name', 'employer.city', 'label', 'born'].map((path) =>
    selection.distinct(path),
  ),
  ['salary', 'level', 'doubled', 'shift'].map((name) => selection.compute(name)),
  [
    selection.compute('name', { distinct: true }),
    selection.countOf('notes'),
    selection.min('hired'),
  ],
  selection.orderBy('employer.name desc, salary, boss.name').keys(),
]

/** The stored values of every entity by key, in the form of `changes`. */
export function valuesOf(store: Pick<PastOffice, 'dataClass'>): Map<ClassName, Map<unknown, Row>> {
  return new Map(
    CLASS_NAMES.map((className) => {
      const kept = Object.entries(SHAPE[className].attributes).flatMap(([name, attribute]) =>
        attribute.kind === 'one' && attribute.foreignKey === name ? [name] : [],
      )
      const rows = store
        .dataClass(className)
        .all()
        .toArray()
        .map((entity): [unknown, Row] => {
          const keys = kept.map((name) => [name, (entity[name] as Entity | null)?.key ?? null])
          return [entity.key, { ...rowOf(entity), ...Object.fromEntries(keys) }]
        })
      return [className, new Map(rows)]
    }),
  )
}
