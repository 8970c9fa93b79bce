import { basename, resolve } from 'node:path'
import { type AnyDataStore, createDataStore, isEntiaError } from '@entia/core'
import { CliError } from '../cli-error.ts'
import { ColumnNames } from '../data/attribute-name.ts'
import { dataFilesIn } from '../data/data-file.ts'
import { recordSources } from '../data/read-records.ts'
import { rowsOf } from '../data/rows-of.ts'
import { withInputNamed } from '../data/standard-input.ts'
import { progressLine } from '../progress.ts'
import { buildClasses, inversesOf } from './build-classes.ts'
import { type InferredModel, inferModel } from './infer-model.ts'

/** Infers a model from a data file or folder. Throws `CliError`. */
export async function inferFrom(path: string): Promise<InferredModel> {
  const remarks: string[] = []
  const sources = await Promise.all(
    dataFilesIn(path).map((file) => recordSources(file, (remark) => remarks.push(remark))),
  )
  const model = await inferModel(sources.flat())
  return { ...model, remarks: [...remarks, ...model.remarks] }
}

/** The store name for a file or folder: its name without the extension. */
export const storeNameOf = (path: string): string =>
  basename(resolve(path)).replace(/\.[^.]+$/, '') || 'data'

/** Creates the store of an inferred model and loads the rows into it. */
export async function openInferred(model: InferredModel, name: string): Promise<AnyDataStore> {
  const store = createDataStore({ name, dataClasses: buildClasses(model) }) as AnyDataStore
  for (const { name, source } of model.classes) {
    const table = store.dataClass(name)
    const { onProgress, onShare, end } = progressLine(`Loading ${name}`)
    try {
      const names = new ColumnNames(table.model.attributes.keys())
      const rows = rowsOf(source, table.model, 'refuse', names, onShare)
      await table.load(rows, { onProgress })
    } catch (error) {
      if (!isEntiaError(error)) throw error
      throw new CliError(`${source.file.path}: ${error.message}`)
    } finally {
      end()
    }
  }
  return store
}

/** The inferred model as text for the user. */
export function describeModel({ classes, remarks }: InferredModel): string {
  const lines = classes.flatMap((each) => {
    const place =
      each.source.member === null
        ? each.source.file.path
        : `${each.source.file.path}, "${each.source.member}"`
    const attributes = each.attributes.map(({ name, type, isKey, isIndexed, dateOnly }) => {
      const marks = [
        dateOnly ? 'day' : type,
        ...(isKey ? ['key'] : []),
        ...(isIndexed ? ['indexed'] : []),
      ]
      return `${name} (${marks.join(', ')})`
    })
    const relations = each.relations.map(
      ({ name, target, foreignKey }) => `${name} -> ${target} by ${foreignKey}`,
    )
    const inverses = inversesOf(each, classes).map(
      ({ inverse, from }) => `${inverse} -> many ${from}`,
    )
    return [
      `  ${each.name}: ${each.rows.toLocaleString('en')} rows from ${place}`,
      `    ${attributes.join(', ')}`,
      ...[...relations, ...inverses].map((line) => `    ${line}`),
    ]
  })
  return withInputNamed(
    `Inferred model\n${[...lines, ...remarks.map((remark) => `  ! ${remark}`)].join('\n')}\n`,
  )
}
