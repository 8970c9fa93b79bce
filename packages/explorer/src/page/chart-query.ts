import { type Chart, pointsOf, spanOf, ticksOf, timeOf, withZeros } from './chart-data.ts'
import { cellText } from './field-value.ts'
import { type Attribute, isNumeric, membersOf, textOf } from './model.ts'
import type { ChartChoice } from './place.ts'
import { groupPath, type Reader } from './reader.ts'

const maxBars = 20
const maxPoints = 1000

/**
 * Reads a chart. Dates are grouped by a span that fits their range, numbers with many values by
 * ranges, other values by themselves, largest first.
 */
export async function readChart(reader: Reader, x: Attribute, choice: ChartChoice): Promise<Chart> {
  const limits = async () => membersOf((await reader.aggregates([x.name]))[x.name])
  if (x.type === 'date') {
    const { min, max } = await limits()
    const span = spanOf(timeOf(min), timeOf(max))
    const { groups } = await reader.groups(x, span, choice, false, maxPoints)
    const by = groupPath(x, span)
    const points = pointsOf(groups, by, choice, (value) => textOf(value).replaceAll('!!', ''))
    const known = points.filter(({ label }) => label !== '')
    return { form: 'line', points: withZeros(known, span, choice.how), others: 0 }
  }
  const labelOf = (value: unknown) => (value === null ? 'null' : cellText(value, x) || 'empty')
  if (isNumeric(x)) {
    const { groups, count } = await reader.groups(x, null, choice, false, maxBars + 1)
    if (count <= maxBars + 1)
      return { form: 'bars', points: pointsOf(groups, x.name, choice, labelOf), others: 0 }
    const { min, max } = await limits()
    return histogram(reader, x, choice, ticksOf(Number(min), Number(max), maxBars))
  }
  const { groups, count } = await reader.groups(x, null, choice, true, maxBars)
  const points = pointsOf(groups, x.name, choice, labelOf)
  return { form: 'bars', points, others: Math.max(0, count - maxBars) }
}

async function histogram(
  reader: Reader,
  x: Attribute,
  choice: ChartChoice,
  ticks: readonly number[],
): Promise<Chart> {
  const values = await reader.ranges(x, ticks, choice)
  const points = values.flatMap(({ count, value }, at) => {
    const [low, high] = [ticks[at], ticks[at + 1]].map((tick) => tick?.toLocaleString('en'))
    return value === null ? [] : [{ label: `${low}\u2013${high}`, value, count, time: 0 }]
  })
  return { form: 'bars', points, others: 0 }
}
