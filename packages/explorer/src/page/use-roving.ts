import type { Ref } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const keysOf = {
  horizontal: { ArrowLeft: -1, ArrowRight: 1 },
  vertical: { ArrowUp: -1, ArrowDown: 1 },
} as const

/**
 * Makes the links and buttons of an element one tab stop: arrow keys, Home and End move among them.
 * The items of an open menu keep their own tab stops.
 */
export function useRoving<T extends HTMLElement>(
  orientation: keyof typeof keysOf,
): readonly [Ref<T>, (event: KeyboardEvent) => void] {
  const element = useRef<T>(null)
  const itemsOf = () =>
    [...(element.current?.querySelectorAll<HTMLElement>('a, button, summary') ?? [])].filter(
      (item) => item.closest('.popup') === null && !item.matches(':disabled'),
    )
  const select = (items: readonly HTMLElement[], chosen: HTMLElement | undefined) => {
    for (const item of items) item.tabIndex = item === chosen ? 0 : -1
  }
  // Rendering adds and removes items and knows nothing of tab stops.
  useLayoutEffect(() => {
    const items = itemsOf()
    const chosen =
      items.find((item) => item === document.activeElement) ??
      items.find((item) => item.getAttribute('tabindex') === '0') ??
      items.find((item) => item.hasAttribute('aria-current')) ??
      items[0]
    select(items, chosen)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const items = itemsOf()
    const at = items.findIndex((item) => item.matches(':focus'))
    const by: number | undefined = new Map(Object.entries(keysOf[orientation])).get(event.key)
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? items.length - 1 : by && at + by
    if (at < 0 || next === undefined) return
    event.preventDefault()
    const item = items[Math.max(0, Math.min(items.length - 1, next))]
    select(items, item)
    item?.focus()
  }
  return [element, onKeyDown]
}
