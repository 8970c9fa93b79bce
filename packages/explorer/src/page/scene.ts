import type { ComponentChild } from 'preact'
import type { Ask, Follow } from './api.ts'
import type { Model } from './model.ts'
import type { Place } from './place.ts'
import type { Shelved } from './use-unsaved.ts'
import type { Camera } from './zoom.ts'

/** Shared by all parts of the page. */
export interface Scene {
  readonly base: string
  readonly model: Model
  readonly ask: Ask
  readonly follow: Follow
  readonly place: Place
  /** Shows another place and adds it to the browser's history. */
  readonly go: (place: Place) => void
  /**
   * Shows a one-line notice, and announces it to screen readers. With `undo` it has a button
   * for some seconds, which shows the text that `undo` resolves to.
   */
  readonly notify: (text: string, undo?: () => Promise<string>) => void
  /** Increases with every change made here, which reloads the shown data. */
  readonly version: number
  readonly changed: () => void
  readonly unsaved: Shelved
  readonly now: () => number
  /** Reports the count of a whole dataclass, which the sidebar shows. */
  readonly counted: (dataClass: string, count: number) => void
  /** The button that shows the sidebar, for the head of each view; null while it is shown. */
  readonly menu: ComponentChild
  /** What the page remembers without rendering it. */
  readonly memory: Memory
}

export interface Memory {
  /** Where the user left the diagram; null shows all of it. */
  camera: Camera | null
}
