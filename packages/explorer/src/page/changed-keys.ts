import { membersOf } from './model.ts'

/** The keys of entities that are new, or whose shown values differ. */
export function changedKeys(
  before: readonly unknown[],
  after: readonly unknown[],
): ReadonlySet<string> {
  const known = new Map(before.map((entity) => [membersOf(entity).__KEY, JSON.stringify(entity)]))
  const changed = new Set<string>()
  for (const entity of after) {
    const { __KEY } = membersOf(entity)
    if (typeof __KEY === 'string' && known.get(__KEY) !== JSON.stringify(entity)) changed.add(__KEY)
  }
  return changed
}
