import { useEffect, useState } from 'preact/hooks'
import { literalOf } from './addresses.ts'
import type { Ask } from './api.ts'
import type { Completion, ValueAt } from './completion.ts'
import { cellText } from './field-value.ts'
import { isNumeric, isScalar, listOf } from './model.ts'

const maxValues = 12

/** Completions of a value in a filter: the distinct values that begin with the typed text. */
export function useValues(ask: Ask, at: ValueAt | null): readonly Completion[] {
  const [found, setFound] = useState<{ key: string; items: readonly Completion[] } | null>(null)
  const key = at === null ? '' : `${at.dataClass.name}.${at.attribute.name} ${at.typed}`
  useEffect(() => {
    if (at === null || !isScalar(at.attribute)) return
    const { dataClass, attribute, typed } = at
    const isText = attribute.type === 'string'
    if (typed !== '' && !isText) return
    const stop = new AbortController()
    const parameters = {
      $distinct: 'true',
      $top: maxValues,
      ...(typed === ''
        ? {}
        : { $filter: `"${attribute.name} begin :1"`, $params: JSON.stringify([typed]) }),
    }
    const path = `${encodeURIComponent(dataClass.name)}/${encodeURIComponent(attribute.name)}`
    ask(path, { parameters, signal: stop.signal }).then(
      (values) => {
        const items = listOf(values)
          .filter((value) => value !== null && value !== '')
          .map((value) => {
            const label = cellText(value, attribute)
            const text = attribute.type === 'date' && !attribute.dateOnly ? String(value) : label
            const isBare = isNumeric(attribute) || attribute.type === 'bool'
            return {
              insert: `${isBare ? text : literalOf(text)} `,
              label,
              detail: '',
              isValue: true as const,
            }
          })
        setFound({ key, items })
      },
      () => {}, // Without permission to read values, there are no completions.
    )
    return () => stop.abort()
  }, [key])
  return at !== null && found?.key === key ? found.items : []
}
