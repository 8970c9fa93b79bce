import { keyOf } from '@entia/core'
import { readable } from 'svelte/store'

/**
 * The entities of a selection, in its order, as a store of Svelte: `$tasks` in a component. The
 * live query runs while the store has subscribers.
 * @template {import('@entia/core').Model} M
 * @template {keyof M} N
 * @param {import('@entia/core').Selection<M, N>} selection
 */
export const liveStore = (selection) =>
  readable(selection.toArray(), (set) => {
    // Only pages report their order.
    const live = selection.page(0, Number.POSITIVE_INFINITY).live((delta) => {
      const known = [...rows, ...delta.entered, ...delta.changed]
      /** @type {Map<unknown, (typeof known)[0]>} */
      const byKey = new Map(known.map((entity) => [keyOf(entity), entity]))
      const order = delta.order ?? rows.map(keyOf)
      rows = order.map((key) => byKey.get(key)).filter((entity) => entity !== undefined)
      set(rows)
    })
    let rows = live.initial
    set(rows)
    return () => live.stop()
  })
