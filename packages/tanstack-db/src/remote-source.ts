import { keyOf, type RemoteClass, stampOf } from '@entia/client'
import { catalogOf, type RemoteModel } from '@entia/client/internal'
import type { Untyped } from '@entia/core'
import type { Terms } from './filter.ts'
import type { Row } from './rows.ts'
import type { Outcome, Read, Save, Source } from './source.ts'
import { type Described, termsOf } from './terms.ts'

type Table = RemoteClass<Untyped, string>

/** A dataclass on a server. */
export function remoteSource(table: Table): Source {
  const catalog =
    typeof table?.all === 'function' ? catalogOf(table.all().liveIdentity?.().origin) : undefined
  if (catalog === undefined)
    throw new TypeError('dataClass must be a dataclass of a client, such as db.Employee.')
  return {
    name: table.name,
    keyOf,
    stampOf,
    terms: () => catalog.use(table.name, termsFor),
    async page(condition, orderBy, skip, top) {
      const { entities } = await table.query(condition).orderBy(orderBy).page(skip, top)
      return entities
    },
    async follow(condition, apply, signal) {
      for await (const event of table.query(condition).live({ signal })) {
        const { globalStamp } = event
        if (event.kind === 'initial')
          apply({ isWhole: true, globalStamp, rows: event.entities, left: [] })
        else {
          const rows = new Map<string | number, Row>([...event.entered, ...event.changed])
          apply({ isWhole: false, globalStamp, rows, left: event.left })
        }
      }
    },
    async save(saves) {
      const [first, ...others] = saves
      if (first !== undefined && others.length === 0)
        return first.read === null
          ? [{ kind: 'saved', entity: await table.insert(first.values as never) }]
          : [await table.update(entityOf(first.read), first.values as never)]
      return table.saveAll(saves.map(changeOf))
    },
    async remove(reads) {
      const outcomes: Outcome[] = []
      for (const read of reads) {
        const outcome = await table.remove(entityOf(read))
        outcomes.push(outcome)
        if (outcome.kind !== 'removed') break
      }
      return outcomes
    },
  }
}

/** An entity as it was read, for any attribute names. */
const entityOf = ({ key, stamp }: Read) => {
  const marks = stamp === undefined ? { key } : { key, stamp }
  return { ...marks, [Symbol.for('entia.marks')]: marks }
}
const changeOf = ({ read, values }: Save) => ({
  ...values,
  ...(read === null ? {} : { __KEY: read.key }),
  ...(read?.stamp === undefined ? {} : { __STAMP: read.stamp }),
})

function termsFor({ key, hidesMarks, attributes, models }: RemoteModel): Terms {
  const described = [...attributes.values()].flatMap((attribute): Described[] => {
    const { name: path, kind, type } = attribute
    if (kind === 'relatedEntities') return []
    if (kind === 'relatedEntity') return [{ path, key: models.byName.get(type)?.key }]
    return [{ path, value: attribute }]
  })
  return termsOf(described, hidesMarks ? null : key)
}
