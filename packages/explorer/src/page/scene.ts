import type { ComponentChild } from 'preact'
import type { Ask, Follow } from './api.ts'
import type { Model } from './model.ts'
import type { Place } from './place.ts'
import type { Step } from './undo.ts'
import type { History } from './use-history.ts'
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
  /** Shows a one-line notice, and announces it to screen readers. */
  readonly notify: (text: string) => void
  /** Adds a change to the history; its notice has a button that undoes it. `isQuiet`: no notice. */
  readonly record: (step: Step, isQuiet?: boolean) => void
  /** The changes of this session. */
  readonly history: History
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
