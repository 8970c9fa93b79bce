import { cellText, deferredOf } from './field-value.ts'
import { attributeOf, type DataClass, isNumeric, isScalar, membersOf } from './model.ts'
import { Text } from './null-text.tsx'

interface ConsoleRowsProps {
  readonly dataClass: DataClass
  /** As they were asked for, with commas; empty for the stored values. */
  readonly attributes: string
  readonly entities: readonly unknown[]
}

/** The first rows of an answer, a column for each attribute that was asked for. */
export function ConsoleRows({ dataClass, attributes, entities }: ConsoleRowsProps) {
  const asked = attributes
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  const stored = dataClass.attributes.filter((one) => one.kind === 'storage' && isScalar(one))
  const all = stored.map(({ name }) => name)
  const named = asked.flatMap((name) => (name === '*' ? all : [name]))
  const columns = asked.length > 0 ? [...new Set(named)] : all
  const classOf = (name: string) => {
    const attribute = attributeOf(dataClass, name)
    return attribute !== undefined && isNumeric(attribute) ? 'number' : undefined
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <section class="scroll" tabIndex={0} aria-label="First rows">
      <table class="facts">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" class={classOf(name)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entities.map((entity) => (
            <tr key={String(membersOf(entity).__KEY)}>
              {columns.map((name) => {
                const value = valueAt(entity, name)
                return (
                  <td key={name} class={classOf(name)}>
                    {value === null || value === undefined ? (
                      <Text text={null} />
                    ) : (
                      (deferredOf(value)?.key ?? cellText(value, attributeOf(dataClass, name)))
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The value at a path; null where a relation is empty. */
function valueAt(entity: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const members = membersOf(value)
    return Object.hasOwn(members, name) ? members[name] : null
  }, entity)
}
