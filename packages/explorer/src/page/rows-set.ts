import { anyOf, type Parameters, selectionParameters, selectionPath } from './addresses.ts'
import type { Ask } from './api.ts'
import { type DataClass, membersOf, textOf } from './model.ts'
import { type Place, placeOf } from './place.ts'
import { noneSelected, type Selected } from './selected.ts'
import { filterParts } from './write-batches.ts'

/** Selected rows as an entity set: what joins the selection later is not part of them. */
export interface RowsSet {
  /** Of the set, in the order of the grid. */
  readonly place: Place
  readonly count: number
  /** Call it after the last use. */
  readonly release: () => void
}

/** Creates an entity set of the selected rows; of all of the selection without `selected`. */
export async function setOfRows(
  ask: Ask,
  place: Place,
  dataClass: DataClass,
  selected: Selected = { ...noneSelected, isAll: true },
): Promise<RowsSet> {
  const created = new Set<string>()
  const create = async (path: string, parameters: Parameters) => {
    const answer = membersOf(
      await ask(path, { parameters: { ...parameters, $method: 'entityset', $top: 0 } }),
    )
    const id = textOf(answer.__ENTITYSET).split('/').at(-1) ?? ''
    created.add(id)
    return { id, count: Number(answer.__COUNT) }
  }
  const placeOfSet = (set: string) => placeOf(dataClass.name, { set })
  const release = (id: string) => {
    created.delete(id)
    // The server may answer with the shown set, which belongs to the shelf.
    if (id === place.set) return
    ask(selectionPath(placeOfSet(id)), { parameters: { $method: 'release' } }).catch(() => {})
  }
  try {
    let of: { readonly id: string; readonly count: number } | null = null
    const order = place.order === '' ? {} : { $orderby: place.order }
    for (const keys of filterParts([...selected.keys])) {
      const $filter = anyOf(dataClass.key ?? '', keys)
      const part = await create(encodeURIComponent(dataClass.name), { $filter, ...order })
      of = of === null ? part : await combined(of.id, 'OR', part.id)
    }
    if (selected.isAll) {
      const all = await create(selectionPath(place), selectionParameters(place))
      of = of === null ? all : await combined(all.id, 'EXCEPT', of.id)
    }
    const last = of ?? (await create(`${encodeURIComponent(dataClass.name)}/$entityset/$none`, {}))
    for (const id of created) if (id !== last.id) release(id)
    return {
      place: { ...placeOfSet(last.id), order: place.order },
      count: last.count,
      release: () => release(last.id),
    }
  } catch (error) {
    for (const id of created) release(id)
    throw error
  }

  function combined(id: string, $logicOperator: string, $otherCollection: string) {
    return create(selectionPath(placeOfSet(id)), { $logicOperator, $otherCollection })
  }
}
