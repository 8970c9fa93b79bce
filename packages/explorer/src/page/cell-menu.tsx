import { useEffect, useRef } from 'preact/hooks'
import { cellText, cut, deferredOf } from './field-value.ts'
import type { Attribute } from './model.ts'
import { conditionOf, narrowed } from './narrow.ts'
import type { Scene } from './scene.ts'

export interface MenuAt {
  readonly attribute: Attribute
  readonly value: unknown
  /** In the window, in pixels. */
  readonly x: number
  readonly y: number
}

/** Filters by the value of a cell. Opens with the context menu, which the keyboard has too. */
export function CellMenu({ scene, at, close }: { scene: Scene; at: MenuAt; close: () => void }) {
  const { place, go, model } = scene
  const { attribute, value } = at
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const text = deferredOf(value)?.key ?? (value == null ? 'null' : cellText(value, attribute))
  const item = (label: string, isExcluded: boolean) => {
    const condition = conditionOf(model, attribute, value, isExcluded)
    return (
      condition !== null && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            dialog.current?.close()
            go({ ...place, filter: narrowed(place.filter, condition), page: 0, open: null })
          }}
        >
          {label} <b>{cut(text === '' ? 'empty' : text, 30)}</b>
        </button>
      )
    )
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog.
    <dialog
      ref={dialog}
      class="cell-menu"
      aria-label={`Filter by ${attribute.name}`}
      style={{
        left: `max(4px, min(${at.x}px, 100vw - 300px))`,
        top: `min(${at.y}px, 100vh - 90px)`,
      }}
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      {item(`Only ${attribute.name}`, false)}
      {item(`Exclude ${attribute.name}`, true)}
    </dialog>
  )
}
