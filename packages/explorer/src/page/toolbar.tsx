import type { ComponentChildren } from 'preact'
import { hashOf, type View } from './place.ts'
import type { Scene } from './scene.ts'
import type { Following } from './use-follow.ts'
import { useRoving } from './use-roving.ts'

const views: readonly (readonly [View, string])[] = [
  ['rows', 'Entities'],
  ['plan', 'Plan'],
  ['chart', 'Aggregates'],
]

interface ToolbarProps {
  readonly scene: Scene
  readonly following: Following
  readonly reload: () => void
  readonly children: ComponentChildren
}

/** The views and actions of a selection, as one tab stop. */
export function Toolbar({ scene, following, reload, children }: ToolbarProps) {
  const { place } = scene
  const [element, onKeyDown] = useRoving<HTMLDivElement>('horizontal')
  return (
    <div class="bar" role="toolbar" aria-label="Selection" ref={element} onKeyDown={onKeyDown}>
      <nav class="views" aria-label="Views">
        {views.map(([view, title]) => (
          <a
            key={view}
            href={hashOf({ ...place, view })}
            aria-current={place.view === view ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <span class="spring" />
      {place.view === 'rows' && (
        <button
          type="button"
          class="quiet live"
          aria-pressed={following.isOn}
          title={followingText(following)}
          onClick={following.toggle}
        >
          Live
        </button>
      )}
      <button
        type="button"
        class="quiet"
        title="Load again (r)"
        aria-label="Refresh"
        onClick={reload}
      >
        ↻
      </button>
      {children}
    </div>
  )
}

function followingText({ isOn, by }: Following): string {
  if (!isOn) return 'Off: load changes with Refresh'
  return by === 'events' ? 'Shows changes as they happen' : 'Shows changes within five seconds'
}
