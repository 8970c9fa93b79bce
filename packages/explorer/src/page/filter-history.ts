const most = 30

/** Earlier filters of a dataclass in this browser, the newest first. */
export function earlierFilters(store: string, dataClass: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(store, dataClass)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Puts a filter in front; answers the new list. A browser that stores nothing forgets it with the page. */
export function remember(store: string, dataClass: string, filter: string): readonly string[] {
  const next = withNewest(earlierFilters(store, dataClass), filter)
  try {
    localStorage.setItem(keyOf(store, dataClass), JSON.stringify(next))
  } catch {
    // Full, or forbidden by the user.
  }
  return next
}

/** Each filter once, the newest first, no more than the history holds. */
export function withNewest(filters: readonly string[], filter: string): readonly string[] {
  return [filter, ...filters.filter((one) => one !== filter)].slice(0, most)
}

function keyOf(store: string, dataClass: string): string {
  return `entia filters ${store} ${dataClass}`
}
