import { useState } from 'preact/hooks'
import { Menu } from './menu.tsx'
import type { DataClass } from './model.ts'
import { savedViews, saveView, viewHash } from './saved-views.ts'
import type { Scene } from './scene.ts'

/** Saves what is shown under a name, and shows saved views. */
export function ViewsMenu({ scene, dataClass }: { scene: Scene; dataClass: DataClass }) {
  const { place, go, model, notify } = scene
  const [views, setViews] = useState(() => savedViews(model.name, dataClass.name))
  const [name, setName] = useState(place.name ?? '')
  const wanted = name.trim()
  const save = () => {
    if (wanted === '') return
    setViews(saveView(model.name, dataClass.name, wanted, place))
    go({ ...place, name: wanted })
    notify(`Saved the view "${wanted}" in this browser.`)
  }
  return (
    <Menu summary="Views" icon="views" legend={`Views of ${dataClass.name}`}>
      {views.map((view) => (
        <div key={view.name} class="view-line">
          <a href={view.hash} aria-current={isShown(view.hash) ? 'true' : undefined}>
            {view.name}
          </a>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove the view ${view.name}`}
            onClick={() => setViews(saveView(model.name, dataClass.name, view.name, null))}
          >
            ✕
          </button>
        </div>
      ))}
      <form
        class="view-line"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <input
          aria-label="Name of the view"
          placeholder="Name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" disabled={wanted === ''}>
          Save
        </button>
      </form>
      <p class="note">A view is the filter, order, columns and widths.</p>
    </Menu>
  )

  function isShown(hash: string): boolean {
    return place.name !== null && hash === viewHash(place, place.name)
  }
}
