/**
 * Sorts items so that each comes after the items it refers to. A cycle starts at its first item.
 * Cost: O(items + references).
 */
export function inLoadOrder<T>(items: readonly T[], leadsTo: (item: T) => Iterable<T>): T[] {
  const ordered: T[] = []
  const met = new Set<T>()
  const put = (item: T): void => {
    if (met.has(item)) return
    met.add(item)
    for (const other of leadsTo(item)) put(other)
    ordered.push(item)
  }
  for (const item of items) put(item)
  return ordered
}
