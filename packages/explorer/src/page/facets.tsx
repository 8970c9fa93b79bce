import { useState } from 'preact/hooks'
import { selectionParameters, selectionPath } from './addresses.ts'
import { cellText } from './field-value.ts'
import { attributeOf, type DataClass, isNumeric, isScalar, listOf, membersOf } from './model.ts'
import { conditionOf, narrowed, rangeOf } from './narrow.ts'
import { Text } from './null-text.tsx'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { useAnswer } from './use-answer.ts'

const maxValues = 12

/** The most frequent values of an attribute in the selection; a click narrows the filter. */
export function Facets({ scene, dataClass }: { scene: Scene; dataClass: DataClass }) {
  const { place, go, ask, model, version } = scene
  const attributes = dataClass.attributes.filter((one) => isScalar(one) && !one.isKey)
  const first = attributes.find(({ type }) => type === 'string') ?? attributes[0]
  const [name, setName] = useState(first?.name ?? '')
  const attribute = attributeOf(dataClass, name)
  const path = selectionPath(place)
  const parameters = {
    ...selectionParameters({ ...place, order: '' }),
    $groupby: name,
    $aggregates: 'count',
    $orderby: 'count desc',
    $top: maxValues,
  }
  const { value, refusal } = useAnswer(
    JSON.stringify([path, parameters]),
    async (signal) => ({ name, answer: await ask(path, { parameters, signal }) }),
    String(version),
  )
  if (attribute === undefined) return null
  const narrow = (condition: string) =>
    go({ ...place, filter: narrowed(place.filter, condition), page: 0, open: null })
  const answer = membersOf(value?.name === name ? value.answer : null)
  const others = Number(answer.__COUNT ?? 0) - maxValues
  const isRange = isNumeric(attribute) || attribute.type === 'date'
  return (
    <section class="facets" aria-label="Values">
      <select
        aria-label="Values of"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      >
        {attributes.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </select>
      {refusal !== null && <Problem refusal={refusal} />}
      {listOf(answer.__GROUPS).map((group) => {
        const { [name]: member, count } = membersOf(group)
        const text = cellText(member, attribute)
        const condition = conditionOf(model, attribute, member, false)
        return (
          <button
            key={`${member === null} ${text}`}
            type="button"
            class="quiet facet"
            onClick={() => condition !== null && narrow(condition)}
          >
            <Text text={member === null ? null : text} />{' '}
            <b>{Number(count).toLocaleString('en')}</b>
          </button>
        )
      })}
      {others > 0 && <span class="note">and {others.toLocaleString('en')} more values</span>}
      {isRange && (
        <form
          key={name}
          class="range"
          onSubmit={(event) => {
            event.preventDefault()
            const form = new FormData(event.currentTarget)
            const [from, to] = [String(form.get('low')), String(form.get('high'))]
            const range = rangeOf(attribute, utcOf(from, attribute), utcOf(to, attribute))
            if (range !== '') narrow(range)
          }}
        >
          <label>
            from <input name="low" {...rangeInput(attribute)} />
          </label>
          <label>
            to <input name="high" {...rangeInput(attribute)} />
          </label>
          <button type="submit" class="quiet">
            Apply
          </button>
        </form>
      )}
    </section>
  )
}

function rangeInput({ type, dateOnly }: { type: string; dateOnly: boolean }) {
  if (type !== 'date') return { type: 'number', step: 'any' } as const
  return dateOnly ? ({ type: 'date' } as const) : ({ type: 'datetime-local' } as const)
}

function utcOf(text: string, { type, dateOnly }: { type: string; dateOnly: boolean }): string {
  return text === '' || type !== 'date' || dateOnly ? text : `${text}:00Z`
}
