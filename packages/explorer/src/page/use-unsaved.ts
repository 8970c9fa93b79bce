import { useEffect, useRef, useState } from 'preact/hooks'
import type { FieldText } from './field-value.ts'

/** An unsaved form: text by attribute, and the entity as it was when editing began. */
export interface Unsaved {
  readonly stored: unknown
  readonly draft: ReadonlyMap<string, FieldText>
}

/** A form that the panels of its title share: a save may be answered after the user came back. */
interface SharedForm {
  latest: Unsaved
  /** Of the panel that is open; null while none is. */
  show: ((form: Unsaved) => void) | null
}

/** Unsaved forms by title. */
export type Shelved = Map<string, SharedForm>

export interface Form extends Unsaved {
  /** Whether the form was kept when the user left it before. */
  readonly isKept: boolean
  /** The form after every change so far, which the next rendering shows. */
  readonly latest: () => Unsaved
  readonly change: (change: (before: Unsaved) => Partial<Unsaved>) => void
}

/**
 * The form of `title`. An unsaved one is kept when the user leaves it, until it is opened again. A
 * change after that, as by the answer to a save, changes the form that is kept.
 */
export function useUnsaved(
  shelved: Shelved,
  title: string,
  stored: unknown,
  notify: (text: string) => void,
): Form {
  const kept = useRef(shelved.get(title) ?? null)
  const form = useRef<SharedForm>(
    kept.current ?? { latest: { stored, draft: new Map() }, show: null },
  ).current
  const [, show] = useState(form.latest)
  const shelve = () => {
    if (form.latest.draft.size > 0) shelved.set(title, form)
    else shelved.delete(title)
  }
  useEffect(() => {
    shelved.delete(title)
    form.show = show
    show(form.latest)
    return () => {
      form.show = null
      shelve()
      if (form.latest.draft.size > 0)
        notify(`Not saved: ${title} keeps your changes until you open it again.`)
    }
  }, [])
  return {
    ...form.latest,
    isKept: kept.current !== null,
    latest: () => form.latest,
    change: (change) => {
      form.latest = { ...form.latest, ...change(form.latest) }
      if (form.show !== null) form.show(form.latest)
      else shelve()
    },
  }
}
