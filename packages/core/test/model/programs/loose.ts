// Stores and selections whose model is not known until the program runs.
import type {
  AnyDataStore,
  AnySelection,
  DataStore,
  Selection,
  SelectionReader,
  Untyped,
} from '@entia/core'
import { store } from './declared.ts'

declare const any: AnyDataStore
declare const untyped: DataStore

export const drafted = any.dataClass('X').update(1, (draft) => {
  draft.whatever = 3
})
export const updated = any.transact((tx) => tx.dataClass('X').update(1, { a: 3 }))
export const inTransaction = any.transact((tx) => tx.X.update(1, { a: 3 }))
export const alsoDrafted = untyped.transact((tx) => tx.X.update(1, (draft) => void (draft.a = 3)))
any.dataClass('X').insert({ a: 3 }).b.c
any.dataClass('X').get(1)?.b.c
any.dataClass('X').all().select('a, b.c')[0]?.b.c
any.dataClass('X').all().orderBy('a, b.c desc').distinct('a.b')
any.dataClass('X').updateAll([{ key: 3, patch: { a: 3 } }])
any.at(3).dataClass('X').all().first()?.a
any.view().dataClass('X').all().first()?.a

export function total(selection: AnySelection): number {
  return selection.sum('salary')
}
export function names(selection: SelectionReader<Untyped, Untyped>): readonly unknown[] {
  return selection.toArray().map((entity) => entity.name)
}
export const sum = <S extends Selection<Untyped, Untyped>>(selection: S) => selection.sum('salary')
for (const each of [total, names, sum]) {
  each(any.dataClass('X').all())
  each(untyped.X.all())
  each(store.Employee.all())
  each(store.dataClass('Employee').query('salary > 3').page(0, 3))
}
names(store.at(3).Employee.all())
export const close = (given: AnyDataStore): void => given.close()
close(store)
close(untyped)
