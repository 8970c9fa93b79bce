import { useEffect, useRef } from 'preact/hooks'
import type { FieldText } from './field-value.ts'

/** An unsaved form: text by attribute, and the entity as it was when editing began. */
export interface Unsaved {
  readonly stored: unknown
  readonly draft: ReadonlyMap<string, FieldText>
}

/** Unsaved forms by title. */
export type Shelved = Map<string, Unsaved>

/**
 * Keeps the unsaved form of `title` when the user leaves it, until it is opened again. Returns the
 * kept form, and a reference for the current one; null in it means that there is nothing to keep.
 */
export function useUnsaved(
  shelved: Shelved,
  title: string,
  notify: (text: string) => void,
): readonly [Unsaved | null, { current: Unsaved | null }] {
  const kept = useRef(shelved.get(title) ?? null)
  const latest = useRef<Unsaved | null>(null)
  useEffect(() => {
    shelved.delete(title)
    return () => {
      if (latest.current === null || latest.current.draft.size === 0) return
      shelved.set(title, latest.current)
      notify(`Not saved: ${title} keeps your changes until you open it again.`)
    }
  }, [])
  return [kept.current, latest]
}
