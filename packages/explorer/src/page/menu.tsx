import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'
import { usePressOutside } from './use-press-outside.ts'

interface MenuProps {
  readonly summary: string
  /** Stands for the summary in a narrow window. */
  readonly icon?: IconName
  readonly legend: string
  readonly children: ComponentChildren
}

/** A button that opens a group of controls. Escape and a press elsewhere close it. */
export function Menu({ summary, icon, legend, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  usePressOutside(menu, () => {
    if (menu.current !== null) menu.current.open = false
  })
  return (
    <details
      ref={menu}
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !event.currentTarget.open) return
        event.stopPropagation()
        event.currentTarget.open = false
        event.currentTarget.querySelector('summary')?.focus()
      }}
    >
      <summary class="opens" title={legend}>
        {icon !== undefined && <Icon name={icon} />}
        <span class={icon && 'label'}>{summary}</span>
      </summary>
      <fieldset class="popup">
        <legend>{legend}</legend>
        {children}
      </fieldset>
    </details>
  )
}
