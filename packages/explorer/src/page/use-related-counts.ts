import { useEffect, useState } from 'preact/hooks'
import { anyOf } from './addresses.ts'
import { attributeOf, type DataClass, listOf, membersOf } from './model.ts'
import type { Scene } from './scene.ts'

/** The number of related entities by relation, then by key. */
export type RelatedCounts = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Counts the related entities of the shown page, with one request for each to-many column. */
export function useRelatedCounts(
  { ask, model }: Scene,
  dataClass: DataClass,
  columns: readonly string[],
  entities: readonly unknown[],
): RelatedCounts {
  const [counts, setCounts] = useState<RelatedCounts>(new Map())
  useEffect(() => {
    const stop = new AbortController()
    const keys = entities.map((entity) => membersOf(entity).__KEY).filter(isText)
    for (const name of columns) {
      const { kind, target, inverse } = attributeOf(dataClass, name) ?? {}
      const other = target == null ? undefined : model.classes.get(target)
      if (kind !== 'relatedEntities' || other === undefined || inverse == null) continue
      if (dataClass.key === null || keys.length === 0) continue
      const path = `${inverse}.${dataClass.key}`
      const parameters = {
        $groupby: path,
        $aggregates: 'count',
        $filter: anyOf(path, keys),
        $top: keys.length,
      }
      ask(encodeURIComponent(other.name), { parameters, signal: stop.signal }).then(
        (answer) => {
          const groups = listOf(membersOf(answer).__GROUPS).map(membersOf)
          const found = new Map(groups.map((group) => [String(group[path]), Number(group.count)]))
          const all = new Map(keys.map((key) => [key, found.get(key) ?? 0]))
          setCounts((before) => new Map([...before, [name, all]]))
        },
        () => {}, // Without permission to count, the cells have no counts.
      )
    }
    return () => stop.abort()
  }, [dataClass, columns.join(), entities])
  return counts
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
