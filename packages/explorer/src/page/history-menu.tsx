import type { Scene } from './scene.ts'

const shown = 12

/** Undoes the last change, or the changes down to a chosen one. */
export function HistoryMenu({ scene }: { scene: Scene }) {
  const { changes, undo } = scene.history
  const last = changes.at(-1)
  if (last === undefined) return null
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label="Undo the last change"
        title={`Undo: ${last.title} (Ctrl Z)`}
        onClick={() => undo()}
      >
        ↶
      </button>
      <details
        class="menu"
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !event.currentTarget.open) return
          event.stopPropagation()
          event.currentTarget.open = false
          event.currentTarget.querySelector('summary')?.focus()
        }}
      >
        <summary>{changes.length === 1 ? '1 change' : `${changes.length} changes`}</summary>
        <fieldset class="changes">
          <legend>Undo down to</legend>
          <ol>
            {[...changes]
              .reverse()
              .slice(0, shown)
              .map((change) => (
                <li key={change.id}>
                  <button type="button" class="quiet" onClick={() => undo(change)}>
                    {change.title}
                  </button>
                </li>
              ))}
          </ol>
          {changes.length > shown && <p class="note">and {changes.length - shown} earlier ones</p>}
        </fieldset>
      </details>
    </>
  )
}
