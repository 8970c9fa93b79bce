import { Bars } from './chart.tsx'
import { readChart } from './chart-query.ts'
import { cellText } from './field-value.ts'
import {
  type Attribute,
  attributeOf,
  type DataClass,
  isNumeric,
  isScalar,
  membersOf,
} from './model.ts'
import type { ChartChoice } from './place.ts'
import type { Scene } from './scene.ts'
import { Refused, SampleNote, type Source, useSource } from './source.tsx'
import { useAnswer } from './use-answer.ts'

const ways: readonly ChartChoice['how'][] = ['count', 'sum', 'average', 'min', 'max']

/**
 * Count, sum, average, minimum and maximum of the numbers and dates of the selection, and a chart
 * of two attributes. A selection that is too large for the server can be sampled.
 */
export function AggregatesView({ scene, dataClass }: { scene: Scene; dataClass: DataClass }) {
  const foreignKeys = new Set(dataClass.attributes.map(({ foreignKey }) => foreignKey))
  const measured = dataClass.attributes.filter(
    (one) => !one.isKey && !foreignKeys.has(one.name) && (isNumeric(one) || one.type === 'date'),
  )
  const dimensions = dataClass.attributes.filter((one) => isScalar(one) && !one.isKey)
  const choice = scene.place.chart ?? firstChoice(dimensions, measured)
  const names = [...measured.map(({ name }) => name), choice?.x ?? '', choice?.y ?? '']
  const source = useSource(scene, names)
  return (
    <section class="aggregates" aria-label="Aggregates and chart">
      <SampleNote source={source} />
      {measured.length > 0 && (
        <AggregateTable scene={scene} dataClass={dataClass} source={source} attributes={measured} />
      )}
      {choice !== null && (
        <ChartPart
          scene={scene}
          dataClass={dataClass}
          source={source}
          dimensions={dimensions}
          choice={choice}
        />
      )}
    </section>
  )
}

function firstChoice(
  dimensions: readonly Attribute[],
  measured: readonly Attribute[],
): ChartChoice | null {
  const x =
    dimensions.find(({ type }) => type === 'date') ??
    dimensions.find(({ type }) => type === 'string') ??
    dimensions[0]
  const y = measured.find((one) => isNumeric(one) && one.name !== x?.name)
  if (x === undefined) return null
  return y === undefined
    ? { x: x.name, y: x.name, how: 'count' }
    : { x: x.name, y: y.name, how: 'average' }
}

interface AggregateTableProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly source: Source
  readonly attributes: readonly Attribute[]
}

function AggregateTable({ scene, dataClass, source, attributes }: AggregateTableProps) {
  const names = attributes.map(({ name }) => name)
  const { value, refusal } = useAnswer(JSON.stringify([source.key, names]), (signal) =>
    source.read(signal, (reader) => reader.aggregates(names)),
  )
  if (refusal !== null)
    return <Refused scene={scene} dataClass={dataClass} source={source} refusal={refusal} />
  const answer = membersOf(value)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <section class="scroll" tabIndex={0} aria-label="Aggregates of the selection">
      <table class="facts">
        <thead>
          <tr>
            <th scope="col">attribute</th>
            {ways.map((way) => (
              <th key={way} scope="col" class="number">
                {way}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attributes.map((attribute) => (
            <tr key={attribute.name}>
              <th scope="row">{attribute.name}</th>
              {ways.map((way) => (
                <td key={way} class="number">
                  {aggregateText(membersOf(answer[attribute.name])[way], attribute)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function aggregateText(value: unknown, attribute: Attribute): string {
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 3 })
  return value === undefined ? '' : cellText(value, attribute)
}

interface ChartPartProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly source: Source
  readonly dimensions: readonly Attribute[]
  readonly choice: ChartChoice
}

function ChartPart({ scene, dataClass, source, dimensions, choice }: ChartPartProps) {
  const { place, go } = scene
  const x = attributeOf(dataClass, choice.x)
  const title =
    choice.how === 'count' ? `count by ${choice.x}` : `${choice.how} of ${choice.y} by ${choice.x}`
  const { value, refusal } = useAnswer(JSON.stringify([source.key, choice]), (signal) =>
    source.read(signal, async (reader) =>
      x === undefined ? null : { title, chart: await readChart(reader, x, choice) },
    ),
  )
  const choose = (change: Partial<ChartChoice>) => go({ ...place, chart: { ...choice, ...change } })
  const numbers = dimensions.filter(isNumeric)
  return (
    <>
      <p class="chart-choice">
        <Choice
          label="Chart"
          value={choice.how}
          options={ways}
          choose={(how) => choose({ how: how as ChartChoice['how'] })}
        />
        {choice.how !== 'count' && (
          <Choice
            label="of"
            value={choice.y}
            options={numbers.map(({ name }) => name)}
            choose={(y) => choose({ y })}
          />
        )}
        <Choice
          label="by"
          value={choice.x}
          options={dimensions.map(({ name }) => name)}
          choose={(x) => choose({ x })}
        />
      </p>
      {refusal !== null ? (
        <Refused scene={scene} dataClass={dataClass} source={source} refusal={refusal} />
      ) : (
        value !== null && <Bars {...value} />
      )}
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  readonly choose: (value: string) => void
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  )
}
