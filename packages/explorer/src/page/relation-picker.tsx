import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { entityPath, type Parameters } from './addresses.ts'
import { beginsWith } from './begins-with.ts'
import type { FieldText } from './field-value.ts'
import { labelAttributeOf, labelText } from './labels.ts'
import { attributeOf, type DataClass, listOf, membersOf } from './model.ts'
import type { Scene } from './scene.ts'

interface RelationPickerProps {
  readonly scene: Scene
  readonly target: DataClass
  /** The key of the related entity; null for none. */
  readonly text: FieldText
  readonly change: (key: FieldText) => void
  readonly listId: string
  /** Attributes of the input. */
  readonly input: object
}

interface Item {
  readonly key: string
  readonly label: string
}

const maxItems = 8

/**
 * Chooses a related entity by the beginning of its label, or by its key. Arrows move in the list,
 * Enter and Tab take an entity.
 */
export function RelationPicker(props: RelationPickerProps) {
  const { scene, target, text, change, listId, input } = props
  const { ask } = scene
  const [typed, setTyped] = useState<string | null>(null)
  const [found, setFound] = useState<{ typed: string; items: readonly Item[] } | null>(null)
  const [active, setActive] = useState(0)
  const [current, setCurrent] = useState<Item | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const attribute = labelAttributeOf(target)
  /** Never those of an earlier text, which the next key would take. */
  const items = found !== null && found.typed === typed ? found.items : []
  const itemOf = (entity: unknown): Item => {
    const members = membersOf(entity)
    return { key: String(members.__KEY), label: labelText(target, members) }
  }
  useEffect(() => {
    if (text === null || typed !== null || text === current?.key || attribute === null) return
    const stop = new AbortController()
    const request = { parameters: { $attributes: attribute }, signal: stop.signal }
    ask(entityPath(target.name, text), request).then(
      (entity) => setCurrent(itemOf(entity)),
      () => {}, // The key is shown without a label.
    )
    return () => stop.abort()
  }, [text, typed])
  useEffect(() => {
    setActive(0)
    const parameters = typed === null ? null : searchFor(target, attribute, typed)
    if (typed === null || parameters === null) return
    const stop = new AbortController()
    const request = { parameters, signal: stop.signal }
    ask(encodeURIComponent(target.name), request).then(
      (page) => setFound({ typed, items: listOf(membersOf(page).__ENTITIES).map(itemOf) }),
      () => {}, // Without permission to search, the key can be typed.
    )
    return () => stop.abort()
  }, [typed])

  const take = (item: Item | undefined) => {
    if (item === undefined) return
    setCurrent(item)
    setTyped(null)
    change(item.key)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' && typed === null) setTyped('')
    else if (items.length === 0) return
    else if (event.key === 'ArrowDown') setActive((active + 1) % items.length)
    else if (event.key === 'ArrowUp') setActive((active + items.length - 1) % items.length)
    else if (event.key === 'Escape') setTyped(null)
    else if (event.key === 'Enter') take(items[active])
    else {
      if (event.key === 'Tab') take(items[active])
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const shown = text === null ? '' : text === current?.key ? nameOf(current) : text
  // A label that arrives takes the selection away, and what is typed next would come after it.
  useLayoutEffect(() => {
    if (field.current === document.activeElement) field.current?.select()
  }, [current])
  // A reload that moves the row of a cell takes the focus away and gives it back.
  const onBlur = () =>
    setTimeout(() => {
      if (field.current !== document.activeElement) setTyped(null)
    })
  return (
    <div class="picker">
      <input
        {...input}
        ref={field}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? `${listId}-${active}` : undefined}
        placeholder={`null; type to find a ${target.name}`}
        value={typed ?? shown}
        onInput={(event) => {
          const { value } = event.currentTarget
          setTyped(value)
          change(value === '' ? null : value)
        }}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
      />
      <div
        id={listId}
        role="listbox"
        aria-label={target.name}
        class="completions"
        hidden={items.length === 0}
      >
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the input handles the keys.
          <div
            key={item.key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(item)}
          >
            <b>{item.label || item.key}</b> <span>{item.label === '' ? '' : item.key}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

function nameOf({ key, label }: Item): string {
  return label === '' ? key : `${label} (${key})`
}

/** Entities whose label or key begins with the text; null if none can. */
function searchFor(target: DataClass, label: string | null, typed: string): Parameters | null {
  const key = target.key ?? ''
  const values: string[] = []
  const param = (value: string) => `:${values.push(value)}`
  const conditions = [...new Set([label, key])].flatMap((name) => {
    const attribute = name === null ? undefined : attributeOf(target, name)
    return (attribute && beginsWith(attribute, typed, param)) ?? []
  })
  if (typed !== '' && conditions.length === 0) return null
  return {
    $attributes: label ?? key,
    $orderby: label ?? key,
    $top: maxItems,
    ...(typed === ''
      ? {}
      : { $filter: `"${conditions.join(' or ')}"`, $params: JSON.stringify(values) }),
  }
}
