import { typeText } from './class-box.tsx'
import { Menu } from './menu.tsx'
import type { DataClass } from './model.ts'

interface ColumnsProps {
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  readonly choose: (columns: readonly string[]) => void
  /** Shows the default columns with the widths of their contents; null if they are shown. */
  readonly reset: (() => void) | null
}

/** Chooses the attributes that the grid shows. Another one comes last. */
export function Columns({ dataClass, columns, choose, reset }: ColumnsProps) {
  const toggle = (name: string) =>
    choose(columns.includes(name) ? columns.filter((one) => one !== name) : [...columns, name])
  return (
    <Menu summary="Columns" icon="columns" legend={`Columns of ${dataClass.name}`}>
      {dataClass.attributes.map((attribute) => (
        <label key={attribute.name}>
          <input
            type="checkbox"
            checked={columns.includes(attribute.name)}
            onChange={() => toggle(attribute.name)}
          />{' '}
          {attribute.name} <span class="type">{typeText(attribute)}</span>
        </label>
      ))}
      {reset !== null && (
        <button type="button" class="quiet" onClick={reset}>
          Default columns
        </button>
      )}
    </Menu>
  )
}
