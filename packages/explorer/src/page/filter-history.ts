const most = 30

/** Under which the filters of a dataclass are kept in the browser. */
export function historyKey(storeName: string, dataClass: string): string {
  return `entia filters ${storeName} ${dataClass}`
}

/** Reads what was kept: filters, the newest first. What is not of the form is left out. */
export function filtersFrom(text: string | null): readonly string[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Each filter once, the newest first, no more than the history holds. */
export function withNewest(filters: readonly string[], filter: string): readonly string[] {
  return [filter, ...filters.filter((one) => one !== filter)].slice(0, most)
}
