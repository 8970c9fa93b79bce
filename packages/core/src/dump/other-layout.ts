import type { EntiaError } from '../errors.ts'
import { defineDataClass } from '../model/attribute.ts'
import { buildCatalog } from '../model/build-catalog.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { AttributeDefinitions } from '../model/definition.ts'
import { Table } from '../storage/table.ts'
import { type DumpedClass, describeClass } from './dump.ts'
import { dumpError } from './line-writer.ts'

// Records that exist nowhere else, written with other columns than the model has: by an earlier or
// a later version of the program. They are read as they were written, with the commits that follow
// their dump, and converted once all is read.

/** An empty table with the columns of a dump. Throws `dumpInvalid` for columns of unknown types. */
export function tableAsDumped({ name, columns }: DumpedClass): Table {
  const attributes = columns.map(({ name, type, key, dateOnly }) => {
    const options = { ...(key && { key }), ...(dateOnly && { dateOnly }) }
    return [name, { kind: 'storage', type, options }]
  })
  let model: ClassModel
  try {
    const definition = defineDataClass(name, Object.fromEntries(attributes) as AttributeDefinitions)
    model = buildCatalog({ name: 'dump', dataClasses: [definition] }).classes[0]
  } catch (error) {
    throw otherLayout(`the columns of "${name}" have unknown types`, { cause: error })
  }
  return new Table(model, null)
}

/**
 * Copies records into an empty table of the model. What the dump lacks gets its default. Throws
 * `dumpInvalid` for values that the model has no column for, and for those that it demands and the
 * dump does not have.
 */
export function convertTable(from: Table, into: Table, nextBirth: () => number): void {
  const { name, storage } = into.model
  const slots = from.liveSlots()
  const given = describeClass(from.model).columns.map((column) => JSON.stringify(column))
  const wanted = describeClass(into.model).columns.map((column) => JSON.stringify(column))
  for (const [at, column] of given.entries())
    if (!wanted.includes(column) && slots.some((slot) => from.read(slot, at) !== null))
      throw otherLayout(`it has values of "${name}.${from.model.storage[at].name}"`)
  const sources = wanted.map((column) => given.indexOf(column))
  for (const { ordinal, notNull, defaultValue, name: column } of storage)
    if (sources[ordinal] < 0 && notNull && defaultValue === undefined && slots.length > 0)
      throw otherLayout(`it has no values of "${name}.${column}"`)
  for (const slot of slots) {
    const values = storage.map(({ ordinal, defaultValue = null }) =>
      sources[ordinal] < 0 ? defaultValue : from.read(slot, sources[ordinal]),
    )
    into.reserve(slot + 1)
    for (const [ordinal, value] of values.entries()) into.admit(ordinal, value)
    into.insertAt(slot, values, from.stamps[slot], from.timestamps[slot], nextBirth())
  }
  into.sequence = from.sequence
}

const otherLayout = (problem: string, options?: ErrorOptions): EntiaError =>
  dumpError(
    'dumpInvalid',
    {
      problem: `${problem}, which this version of the program does not know how to keep.`,
      remedy:
        'Nothing was changed. Open it with the version that has written it, such as the newest one.',
    },
    options,
  )
