import { hashOf, type Place } from './place.ts'
import { store, stored } from './storage.ts'

/** A place under a name, as an address. */
export interface SavedView {
  readonly name: string
  readonly hash: string
}

const keyOf = (storeName: string, dataClass: string) => `entia views ${storeName} ${dataClass}`

/** The saved views of a dataclass by name. Skips invalid entries. */
export function savedViews(storeName: string, dataClass: string): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(stored(keyOf(storeName, dataClass)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView) : []
  } catch {
    return []
  }
}

/** Saves a view under its name in place of one of that name; without a place removes it. */
export function saveView(
  storeName: string,
  dataClass: string,
  name: string,
  place: Place | null,
): readonly SavedView[] {
  const others = savedViews(storeName, dataClass).filter((one) => one.name !== name)
  const view = place === null ? [] : [{ name, hash: viewHash(place, name) }]
  const next = [...others, ...view].sort((one, other) => one.name.localeCompare(other.name))
  store(keyOf(storeName, dataClass), JSON.stringify(next))
  return next
}

/** The address of a view: its first page, without an open entity. */
export function viewHash(place: Place, name: string): string {
  return hashOf({ ...place, name, page: 0, open: null })
}

function isView(one: unknown): one is SavedView {
  const { name, hash } = Object(one) as Partial<SavedView>
  return typeof name === 'string' && typeof hash === 'string' && hash.startsWith('#/')
}
