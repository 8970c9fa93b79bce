/** The selected rows: the entities with these keys, or all of the selection except these. */
export interface Selected {
  readonly isAll: boolean
  readonly keys: ReadonlySet<string>
}

export const noneSelected: Selected = { isAll: false, keys: new Set() }
export const allSelected: Selected = { isAll: true, keys: new Set() }

export function isSelected({ isAll, keys }: Selected, key: string): boolean {
  return keys.has(key) !== isAll
}

/** `count`: the size of the whole selection. */
export function selectedCount({ isAll, keys }: Selected, count: number): number {
  return isAll ? Math.max(0, count - keys.size) : keys.size
}

/** Selects these entities, or no longer selects them. */
export function withRows(
  selected: Selected,
  keys: readonly string[],
  becomesSelected: boolean,
): Selected {
  const next = new Set(selected.keys)
  for (const key of keys)
    if (becomesSelected === selected.isAll) next.delete(key)
    else next.add(key)
  return { ...selected, keys: next }
}

/** The keys from one row to another, in their order; only the last one without a first. */
export function rangeOfRows(
  keys: readonly (string | null)[],
  from: string | null,
  to: string,
): readonly string[] {
  const [start, end] = [from === null ? -1 : keys.indexOf(from), keys.indexOf(to)]
  if (start < 0 || end < 0) return [to]
  return keys
    .slice(Math.min(start, end), Math.max(start, end) + 1)
    .filter((key): key is string => key !== null)
}
