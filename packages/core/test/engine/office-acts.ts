import fc from 'fast-check'
import type { ClassName, Row } from '../oracle/office.ts'
import type { PlainOffice } from '../oracle/plain-office.ts'
import { type OfficeStore, outcome, setIndex } from './office-store.ts'
import { indexChanges, rowsToLoad, type Write, writeBoth, writes } from './office-writes.ts'

/** A step of a history, on an office of the engine and on a plain one. */
export type Act =
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'writes'; readonly writes: readonly Write[] }
  | { readonly kind: 'load'; readonly className: ClassName; readonly rows: readonly Row[] }
  | { readonly kind: 'updateAll'; readonly level: number }
  | {
      readonly kind: 'index'
      readonly className: ClassName
      readonly attribute: string
      readonly isWanted: boolean
    }
  | { readonly kind: 'mark' }
  /** Restores the state of a mark. */
  | { readonly kind: 'jump'; readonly place: number }

/** Acts of each kind, for `fc.oneof`. */
export const eachAct: readonly fc.WeightedArbitrary<Act>[] = [
  { weight: 9, arbitrary: writes.map((write): Act => ({ kind: 'write', write })) },
  {
    weight: 3,
    arbitrary: fc
      .array(writes, { maxLength: 5 })
      .map((writes): Act => ({ kind: 'writes', writes })),
  },
  {
    weight: 2,
    arbitrary: rowsToLoad.map(([className, rows]): Act => ({ kind: 'load', className, rows })),
  },
  { weight: 1, arbitrary: fc.nat(3).map((level): Act => ({ kind: 'updateAll', level })) },
  {
    weight: 2,
    arbitrary: indexChanges.map(
      ([[className, attribute], isWanted]): Act => ({
        kind: 'index',
        className,
        attribute,
        isWanted,
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'mark' }) },
  { weight: 2, arbitrary: fc.nat(9).map((place): Act => ({ kind: 'jump', place })) },
]

export interface Mark {
  readonly snapshot: ReturnType<OfficeStore['snapshot']>
  readonly before: ReturnType<PlainOffice['snapshot']>
}

export const markOf = (store: OfficeStore, office: PlainOffice): Mark => ({
  snapshot: store.snapshot(),
  before: office.snapshot(),
})

/** Runs a step on the store and on the plain office. */
export function act(store: OfficeStore, office: PlainOffice, marks: Mark[], done: Act): void {
  switch (done.kind) {
    case 'write':
      writeBoth(store, office, done.write)
      break
    case 'writes':
      outcome(() =>
        office.transact(() =>
          store.transact((tx) => done.writes.forEach((write) => void writeBoth(tx, office, write))),
        ),
      )
      break
    case 'load': {
      const loaded = outcome(() => store.dataClass(done.className).load(done.rows))
      if (loaded !== 'refused')
        office.transact(() => done.rows.forEach((row) => void office.insert(done.className, row)))
      break
    }
    case 'updateAll': {
      const keys = office.living('Employee').map(({ row }) => row.ID as number)
      const changes = keys.map((key) => ({ key, patch: { level: done.level } }))
      ;(store.Employee as unknown as { updateAll(changes: readonly object[]): void }).updateAll(
        changes,
      )
      office.transact(() =>
        keys.forEach((key) => void office.update('Employee', key, { level: done.level })),
      )
      break
    }
    case 'index':
      setIndex(store, done.className, done.attribute, done.isWanted)
      break
    case 'mark':
      marks.push(markOf(store, office))
      break
    case 'jump': {
      const { snapshot, before } = marks[done.place % marks.length]
      store.restore(snapshot)
      office.restore(before)
    }
  }
}
