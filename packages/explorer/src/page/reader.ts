import { selectionParameters, selectionPath } from './addresses.ts'
import type { Ask } from './api.ts'
import type { Span } from './chart-data.ts'
import { type Attribute, listOf, membersOf, textOf } from './model.ts'
import { type ChartChoice, type Place, placeOf } from './place.ts'

export type Members = Readonly<Record<string, unknown>>
export type Measure = Pick<ChartChoice, 'y' | 'how'>

/** Groups in the form of `__GROUPS`. */
interface Groups {
  readonly groups: readonly Members[]
  /** The number of all groups, also of those that were not asked for. */
  readonly count: number
}

/** Count and value of the entities of a range; a null value if there is none. */
interface RangeValue {
  readonly count: number
  readonly value: number | null
}

/** Summarizes a selection: all of it, or a sample. */
export interface Reader {
  /** Count, sum, average, minimum and maximum by attribute, as far as they apply. */
  aggregates(names: readonly string[]): Promise<Members>
  /** `isByMeasure`: the largest results first; otherwise in the order of the values. */
  groups(
    by: Attribute,
    span: Span | null,
    measure: Measure,
    isByMeasure: boolean,
    top: number,
  ): Promise<Groups>
  /** The ranges between successive ticks. Only the last one includes its end. */
  ranges(by: Attribute, ticks: readonly number[], measure: Measure): Promise<readonly RangeValue[]>
}

/** The path that groups are by: `date.month`, or the attribute. */
export const groupPath = ({ name }: Attribute, span: Span | null): string =>
  span === null ? name : `${name}.${span}`

/** Lets the server summarize the whole selection. */
export function readerOfAll(ask: Ask, place: Place, signal: AbortSignal): Reader {
  const path = selectionPath(place)
  const selected = selectionParameters({ ...place, order: '' })
  const compute = async (names: readonly string[], at: string, filter: object) => {
    const parameters = { ...filter, $attributes: names.join(','), $compute: '$all' }
    const answer = membersOf(await ask(at, { parameters, signal }))
    // Of a single attribute the server sends the values alone.
    return Object.fromEntries(names.map((name) => [name, answer[name] ?? answer]))
  }
  return {
    aggregates: (names) => compute(names, path, selected),
    async groups(by, span, { y, how }, isByMeasure, top) {
      const measure = how === 'count' ? 'count' : `${y}.${how}`
      const parameters = {
        ...selected,
        $groupby: groupPath(by, span),
        $aggregates: measure === 'count' ? 'count' : `count,${measure}`,
        ...(isByMeasure ? { $orderby: `${measure} desc` } : {}),
        $top: top,
      }
      const answer = membersOf(await ask(path, { parameters, signal }))
      return { groups: listOf(answer.__GROUPS).map(membersOf), count: Number(answer.__COUNT ?? 0) }
    },
    /** One request for each range, within an entity set if the selection has a filter. */
    async ranges({ name }, ticks, { y, how }) {
      let at = path
      if (selected.$filter !== undefined) {
        const parameters = { ...selected, $method: 'entityset', $top: 0 }
        const { __ENTITYSET } = membersOf(await ask(path, { parameters, signal }))
        const set = textOf(__ENTITYSET).split('/').at(-1) ?? ''
        at = selectionPath(placeOf(place.dataClass ?? '', { set }))
      }
      const names = how === 'count' || y === name ? [name] : [name, y]
      const values = await Promise.all(
        ticks.slice(0, -1).map(async (low, index) => {
          const operator = index === ticks.length - 2 ? '<=' : '<'
          const $filter = `"${name} >= ${low} and ${name} ${operator} ${ticks[index + 1]}"`
          const answer = await compute(names, at, { $filter })
          const count = Number(membersOf(answer[name]).count ?? 0)
          const value = how === 'count' ? count : membersOf(answer[y])[how]
          return { count, value: typeof value === 'number' ? value : null }
        }),
      )
      if (at !== path) await ask(at, { parameters: { $method: 'release' } })
      return values
    },
  }
}
