import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

export interface MenuAction {
  readonly title: string
  readonly icon: IconName
  readonly hint?: string
  readonly isDisabled?: boolean
  readonly isDangerous?: boolean
  readonly act: () => void
}

interface ActionMenuProps {
  readonly label: string
  readonly icon: IconName
  readonly actions: readonly MenuAction[]
}

/**
 * A button that opens a list of actions. Arrow keys, Home, End and first letters move in it;
 * Escape and a chosen action return the focus to the button.
 */
export function ActionMenu({ label, icon, actions }: ActionMenuProps) {
  const [open, setOpen] = useState<'no' | 'first' | 'last'>('no')
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const itemsOf = () => [...(list.current?.querySelectorAll('button') ?? [])].filter(isEnabled)
  const close = () => {
    // In a narrow window the button stays in sight; its place in the toolbar may not be.
    button.current?.focus({ preventScroll: true })
    setOpen('no')
  }
  useLayoutEffect(() => {
    if (open !== 'no')
      itemsOf()
        .at(open === 'first' ? 0 : -1)
        ?.focus()
  }, [open])
  const onButtonKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    setOpen(event.key === 'ArrowDown' ? 'first' : 'last')
  }
  const onMenuKey = (event: KeyboardEvent) => {
    // The keys of the toolbar and of the page do not apply here.
    event.stopPropagation()
    if (event.key === 'Tab') return setOpen('no')
    if (event.key === 'Escape') return close()
    const items = itemsOf()
    const next = nextItem(
      items,
      items.findIndex((item) => item.matches(':focus')),
      event.key,
    )
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }
  return (
    // The tab index keeps the focus inside where a clicked button does not take it.
    <div
      class="menu"
      tabIndex={-1}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOpen('no')
      }}
    >
      <button
        type="button"
        class="quiet opens"
        aria-haspopup="menu"
        aria-expanded={open !== 'no'}
        title="More actions of the selection"
        ref={button}
        onKeyDown={onButtonKey}
        onClick={() => setOpen(open === 'no' ? 'first' : 'no')}
      >
        <Icon name={icon} />
        <span class="label">{label}</span>
      </button>
      {open !== 'no' && (
        <div role="menu" class="popup" aria-label={label} ref={list} onKeyDown={onMenuKey}>
          {actions.map(({ title, icon, hint, isDisabled, isDangerous, act }) => (
            <button
              key={title}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={isDangerous ? 'quiet danger' : 'quiet'}
              title={hint}
              disabled={isDisabled}
              onClick={() => {
                close()
                act()
              }}
            >
              <Icon name={icon} />
              {title}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

function isEnabled(item: HTMLButtonElement): boolean {
  return !item.disabled
}

/** The item that a key moves to; undefined for other keys. */
function nextItem(items: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[(at + 1) % items.length]
  if (key === 'ArrowUp') return items.at(at <= 0 ? -1 : at - 1)
  if (key === 'Home') return items[0]
  if (key === 'End') return items.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  const startsWithKey = (item: HTMLElement) =>
    item.textContent?.toLowerCase().startsWith(key.toLowerCase()) === true
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(startsWithKey)
}
