/**
 * A request that appends to lists or reads them. A transaction has a unique id, which it appends to
 * each key of `appended`; `read` has the lists that it found.
 */
export interface Done {
  readonly id: string
  /** False if it was refused: then no read may find its id. */
  readonly isCommitted: boolean
  readonly appended: readonly number[]
  readonly read: ReadonlyMap<number, readonly string[]>
  /** The times of the request and its answer by one clock; undefined if unknown. */
  readonly began?: number
  readonly ended?: number
}

/**
 * Describes the first anomaly of a history of appends; null if the history is serializable. `final`
 * has the lists at the end, which give the order of versions. The names are those of Adya: G0 is a
 * cycle of writes, and G1c one of writes and reads of them. G-single and G2 are cycles with reads
 * of versions that are overwritten later. G1a is a read of a refused write, and G1b a read of a
 * partial one. A cycle with `rt` orders a request before another that had ended when it began.
 */
export function anomalyIn(
  history: readonly Done[],
  final: ReadonlyMap<number, readonly string[]>,
): string | null {
  const refused = new Set(history.filter(({ isCommitted }) => !isCommitted).map(({ id }) => id))
  const committed = history.filter(({ isCommitted }) => isCommitted)
  for (const [key, list] of final) {
    if (new Set(list).size < list.length) return `an append to ${key} is there twice: ${list}`
    for (const id of list) if (refused.has(id)) return `G1a: ${id} was refused and is in ${key}`
  }
  for (const { id, appended, read } of committed) {
    for (const key of appended)
      if (!final.get(key)!.includes(id)) return `lost update: ${id} is not in ${key}`
    for (const [key, list] of read) {
      const aborted = list.find((one) => refused.has(one))
      if (aborted !== undefined) return `G1a: ${id} read ${aborted}, which was refused`
      if (list.some((one, at) => final.get(key)![at] !== one))
        return `${id} read a version of ${key} that never was: ${list}`
    }
  }
  const edges = new Map<string, Map<string, string>>(committed.map(({ id }) => [id, new Map()]))
  const add = (from: string | undefined, to: string | undefined, kind: string): void => {
    if (from !== undefined && to !== undefined && from !== to) edges.get(from)?.set(to, kind)
  }
  for (const list of final.values())
    for (let at = 1; at < list.length; at++) add(list[at - 1], list[at], 'ww')
  for (const { id, read } of committed)
    for (const [key, list] of read) {
      add(list.at(-1), id, 'wr')
      add(id, final.get(key)![list.length], 'rw')
    }
  // A dependency by a version says more.
  for (const { id, ended } of committed)
    for (const later of committed)
      if (ended !== undefined && later.began! > ended && !edges.get(id)!.has(later.id))
        add(id, later.id, 'rt')
  return cycleIn(edges)
}

function cycleIn(edges: ReadonlyMap<string, ReadonlyMap<string, string>>): string | null {
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (node: string): string | null => {
    state.set(node, 'open')
    path.push(node)
    for (const [next] of edges.get(node) ?? []) {
      if (state.get(next) === 'open')
        return nameOf([...path.slice(path.indexOf(next)), next], edges)
      const found = state.has(next) ? null : visit(next)
      if (found !== null) return found
    }
    path.pop()
    state.set(node, 'done')
    return null
  }
  for (const node of edges.keys()) {
    const found = state.has(node) ? null : visit(node)
    if (found !== null) return found
  }
  return null
}

function nameOf(
  cycle: readonly string[],
  edges: ReadonlyMap<string, ReadonlyMap<string, string>>,
): string {
  const kinds = cycle.slice(1).map((to, at) => edges.get(cycle[at]!)!.get(to)!)
  const antis = kinds.filter((kind) => kind === 'rw').length
  const name = antis > 1 ? 'G2' : antis === 1 ? 'G-single' : kinds.includes('wr') ? 'G1c' : 'G0'
  const suffix = kinds.includes('rt') ? '-realtime' : ''
  return `${name}${suffix}: ${cycle.map((id, at) => (at === 0 ? id : `-${kinds[at - 1]}-> ${id}`)).join(' ')}`
}
