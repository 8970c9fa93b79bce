import type { Ask } from './api.ts'
import type { Model } from './model.ts'
import type { Place } from './place.ts'
import type { Shelved } from './use-unsaved.ts'

/** What every part of the page may use. */
export interface Scene {
  readonly base: string
  readonly model: Model
  readonly ask: Ask
  readonly place: Place
  /** Shows another place; a step back in the browser returns. */
  readonly go: (place: Place) => void
  /** Tells something in one line, to screen readers too. */
  readonly tell: (text: string) => void
  /** Grows with every change made here: what is shown is asked for again. */
  readonly version: number
  readonly changed: () => void
  readonly unsaved: Shelved
  readonly now: () => number
}
