import { useRef } from 'preact/hooks'
import type { FieldText } from './field-value.ts'
import type { Attribute } from './model.ts'
import { RelationPicker } from './relation-picker.tsx'
import type { Scene } from './scene.ts'

interface ValueInputProps {
  readonly scene: Scene
  readonly attribute: Attribute
  /** Null for no value. */
  readonly text: FieldText
  readonly change: (text: FieldText) => void
  readonly id?: string
  readonly label?: string
  /** The id of the message about a refused value; null for a valid one. */
  readonly problemId: string | null
}

/** An input that fits the type of an attribute. Null and the empty text look different. */
export function ValueInput(props: ValueInputProps) {
  const { scene, attribute, text, change, id, label, problemId } = props
  const { type, notNull, target } = attribute
  const common = {
    id,
    'aria-label': label,
    'aria-invalid': problemId !== null,
    'aria-describedby': problemId ?? undefined,
  }
  const shown = text ?? ''
  // A control that is typed in stays: another one would take the focus and the caret with it.
  const element = useRef<HTMLElement | null>(null)
  const control = useRef<Control | null>(null)
  if (control.current === null || element.current !== document.activeElement)
    control.current = controlFor(attribute, text)
  const write = (event: { readonly currentTarget: { readonly value: string } }) => {
    const { value } = event.currentTarget
    change(value === '' && type !== 'string' ? null : value)
  }
  if (type === 'bool')
    return (
      <select {...common} value={shown} onChange={write}>
        {!notNull && <option value="">null</option>}
        {notNull && text === null && <option value="">choose</option>}
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    )
  const related = target === null ? undefined : scene.model.classes.get(target)
  if (related !== undefined)
    return (
      <RelationPicker
        scene={scene}
        target={related}
        text={text}
        change={change}
        listId={`${id ?? 'cell'}-list`}
        input={common}
      />
    )
  const ref = (given: HTMLElement | null) => {
    element.current = given
  }
  if (control.current === 'day')
    return <input {...common} ref={ref} type="date" value={shown} onInput={write} />
  if (control.current === 'moment')
    return (
      <>
        <input
          {...common}
          ref={ref}
          type="datetime-local"
          step={text === null || text.endsWith(':00.000Z') ? 60 : /\.000Z$/.test(text) ? 1 : 0.001}
          value={shown.replace(/(\.000)?Z$/, '')}
          onChange={(event) => {
            const { value } = event.currentTarget
            change(value === '' ? null : dateTimeOf(value))
          }}
        />
        <span class="type">UTC</span>
      </>
    )
  const typed = {
    ...common,
    ref,
    placeholder: placeholderOf(attribute, text),
    value: shown,
    onInput: write,
  }
  return (
    <>
      {control.current === 'lines' ? (
        <textarea
          {...typed}
          rows={Math.min(12, Math.max(3, shown.split('\n').length))}
          spellcheck={false}
        />
      ) : (
        <input
          {...typed}
          type="text"
          inputMode={['long', 'number', 'long64'].includes(type) ? 'decimal' : undefined}
          autocomplete="off"
        />
      )}
      {type === 'string' && !notNull && (
        <button
          type="button"
          class="quiet null-button"
          aria-label={`null for ${attribute.name}`}
          aria-pressed={text === null}
          title="No value, which differs from the empty text"
          onClick={() => change(text === null ? '' : null)}
        >
          null
        </button>
      )}
    </>
  )
}

/** The controls of texts that are not chosen from a list. */
type Control = 'line' | 'lines' | 'moment' | 'day'

function controlFor({ type, dateOnly }: Attribute, text: FieldText): Control {
  if (type === 'date') {
    const [native, shown] = dateOnly ? (['day', day] as const) : (['moment', utc] as const)
    return text === null || shown.test(text) ? native : 'line'
  }
  const isLong = type === 'string' && /.{61}|\n/s.test(text ?? '')
  return type === 'object' || isLong ? 'lines' : 'line'
}

/** Date-times and dates that the native inputs can show: others would look like no value. */
const utc = /^(?!0000)\d{4}-\d\d-\d\dT[\d:.]+Z$/
const day = /^(?!0000)\d{4}-\d\d-\d\d$/

/** `2001-01-31T12:00` as `2001-01-31T12:00:00.000Z`. */
function dateTimeOf(local: string): string {
  const time = new Date(`${local}Z`)
  return Number.isNaN(time.getTime()) ? `${local}Z` : time.toISOString()
}

function placeholderOf({ type, autoSequence }: Attribute, text: FieldText): string {
  if (autoSequence) return 'the next number'
  if (type === 'string') return text === null ? 'null' : 'empty text'
  return type === 'duration' ? '00:30:00' : 'null'
}
