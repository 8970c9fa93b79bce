import { Menu } from './menu.tsx'
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
      <Menu
        summary={changes.length === 1 ? '1 change' : `${changes.length} changes`}
        legend="Undo down to"
      >
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
      </Menu>
    </>
  )
}
