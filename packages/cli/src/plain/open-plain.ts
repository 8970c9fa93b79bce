import { readFile } from 'node:fs/promises'
import { type AnyDataStore, type Clock, createDataStore, type Ids, isEntiaError } from '@entia/core'
import { hasStorableNames, othersOf, type PlainMember } from '@entia/rest/internal'
import { CliError, fileError } from '../cli-error.ts'
import { type DataFile, dataFile, refusePipe } from '../data/data-file.ts'
import { buildClasses } from '../infer/build-classes.ts'
import type { InferredAttribute } from '../infer/infer-model.ts'
import { storeNameOf } from '../infer/open-data.ts'
import { inferPlain, jsonTypeOf, type PlainModel, type PlainRow } from './plain-model.ts'

/** A `db.json` that is open. */
export interface OpenPlain {
  readonly store: AnyDataStore
  readonly model: PlainModel
  /** What the file contained. */
  readonly text: string
}

/** Opens a file in the form of json-server. Throws `CliError` with the file and the place. */
export async function openPlain(
  path: string,
  ports: { readonly clock?: Clock; readonly ids?: Ids } = {},
): Promise<OpenPlain> {
  refusePipe(path)
  const file = dataFile(path)
  const text = await readText(path)
  const model = inferPlain(parse(text, file), file)
  const store = createDataStore({
    name: storeNameOf(path),
    dataClasses: buildClasses(model),
    ...ports,
  }) as AnyDataStore
  for (const { name, attributes, relations, source } of model.classes) {
    const foreignKeys = new Set(relations.map(({ foreignKey }) => foreignKey))
    const rows = (model.rowsOf.get(name) ?? []).map((row) =>
      storedRow(row, attributes, foreignKeys),
    )
    try {
      await store.dataClass(name).load(rows as never)
    } catch (error) {
      if (!isEntiaError(error)) throw error
      throw new CliError(`${path}, "${source.member}": ${error.message}`)
    }
  }
  return { store, model, text }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw fileError(path, 'read', error)
  }
}

function parse(text: string, { path }: DataFile): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new CliError(`${path} is not JSON: ${(error as Error).message}`)
  }
}

/**
 * The values of a row by attribute; the others hold the members that no attribute can store, the
 * numbers of ids that are stored as texts, and the order of the members.
 */
function storedRow(
  row: PlainRow,
  attributes: readonly InferredAttribute[],
  foreignKeys: ReadonlySet<string>,
): PlainRow {
  const places = new Map(attributes.map(({ column }, place) => [column, place]))
  const values: Record<string, unknown> = {}
  const members = Object.entries(row).map(([name, value]): PlainMember => {
    const place = places.get(name) ?? -1
    const attribute = attributes[place]
    if (attribute === undefined) return { name, place, kept: value }
    const id = idText(value, attribute, foreignKeys)
    const isStored = id !== null || attribute.isKey || isOf(attribute, value)
    if (isStored) values[attribute.name] = id ?? value
    return { name, place, kept: isStored && id === null ? undefined : value }
  })
  return { ...values, [attributes.at(-1)!.name]: othersOf(members) }
}

/** The text of a number in a key of texts, or in a foreign key of such; null for other values. */
const idText = (
  value: unknown,
  { type, name, isKey }: InferredAttribute,
  foreignKeys: ReadonlySet<string>,
): string | null =>
  type === 'string' && typeof value === 'number' && (isKey || foreignKeys.has(name))
    ? String(value)
    : null

function isOf({ type }: InferredAttribute, value: unknown): boolean {
  const found = jsonTypeOf(value)
  if (found === 'object') return type === 'object' && hasStorableNames(value)
  return found === type || (found === 'number' && type.startsWith('long'))
}
