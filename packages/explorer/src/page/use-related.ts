import { useEffect, useState } from 'preact/hooks'
import { anyOf } from './addresses.ts'
import { cellText, deferredOf } from './field-value.ts'
import { labelAttributeOf } from './labels.ts'
import { attributeOf, type DataClass, listOf, membersOf } from './model.ts'
import type { Scene } from './scene.ts'

/**
 * What the cells of relations show, by relation: for a to-many relation the number of related
 * entities by the key of the row, for a to-one relation the label by the key of the related entity.
 */
export type Related = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Counts and names the related entities of the shown page, with one request for each column. What
 * the user may not read stays away: the cells show the relation and the key without it.
 */
export function useRelated(
  { ask, model }: Scene,
  dataClass: DataClass,
  columns: readonly string[],
  entities: readonly unknown[],
): Related {
  const [related, setRelated] = useState<Related>(new Map())
  useEffect(() => {
    const stop = new AbortController()
    const add = (name: string, found: ReadonlyMap<string, string>) =>
      setRelated((before) => new Map([...before, [name, found]]))
    const rows = entities.map(membersOf)
    const keys = rows.map(({ __KEY }) => __KEY).filter(isText)
    for (const name of columns) {
      const { kind, target, inverse } = attributeOf(dataClass, name) ?? {}
      const other = target == null ? undefined : model.classes.get(target)
      if (other === undefined) continue
      const path = encodeURIComponent(other.name)
      const { signal } = stop
      if (kind === 'relatedEntity') {
        const label = labelAttributeOf(other)
        const targets = [...new Set(rows.map((row) => deferredOf(row[name])?.key).filter(isText))]
        if (label === null || other.key === null || targets.length === 0) continue
        const parameters = {
          $attributes: label,
          $filter: anyOf(other.key, targets),
          $top: targets.length,
        }
        ask(path, { parameters, signal }).then(
          (page) => {
            const found = listOf(membersOf(page).__ENTITIES).map(membersOf)
            const attribute = attributeOf(other, label)
            const labels = found.map((one) => [one.__KEY, cellText(one[label], attribute)])
            add(name, new Map(labels.map(([key, text]) => [String(key), String(text)])))
          },
          () => {},
        )
      } else if (inverse != null && dataClass.key !== null && keys.length > 0) {
        const by = `${inverse}.${dataClass.key}`
        const parameters = {
          $groupby: by,
          $aggregates: 'count',
          $filter: anyOf(by, keys),
          $top: keys.length,
        }
        ask(path, { parameters, signal }).then(
          (answer) => {
            const groups = listOf(membersOf(answer).__GROUPS).map(membersOf)
            const counts = new Map(groups.map((group) => [String(group[by]), Number(group.count)]))
            add(
              name,
              new Map(keys.map((key) => [key, (counts.get(key) ?? 0).toLocaleString('en')])),
            )
          },
          () => {},
        )
      }
    }
    return () => stop.abort()
  }, [dataClass, columns.join(), entities])
  return related
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
