import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Ask } from './api.ts'
import { complete, valueAt } from './completion.ts'
import { filterErrorOf, splitAt } from './filter-error.ts'
import { exampleOf } from './filter-example.ts'
import { FilterPills } from './filter-pills.tsx'
import type { DataClass, Model } from './model.ts'
import { narrowed } from './narrow.ts'
import { SearchBox } from './search-box.tsx'
import { useValues } from './use-values.ts'

interface FilterBoxProps {
  readonly ask: Ask
  readonly model: Model
  readonly dataClass: DataClass
  readonly filter: string
  /** The server's messages about this filter; empty if it is valid. */
  readonly messages: readonly string[]
  readonly history: readonly string[]
  readonly apply: (filter: string) => void
  /** Takes what is typed before it is applied. */
  readonly edited?: (filter: string) => void
  /** Of the button; `Filter` unless given. */
  readonly submitLabel?: string
  /** More fields of the same form, in place of the search and the conditions of the filter. */
  readonly children?: ComponentChildren
}

/**
 * The filter: completion of names, paths and operators, marked errors, and a history on arrow up.
 */
export function FilterBox(props: FilterBoxProps) {
  const { ask, model, dataClass, filter, messages, history, apply } = props
  const input = useRef<HTMLInputElement>(null)
  const putCaret = useRef<number | null>(null)
  const [text, setText] = useState(filter)
  const [caret, setCaret] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const [past, setPast] = useState(-1)
  useEffect(() => setText(filter), [filter, dataClass.name])
  // Set the caret after the text is rendered and before the next key, also for fast typists.
  useLayoutEffect(() => {
    if (putCaret.current === null) return
    input.current?.setSelectionRange(putCaret.current, putCaret.current)
    putCaret.current = null
  })
  const value = isOpen ? valueAt(text, caret, dataClass, model) : null
  const values = useValues(ask, value)
  const { from, items } = !isOpen
    ? { from: 0, items: [] }
    : value !== null && values.length > 0
      ? { from: value.from, items: values }
      : complete(text, caret, dataClass, model)
  const shown = items.slice(0, 12)
  const error = messages.length > 0 && text === filter ? filterErrorOf(messages) : null

  const write = (next: string, at: number, opens: boolean) => {
    setText(next)
    props.edited?.(next)
    setCaret(at)
    setIsOpen(opens)
    setActive(-1)
    putCaret.current = at
  }
  const take = (index: number) => {
    const item = shown[index]
    if (item === undefined) return
    const next =
      text.slice(0, from) +
      item.insert +
      text.slice(caret).replace(item.isValue ? /^['"]? ?/ : /^ /, '')
    write(next, from + item.insert.length, true)
    input.current?.focus()
  }
  const recall = (index: number) => {
    const earlier = index < 0 ? '' : history[index]
    if (earlier === undefined) return
    setPast(index)
    write(earlier, earlier.length, false)
  }
  const submit = () => {
    setIsOpen(false)
    setPast(-1)
    apply(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isListed = shown.length > 0
    const used = () => {
      switch (event.key) {
        case 'ArrowDown':
          if (isListed) setActive((active + 1) % shown.length)
          else if (past >= 0) recall(past - 1)
          else openList()
          return true
        case 'ArrowUp':
          if (isListed && active >= 0) setActive(active - 1)
          else recall(past + 1)
          return true
        case 'Tab':
          if (!isListed || event.shiftKey) return false
          take(Math.max(0, active))
          return true
        case 'Enter':
          if (isListed && active >= 0) take(active)
          else submit()
          return true
        case 'Escape':
          if (!isListed) return false
          setIsOpen(false)
          event.stopPropagation()
          return true
        default:
          return false
      }
    }
    if (used()) event.preventDefault()
  }
  const openList = () => {
    setCaret(input.current?.selectionStart ?? text.length)
    setIsOpen(true)
  }
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <div class="filter-line">
        {/* Before the filter: the tab stop after it is the grid. */}
        {props.children === undefined && (
          <SearchBox
            dataClass={dataClass}
            narrow={(condition) => apply(narrowed(filter, condition))}
          />
        )}
        <input
          ref={input}
          id="filter"
          type="text"
          role="combobox"
          aria-label={`Filter of ${dataClass.name}`}
          aria-expanded={shown.length > 0}
          aria-controls="completions"
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `completion-${active}` : undefined}
          aria-invalid={error !== null}
          aria-describedby={error === null ? undefined : 'filter-error'}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={`Filter, for example ${exampleOf(dataClass)}`}
          value={text}
          onInput={(event) => {
            const { value, selectionStart } = event.currentTarget
            setText(value)
            props.edited?.(value)
            setCaret(selectionStart ?? value.length)
            setIsOpen(true)
            setActive(-1)
            setPast(-1)
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setIsOpen(false)}
        />
        <kbd title="Press / to focus the filter">/</kbd>
        {/* Enter in the field does the same: the next tab stop is the grid. */}
        <button type="submit" tabIndex={-1}>
          {props.submitLabel ?? 'Filter'}
        </button>
        {filter !== '' && (
          <button type="button" class="quiet" onClick={() => apply('')}>
            Clear
          </button>
        )}
      </div>
      <div
        id="completions"
        role="listbox"
        aria-label="Completions"
        class="completions"
        hidden={shown.length === 0}
      >
        {shown.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field handles the keys.
          <div
            key={item.label}
            id={`completion-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(index)}
          >
            <b>{item.label}</b> <span>{item.detail}</span>
          </div>
        ))}
      </div>
      {error === null && props.children === undefined && (
        <FilterPills filter={filter} apply={apply} />
      )}
      {error !== null && (
        <div class="filter-error" id="filter-error" role="alert">
          {error.at !== null && <Pointed filter={filter} at={error.at} />}
          {error.message}
        </div>
      )}
      {props.children}
    </form>
  )
}

/** The filter with its error marked. */
function Pointed({ filter, at }: { filter: string; at: number }) {
  const [before, wrong, behind] = splitAt(filter, at)
  return (
    <code>
      {before}
      <mark>{wrong === '' ? '␣' : wrong}</mark>
      {behind}
    </code>
  )
}
