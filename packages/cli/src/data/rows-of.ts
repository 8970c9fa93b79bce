import type { ClassModel, StorageAttribute } from '@entia/core'
import { CliError } from '../cli-error.ts'
import { ColumnNames } from './attribute-name.ts'
import { convertValue } from './convert-value.ts'
import type { RecordSource } from './read-records.ts'

/**
 * Rows in the form that `load` takes: attribute names, and values by their type.
 * `unknown: 'ignore'` skips columns that are not attributes; otherwise they are refused. `names`
 * records the attribute of each column. Cost per row: O(columns).
 */
export async function* rowsOf(
  source: RecordSource,
  model: ClassModel,
  unknown: 'refuse' | 'ignore' = 'refuse',
  names = new ColumnNames(),
): AsyncIterable<Record<string, unknown>> {
  const targets = new Map<
    string,
    { readonly name: string; readonly storage: StorageAttribute } | null
  >()
  let number = 0
  for await (const record of source.records()) {
    number++
    const row: Record<string, unknown> = {}
    for (const [column, value] of Object.entries(record)) {
      let target = targets.get(column)
      if (target === undefined) {
        names.learn(Object.keys(record))
        target = targetOf(names.of(column), model)
        if (target === null && unknown === 'refuse')
          throw new CliError(
            `${source.file.path}, row ${number}: dataclass ${model.name} has no attribute "${names.of(column)}" to load. It has: ${namesOf(model)}.`,
          )
        targets.set(column, target)
      }
      if (target !== null && value !== undefined)
        row[target.name] = convertValue(value, target.storage)
    }
    yield row
  }
}

function targetOf(
  name: string,
  model: ClassModel,
): { readonly name: string; readonly storage: StorageAttribute } | null {
  const attribute = model.attributes.get(name)
  if (attribute?.kind === 'storage') return { name, storage: attribute }
  if (attribute?.kind === 'relatedEntity') return { name, storage: attribute.foreignKey }
  return null
}

const namesOf = ({ attributes }: ClassModel): string =>
  [...attributes.values()]
    .filter(({ kind }) => kind === 'storage' || kind === 'relatedEntity')
    .map(({ name }) => name)
    .join(', ')
