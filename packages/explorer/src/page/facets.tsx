import { useState } from 'preact/hooks'
import { cellText } from './field-value.ts'
import { type Attribute, attributeOf, type DataClass, isNumeric, isScalar } from './model.ts'
import { conditionOf, narrowed, rangeOf } from './narrow.ts'
import { Text } from './null-text.tsx'
import type { Scene } from './scene.ts'
import { Refused, SampleNote, useSource } from './source.tsx'
import { store, stored } from './storage.ts'
import { useAnswer } from './use-answer.ts'

const maxValues = 12
/** Each facet is a request over the whole selection. */
const maxFacets = 6

/** The most frequent values of some attributes in the selection; a click narrows the filter. */
export function Facets({ scene, dataClass }: { scene: Scene; dataClass: DataClass }) {
  const attributes = dataClass.attributes.filter((one) => isScalar(one) && !one.isKey)
  const first = attributes.find(({ type }) => type === 'string') ?? attributes[0]
  const storageKey = `entia values ${scene.model.name} ${dataClass.name}`
  const [names, setNames] = useState<readonly string[]>(() => {
    const kept = (stored(storageKey) ?? '').split(',')
    const known = kept.filter((name) => attributes.some((one) => one.name === name))
    return known.length > 0 ? known : [first?.name ?? '']
  })
  const choose = (next: readonly string[]) => {
    setNames(next)
    store(storageKey, next.join(','))
  }
  const rest = attributes.filter(({ name }) => !names.includes(name))
  if (first === undefined) return null
  return (
    <section class="facets scroll" aria-label="Values">
      {names.map((name, at) => (
        <Facet
          key={name}
          scene={scene}
          dataClass={dataClass}
          name={name}
          choices={attributes.filter((one) => one.name === name || !names.includes(one.name))}
          choose={(next) => choose(names.map((one, i) => (i === at ? next : one)))}
          remove={names.length > 1 ? () => choose(names.filter((_, i) => i !== at)) : null}
        />
      ))}
      {rest.length > 0 && names.length < maxFacets && (
        <button
          type="button"
          class="quiet"
          title="Values of another attribute beside these"
          onClick={() => choose([...names, rest[0]?.name ?? ''])}
        >
          + values of {rest[0]?.name}
        </button>
      )}
    </section>
  )
}

interface FacetProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly name: string
  readonly choices: readonly Attribute[]
  readonly choose: (name: string) => void
  /** Null for the only one. */
  readonly remove: (() => void) | null
}

function Facet({ scene, dataClass, name, choices, choose, remove }: FacetProps) {
  const { place, go, model } = scene
  const attribute = attributeOf(dataClass, name)
  const source = useSource(scene, [name])
  const { value, refusal } = useAnswer(JSON.stringify([source.key, name]), (signal) =>
    source.read(signal, async (reader) =>
      attribute === undefined
        ? null
        : {
            name,
            found: await reader.groups(attribute, null, { y: name, how: 'count' }, true, maxValues),
          },
    ),
  )
  if (attribute === undefined) return null
  const narrow = (condition: string) =>
    go({ ...place, filter: narrowed(place.filter, condition), page: 0, open: null })
  const found = value?.name === name && refusal === null ? value.found : { groups: [], count: 0 }
  const others = found.count - maxValues
  const isRange = isNumeric(attribute) || attribute.type === 'date'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no legend in a row.
    <div class="facet-row" role="group" aria-label={`Values of ${name}`}>
      <select
        aria-label="Values of"
        value={name}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {choices.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </select>
      {refusal !== null && (
        <Refused scene={scene} dataClass={dataClass} source={source} refusal={refusal} />
      )}
      <SampleNote source={source} />
      {found.groups.map(({ [name]: member, count }) => {
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
      {remove !== null && (
        <button type="button" class="quiet" aria-label={`No values of ${name}`} onClick={remove}>
          ✕
        </button>
      )}
    </div>
  )
}

function rangeInput({ type, dateOnly }: { type: string; dateOnly: boolean }) {
  if (type !== 'date') return { type: 'number', step: 'any' } as const
  return dateOnly ? ({ type: 'date' } as const) : ({ type: 'datetime-local' } as const)
}

function utcOf(text: string, { type, dateOnly }: { type: string; dateOnly: boolean }): string {
  return text === '' || type !== 'date' || dateOnly ? text : `${text}:00Z`
}
