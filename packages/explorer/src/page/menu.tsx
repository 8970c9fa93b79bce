import type { ComponentChildren } from 'preact'

interface MenuProps {
  readonly summary: string
  readonly legend: string
  readonly children: ComponentChildren
}

/** A button that opens a group of controls. Escape closes it. */
export function Menu({ summary, legend, children }: MenuProps) {
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
      <summary>{summary}</summary>
      <fieldset>
        <legend>{legend}</legend>
        {children}
      </fieldset>
    </details>
  )
}
