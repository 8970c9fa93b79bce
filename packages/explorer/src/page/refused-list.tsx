import type { Refused } from './change-rows.ts'

const shown = 20

/** What the server refused, and why: equal messages together. */
export function RefusedList({ title, refused }: { title: string; refused: readonly Refused[] }) {
  const keys = new Map<string, string[]>()
  for (const { key, message } of refused) keys.set(message, [...(keys.get(message) ?? []), key])
  return (
    <section class="refused" role="alert">
      <p>{title}</p>
      <ul>
        {[...keys].slice(0, shown).map(([message, found]) => (
          <li key={message}>
            <b>
              {found.slice(0, 5).join(', ')}
              {found.length > 5 && ` and ${(found.length - 5).toLocaleString('en')} more`}
            </b>
            : {message}
          </li>
        ))}
        {keys.size > shown && <li>and {keys.size - shown} more reasons</li>}
      </ul>
    </section>
  )
}
