/** ` Did you mean "serve"?` if one of the names is close to what was written, else ''. */
export function suggestionOf(written: string, names: Iterable<string>): string {
  const closest = closestOf(written, names)
  return closest === null ? '' : ` Did you mean "${closest}"?`
}

/** The name with the fewest edits: at most a third of its letters, and one at least. */
export function closestOf(written: string, names: Iterable<string>): string | null {
  let best: string | null = null
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const edits = editsBetween(written.toLowerCase(), name.toLowerCase())
    if (
      edits <= Math.max(1, Math.floor(name.length / 3)) &&
      edits < name.length &&
      edits < fewest
    ) {
      best = name
      fewest = edits
    }
  }
  return best
}

/**
 * Letters to insert, remove, replace, or swap with their neighbour. Cost: O(length of both). Texts
 * longer than a name are far from each.
 */
function editsBetween(one: string, other: string): number {
  if (one.length > 64 || other.length > 64) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isEqual = one[i - 1] === other[j - 1]
      let edits = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (isEqual ? 0 : 1))
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        edits = Math.min(edits, before[j - 2]! + 1)
      row.push(edits)
    }
    before = above
    above = row
  }
  return above[other.length]!
}
