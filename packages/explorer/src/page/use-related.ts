import { useEffect, useState } from 'preact/hooks'
import { anyOf, type Parameters } from './addresses.ts'
import { deferredOf } from './field-value.ts'
import { labelAttributeOf, labelText } from './labels.ts'
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
    const rows = entities.map(membersOf)
    for (const name of columns) {
      const attribute = attributeOf(dataClass, name)
      const target = model.classes.get(attribute?.target ?? '')
      if (attribute === undefined || target === undefined) continue
      const question =
        attribute.kind === 'relatedEntity'
          ? labelsOf(target, rows, name)
          : countsOf(dataClass, attribute.inverse, rows)
      if (question === null) continue
      const { parameters, read } = question
      ask(encodeURIComponent(target.name), { parameters, signal: stop.signal }).then(
        (answer) => setRelated((before) => new Map([...before, [name, read(membersOf(answer))]])),
        () => {},
      )
    }
    return () => stop.abort()
  }, [dataClass, columns.join(), entities])
  return related
}

type Members = ReturnType<typeof membersOf>

/** What is asked of the related dataclass, and what the answer says by key. */
interface Question {
  readonly parameters: Parameters
  readonly read: (answer: Members) => ReadonlyMap<string, string>
}

function labelsOf(target: DataClass, rows: readonly Members[], name: string): Question | null {
  const label = labelAttributeOf(target)
  const keys = [...new Set(rows.map((row) => deferredOf(row[name])?.key).filter(isText))]
  if (label === null || target.key === null || keys.length === 0) return null
  return {
    parameters: { $attributes: label, $filter: anyOf(target.key, keys), $top: keys.length },
    read: ({ __ENTITIES }) => {
      const found = listOf(__ENTITIES).map(membersOf)
      return new Map(found.map((one) => [String(one.__KEY), labelText(target, one)]))
    },
  }
}

function countsOf(
  { key }: DataClass,
  inverse: string | null,
  rows: readonly Members[],
): Question | null {
  const keys = rows.map(({ __KEY }) => __KEY).filter(isText)
  if (key === null || inverse === null || keys.length === 0) return null
  const path = `${inverse}.${key}`
  return {
    parameters: {
      $groupby: path,
      $aggregates: 'count',
      $filter: anyOf(path, keys),
      $top: keys.length,
    },
    read: ({ __GROUPS }) => {
      const groups = listOf(__GROUPS).map(membersOf)
      const found = new Map(groups.map((group) => [String(group[path]), Number(group.count)]))
      return new Map(keys.map((key) => [key, (found.get(key) ?? 0).toLocaleString('en')]))
    },
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
