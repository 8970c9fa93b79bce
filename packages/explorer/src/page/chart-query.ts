import { selectionParameters, selectionPath } from './addresses.ts'
import type { Ask } from './api.ts'
import { type Chart, pointsOf, spanOf, ticksOf, timeOf, withZeros } from './chart-data.ts'
import { cellText } from './field-value.ts'
import { type Attribute, isNumeric, membersOf, textOf } from './model.ts'
import { type ChartChoice, type Place, placeOf } from './place.ts'

const maxBars = 20
const maxPoints = 1000

/**
 * Reads a chart of the whole selection: the server groups it. Dates are grouped by a span that fits
 * their range, numbers with many values by ranges, other values by themselves, largest first.
 */
export async function readChart(
  ask: Ask,
  place: Place,
  x: Attribute,
  choice: ChartChoice,
  signal: AbortSignal,
): Promise<Chart> {
  const path = selectionPath(place)
  const selected = selectionParameters({ ...place, order: '' })
  const measure = choice.how === 'count' ? 'count' : `${choice.y}.${choice.how}`
  const group = async (by: string, order: string, top: number) => {
    const parameters = {
      ...selected,
      $groupby: by,
      $aggregates: measure === 'count' ? 'count' : `count,${measure}`,
      ...(order === '' ? {} : { $orderby: order }),
      $top: top,
    }
    return membersOf(await ask(path, { parameters, signal }))
  }
  const range = async () => {
    const parameters = { ...selected, $attributes: x.name, $compute: '$all' }
    const answer = membersOf(await ask(path, { parameters, signal }))
    return membersOf(answer[x.name] ?? answer)
  }
  if (x.type === 'date') {
    const { min, max } = await range()
    const span = spanOf(timeOf(min), timeOf(max))
    const by = `${x.name}.${span}`
    const { __GROUPS } = await group(by, '', maxPoints)
    const points = pointsOf(__GROUPS, by, choice, (value) => textOf(value).replaceAll('!!', ''))
    const known = points.filter(({ label }) => label !== '')
    return { form: 'line', points: withZeros(known, span, choice.how), others: 0 }
  }
  const labelOf = (value: unknown) => (value === null ? 'null' : cellText(value, x) || 'empty')
  if (isNumeric(x)) {
    const answer = await group(x.name, '', maxBars + 1)
    if (Number(answer.__COUNT) <= maxBars + 1)
      return { form: 'bars', points: pointsOf(answer.__GROUPS, x.name, choice, labelOf), others: 0 }
    const { min, max } = await range()
    return histogram(ask, place, x, choice, Number(min), Number(max), signal)
  }
  const answer = await group(x.name, `${measure} desc`, maxBars)
  const points = pointsOf(answer.__GROUPS, x.name, choice, labelOf)
  return { form: 'bars', points, others: Math.max(0, Number(answer.__COUNT) - maxBars) }
}

/** One request for each range of numbers, within an entity set if the selection has a filter. */
async function histogram(
  ask: Ask,
  place: Place,
  x: Attribute,
  { y, how }: ChartChoice,
  min: number,
  max: number,
  signal: AbortSignal,
): Promise<Chart> {
  const selected = selectionParameters({ ...place, order: '' })
  let path = selectionPath(place)
  if (selected.$filter !== undefined) {
    const parameters = { ...selected, $method: 'entityset', $top: 0 }
    const { __ENTITYSET } = membersOf(await ask(path, { parameters, signal }))
    const set = textOf(__ENTITYSET).split('/').at(-1) ?? ''
    path = selectionPath(placeOf(place.dataClass ?? '', { set }))
  }
  const ticks = ticksOf(min, max, maxBars)
  const points = await Promise.all(
    ticks.slice(0, -1).map(async (low, at) => {
      const high = ticks[at + 1] ?? max
      const isLast = at === ticks.length - 2
      const parameters = {
        $filter: `"${x.name} >= ${low} and ${x.name} ${isLast ? '<=' : '<'} ${high}"`,
        $attributes: how === 'count' || y === x.name ? x.name : `${x.name},${y}`,
        $compute: '$all',
      }
      const answer = membersOf(await ask(path, { parameters, signal }))
      const count = Number(membersOf(answer[x.name] ?? answer).count ?? 0)
      const value = how === 'count' ? count : membersOf(answer[y] ?? answer)[how]
      const label = `${low.toLocaleString('en')}\u2013${high.toLocaleString('en')}`
      return { label, value: typeof value === 'number' ? value : null, count, time: 0 }
    }),
  )
  if (selected.$filter !== undefined && path !== selectionPath(place))
    await ask(path, { parameters: { $method: 'release' } })
  const known = points.flatMap(({ value, ...point }) =>
    value === null ? [] : [{ ...point, value }],
  )
  return { form: 'bars', points: known, others: 0 }
}
