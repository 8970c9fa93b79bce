import type { Selection } from '../engine/office-store.ts'
import type { ClubStore } from './club.ts'
import type { Query } from './command.ts'
import { type Order, textOf } from './plain-reads.ts'

/** Creates the selection of a query in a store. */
export function found(store: ClubStore, { className, filter, order }: Query): Selection {
  const table = store.dataClass(className)
  const params: unknown[] = []
  const all = filter === null ? table.all() : table.query(textOf(filter, params), params)
  return order.length === 0 ? all : all.orderBy(orderText(order))
}
export const orderText = (order: readonly Order[]): string =>
  order.map(({ name, isDown }) => (isDown ? `${name} desc` : name)).join()
