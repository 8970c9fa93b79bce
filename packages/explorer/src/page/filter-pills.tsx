import { cut } from './field-value.ts'
import { partsOf, withoutCondition } from './filter-parts.ts'

/** The conditions of a filter, each with a button that removes it. */
export function FilterPills({
  filter,
  apply,
}: {
  filter: string
  apply: (filter: string) => void
}) {
  const parts = partsOf(filter)
  if (parts.conditions.length < 2) return null
  return (
    <ul class="pills" aria-label="Conditions of the filter">
      {parts.conditions.map((condition, at) => (
        <li key={`${at} ${condition}`}>
          <code title={condition}>{cut(condition, 48)}</code>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${condition}`}
            title="Remove this condition"
            onClick={() => apply(withoutCondition(parts, at))}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  )
}
