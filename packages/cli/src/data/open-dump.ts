import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { type AnyDataClass, type AnyDataStore, attribute, defineDataClass } from '@entia/core'
import { openDumpFile } from '@entia/core/node'
import { CliError, fileError } from '../cli-error.ts'
import { CONTINUED } from '../infer/build-classes.ts'
import { missingFile } from '../missing-file.ts'
import { refusePipe } from './data-file.ts'

/** True for a file of `store.dump()`. */
export const isDump = (path: string): boolean => extname(path).toLowerCase() === '.entia'

/** A dataclass in the first line of a dump, with its columns in order. */
interface Dumped {
  readonly name: string
  readonly columns: readonly DumpedColumn[]
}
interface DumpedColumn {
  readonly name: string
  readonly type: keyof typeof BUILDERS
  readonly key?: true
  readonly dateOnly?: true
  readonly relatedTo?: string
}

const BUILDERS = {
  bool: attribute.bool,
  long: attribute.long,
  long64: attribute.long64,
  number: attribute.number,
  duration: attribute.duration,
  string: attribute.string,
  uuid: attribute.uuid,
  date: attribute.date,
  object: attribute.object,
  image: attribute.image,
  blob: attribute.blob,
}

/**
 * Opens a dump without its module. The dataclasses have what a dump knows of them: keys, types and
 * relations to one entity, but no rules, indexes, functions or computed attributes. Throws
 * `CliError`, and `dumpInvalid` for a damaged file.
 */
export async function openDump(path: string): Promise<AnyDataStore> {
  const dumped = await headingOf(path)
  return (await openDumpFile(path, { dataClasses: dumped.map(dataClassOf) })) as AnyDataStore
}

async function headingOf(path: string): Promise<readonly Dumped[]> {
  refusePipe(path)
  const file = await open(path).catch((error) => {
    throw error.code === 'ENOENT' ? missingFile(path) : fileError(path, 'read', error)
  })
  try {
    for await (const line of file.readLines()) return checked(JSON.parse(line))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof NotDumped)) throw error
  } finally {
    await file.close()
  }
  throw new CliError(`${path} is not a dump. Name a file that dump() or "entia copy" wrote.`)
}

class NotDumped extends Error {}

function checked(heading: unknown): readonly Dumped[] {
  const { classes } = Object(heading) as { readonly classes?: unknown }
  if (Array.isArray(classes) && classes.every(isDumped)) return classes
  throw new NotDumped()
}
const isDumped = (value: unknown): value is Dumped => {
  const { name, columns } = Object(value) as Partial<Dumped>
  return typeof name === 'string' && Array.isArray(columns) && columns.every(isColumn)
}
const isColumn = (value: unknown): value is DumpedColumn => {
  const { name, type } = Object(value) as Partial<DumpedColumn>
  return typeof name === 'string' && typeof type === 'string' && Object.hasOwn(BUILDERS, type)
}

function dataClassOf({ name, columns }: Dumped): AnyDataClass {
  // Relations without an attribute for their foreign key come last, under their own names.
  const last = columns.findLastIndex(({ relatedTo }) => relatedTo === undefined)
  const names = new Set(columns.map((column) => column.name))
  const attributes = columns.flatMap((column, at): [string, unknown][] => {
    const { relatedTo } = column
    if (relatedTo === undefined) return [[column.name, stored(column)]]
    if (at > last) return [[column.name, attribute.relatedEntity(relatedTo)]]
    const relation = freeName(column.name, names)
    const toOne = attribute.relatedEntity(relatedTo, { foreignKey: column.name })
    return [
      [column.name, stored(column)],
      [relation, toOne],
    ]
  })
  return defineDataClass(name, Object.fromEntries(attributes) as never) as AnyDataClass
}

function stored({ type, key, dateOnly, relatedTo }: DumpedColumn): unknown {
  const make = BUILDERS[type] as (options: object) => unknown
  return make({
    ...(key && { key, ...(CONTINUED.has(type) && { autoSequence: true }) }),
    // Keys that differ in case only are different, unless the model says otherwise.
    ...(type === 'string' && (key || relatedTo !== undefined) && { collation: 'exact' }),
    ...(dateOnly && { dateOnly }),
  })
}

/** `employer` for `employerID`. */
function freeName(foreignKey: string, taken: Set<string>): string {
  let name = foreignKey.replace(/_?ID$/i, '')
  while (name === '' || taken.has(name)) name += '_'
  taken.add(name)
  return name
}
