import { keyOf } from '@entia/core'
import { shallowRef, watch } from 'vue'

/**
 * The entities of a selection, in its order, as long as the component is mounted. `query` returns
 * the selection, and runs again when a value that it reads changes.
 * @template {import('@entia/core').Model} M
 * @template {keyof M} N
 * @param {() => import('@entia/core').Selection<M, N>} query
 */
export function useLive(query) {
  const rows = shallowRef(query().toArray())
  // A server renders once.
  if (typeof document === 'undefined') return rows
  watch(
    query,
    (selection, _, onCleanup) => {
      // Only pages report their order.
      const live = selection.page(0, Number.POSITIVE_INFINITY).live((delta) => {
        const known = [...rows.value, ...delta.entered, ...delta.changed]
        /** @type {Map<unknown, (typeof known)[0]>} */
        const byKey = new Map(known.map((entity) => [keyOf(entity), entity]))
        const order = delta.order ?? rows.value.map(keyOf)
        rows.value = order.map((key) => byKey.get(key)).filter((entity) => entity !== undefined)
      })
      rows.value = live.initial
      onCleanup(() => live.stop())
    },
    { immediate: true },
  )
  return rows
}
