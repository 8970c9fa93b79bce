import { typeText } from './class-box.tsx'
import { type DataClass, defaultColumns } from './model.ts'

interface ColumnsProps {
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  /** null restores the default. */
  readonly choose: (columns: readonly string[] | null) => void
}

/** Chooses the attributes that the grid shows. */
export function Columns({ dataClass, columns, choose }: ColumnsProps) {
  const toggle = (name: string) => {
    const next = columns.includes(name) ? columns.filter((one) => one !== name) : [...columns, name]
    const inOrder = dataClass.attributes.map((one) => one.name).filter((one) => next.includes(one))
    const isDefault = inOrder.join() === defaultColumns(dataClass).join()
    if (inOrder.length > 0) choose(isDefault ? null : inOrder)
  }
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
      <summary>Columns</summary>
      <fieldset>
        <legend>Columns of {dataClass.name}</legend>
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
      </fieldset>
    </details>
  )
}
