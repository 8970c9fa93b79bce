import { sameValue } from '@entia/core/internal'
import type { WorkingChange, WorkingCommit } from '@entia/engine'

/** Several commits of one transaction as one: they become visible together. Cost: O(changes). */
export function mergedCommit(commits: readonly WorkingCommit[]): WorkingCommit {
  const last = commits.at(-1)!
  if (commits.length === 1) return last
  const changes = new Map<string, WorkingChange>()
  for (const change of commits.flatMap((commit) => commit.changes)) {
    // An entity may get the key of one that was removed: these are two.
    const id = `${change.dataClass.ordinal} ${change.record ?? `new ${change.key}`}`
    const before = changes.get(id)
    if (before === undefined) changes.set(id, change)
    else if (before.kind === 'insert' && change.kind === 'remove') changes.delete(id)
    else changes.set(id, joined(before, change))
  }
  return {
    ...last,
    changes: [...changes.values()],
    sequences: commits.flatMap(({ sequences }) => sequences),
  }
}

function joined({ kind: first, before }: WorkingChange, last: WorkingChange): WorkingChange {
  const kind = first === 'insert' ? 'insert' : last.kind
  const { after } = last
  const changed =
    kind === 'update' && before !== null && after !== null
      ? [...before.keys()].filter((at) => !sameValue(before[at]!, after[at]!))
      : []
  return { ...last, kind, before, changed }
}
