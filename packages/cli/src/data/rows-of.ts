import { type ClassModel, RowBlock, type StorageAttribute } from '@entia/core'
import { CliError } from '../cli-error.ts'
import { suggestionOf } from '../suggestion.ts'
import { ColumnNames } from './attribute-name.ts'
import type { OnRead } from './read-lines.ts'
import type { RecordSource } from './read-records.ts'

/**
 * Rows in the form that `load` takes: attribute names, and values by their type.
 * `unknown: 'ignore'` skips columns that are not attributes; otherwise they are refused. `names`
 * records the attribute of each column. `onRead` receives the share of the file that was read.
 */
export async function* rowsOf(
  source: RecordSource,
  model: ClassModel,
  unknown: 'refuse' | 'ignore' = 'refuse',
  names = new ColumnNames(model.attributes.keys()),
  onRead?: OnRead,
): AsyncIterable<RowBlock> {
  const targets = new Map<string, Target | null>()
  let known: readonly string[] = []
  let places: readonly (Target | null)[] = []
  let number = 1
  for await (const block of source.records(onRead)) {
    const columns = block.names
    if (columns !== known) {
      known = columns
      places = columns.map((column) => placeOf(column, columns, number))
    }
    number += block.count
    const loaded = [...places.entries()].flatMap(([at, place]) =>
      place === null ? [] : [{ ...place, at }],
    )
    yield new RowBlock(
      loaded.map(({ name }) => name),
      loaded.map(({ at, storage }) => block.converted(at, storage)),
      block.count,
    )
  }

  function placeOf(column: string, columns: readonly string[], number: number): Target | null {
    let target = targets.get(column)
    if (target !== undefined) return target
    names.learn(columns)
    target = targetOf(names.of(column), model)
    if (target === null && unknown === 'refuse')
      throw new CliError(
        `${source.file.path}, row ${number}: dataclass ${model.name} has no attribute "${names.of(column)}" to load.${suggestionOf(column, model.attributes.keys())} It has: ${namesOf(model)}.`,
      )
    targets.set(column, target)
    return target
  }
}

/** The attribute that a column is loaded into. */
interface Target {
  readonly name: string
  readonly storage: StorageAttribute
}

function targetOf(name: string, model: ClassModel): Target | null {
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
