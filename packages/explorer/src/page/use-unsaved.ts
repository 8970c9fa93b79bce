import { useEffect, useRef, useState } from 'preact/hooks'
import type { FieldText } from './field-value.ts'

/** An unsaved form: text by attribute, and the entity as it was when editing began. */
export interface Unsaved {
  readonly stored: unknown
  readonly draft: ReadonlyMap<string, FieldText>
}

/** Unsaved forms by title. */
export type Shelved = Map<string, Unsaved>

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
  const latest = useRef<Unsaved>(kept.current ?? { stored, draft: new Map() })
  const isOpen = useRef(true)
  const [, show] = useState(latest.current)
  const shelve = () => {
    if (latest.current.draft.size > 0) shelved.set(title, latest.current)
    else shelved.delete(title)
  }
  useEffect(() => {
    shelved.delete(title)
    return () => {
      isOpen.current = false
      shelve()
      if (latest.current.draft.size > 0)
        notify(`Not saved: ${title} keeps your changes until you open it again.`)
    }
  }, [])
  return {
    ...latest.current,
    isKept: kept.current !== null,
    latest: () => latest.current,
    change: (change) => {
      latest.current = { ...latest.current, ...change(latest.current) }
      if (isOpen.current) show(latest.current)
      else shelve()
    },
  }
}
