const most = 30

/** The browser storage key for the filters of a dataclass. */
export function historyKey(storeName: string, dataClass: string): string {
  return `entia filters ${storeName} ${dataClass}`
}

/** Reads stored filters, newest first. Skips invalid entries. */
export function filtersFrom(text: string | null): readonly string[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Adds a filter: each one once, newest first, up to the limit of the history. */
export function withNewest(filters: readonly string[], filter: string): readonly string[] {
  return [filter, ...filters.filter((one) => one !== filter)].slice(0, most)
}
