import { useEffect, useRef } from 'preact/hooks'

/** What was changed in a form and not saved: text by attribute, and the entity as it was when that began. */
export interface Unsaved {
  readonly stored: unknown
  readonly draft: ReadonlyMap<string, string>
}

/** Of the forms that were left for another one, by what is told of each. */
export type Shelved = Map<string, Unsaved>

/**
 * Keeps what is not saved when the form of `title` is left, for when it is opened again. Gives what was kept, and a reference to
 * what would be: null in it is nothing to keep.
 */
export function useUnsaved(
  shelved: Shelved,
  title: string,
  tell: (text: string) => void,
): readonly [Unsaved | null, { current: Unsaved | null }] {
  const kept = useRef(shelved.get(title) ?? null)
  const latest = useRef<Unsaved | null>(null)
  useEffect(() => {
    shelved.delete(title)
    return () => {
      if (latest.current === null || latest.current.draft.size === 0) return
      shelved.set(title, latest.current)
      tell(`Not saved: what was changed in ${title} is there when it is opened again.`)
    }
  }, [])
  return [kept.current, latest]
}
