import type { AnyEntity, ClassModel, DataClassTable, Untyped } from '@entia/core'
import { keyOf, stampOf } from '@entia/core/async'
import { copyOf, inputOf } from '@entia/core/internal'
import type { Replica } from '@entia/replica'
import type { Terms } from './filter.ts'
import type { Key, Row } from './rows.ts'
import type { Source } from './source.ts'
import { type Described, termsOf } from './terms.ts'

type Table = DataClassTable<Untyped, string>

/**
 * A dataclass of a replica. Its writes end when the replica shows them: the replica sends them, and
 * keeps what the server refuses among its problems.
 */
export function replicaSource(table: Table, replica: Replica): Source {
  const { model, name } = table
  const copy = (entity: AnyEntity) => copyOf(entity, model) as Row
  const keyed = (entities: readonly AnyEntity[]) =>
    entities.map(copy).map((row): [Key, Row] => [keyOf(row), row])
  return {
    name,
    keyOf,
    stampOf,
    terms: async () => termsFor(model),
    page: async (condition, orderBy, skip, top) =>
      table.query(condition).orderBy(orderBy).page(skip, top).toArray().map(copy),
    follow: (condition, apply, signal) =>
      new Promise((resolve) => {
        const live = table.query(condition).live(
          ({ globalStamp, entered, changed, left }) => {
            const rows = keyed([...entered, ...changed])
            apply({ isWhole: false, globalStamp, rows, left })
          },
          { signal, stopped: resolve },
        )
        const { globalStamp, initial } = live
        apply({ isWhole: true, globalStamp, rows: keyed(initial), left: [] })
      }),
    async save(saves) {
      const { result } = await replica.transact((tx) => {
        const own: Table = tx.dataClass(name)
        return saves.map(({ read, values }) => {
          const before = read === null ? undefined : own.get(read.key)
          const input = inputOf(values, model, before)
          return read === null ? own.insert(input) : own.update(read.key, input)
        })
      })
      return result.map((entity) => ({ kind: 'saved', entity: copy(entity) }))
    },
    async remove(reads) {
      await replica.transact((tx) => {
        const own: Table = tx.dataClass(name)
        for (const { key } of reads) own.remove(key)
      })
      return reads.map(() => ({ kind: 'removed' }))
    },
  }
}

function termsFor({ attributes, key }: ClassModel): Terms {
  const described = [...attributes.values()].flatMap((attribute): readonly Described[] => {
    const { name: path, kind } = attribute
    if (kind === 'relatedEntities') return []
    if (kind === 'relatedEntity') return [{ path, key: valued(attribute.target.key) }]
    return [{ path, value: valued(kind === 'alias' ? attribute.target : attribute) }]
  })
  const isHidden = attributes.has('key') && key.name !== 'key'
  return termsOf(described, isHidden ? null : valued(key))
}

const valued = ({ type, dateOnly }: Pick<ClassModel['key'], 'type' | 'dateOnly'>) => ({
  type,
  isDay: dateOnly,
})
