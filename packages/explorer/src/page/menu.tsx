import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface MenuProps {
  readonly summary: string
  /** Stands for the summary in a narrow window. */
  readonly icon?: IconName
  readonly legend: string
  readonly children: ComponentChildren
}

/** A button that opens a group of controls. Escape closes it. */
export function Menu({ summary, icon, legend, children }: MenuProps) {
  return (
    <details
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
