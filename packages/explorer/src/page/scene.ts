import type { Ask } from './api.ts'
import type { Model } from './model.ts'
import type { Place } from './place.ts'
import type { Shelved } from './use-unsaved.ts'

/** Shared by all parts of the page. */
export interface Scene {
  readonly base: string
  readonly model: Model
  readonly ask: Ask
  readonly place: Place
  /** Shows another place and adds it to the browser's history. */
  readonly go: (place: Place) => void
  /** Shows a one-line notice, and announces it to screen readers. */
  readonly notify: (text: string) => void
  /** Increases with every change made here, which reloads the shown data. */
  readonly version: number
  readonly changed: () => void
  readonly unsaved: Shelved
  readonly now: () => number
}
