/** What others lead to comes before them: its rows must be there first. In a circle the first one given begins. Cost: O(items and what they lead to). */
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
