import { existsSync } from 'node:fs'
import type { AnyDataStore } from '@entia/core'
import { CliError } from '../cli-error.ts'
import { dataClassIn } from '../open-source.ts'
import { dataClassName } from './attribute-name.ts'
import { dataFilesIn } from './data-file.ts'
import { inLoadOrder } from './load-order.ts'
import { type RecordSource, recordSources } from './read-records.ts'
import { inputPath, STANDARD_INPUT } from './standard-input.ts'

/** Rows for one dataclass. */
export interface Load {
  readonly table: string
  readonly source: RecordSource
}

/**
 * The lists of files and folders with their dataclasses, each after those it may refer to:
 * `employees.csv` belongs to Employee, `Employee=people.csv` names the dataclass. Throws
 * `CliError`.
 */
export async function loadsOf(
  paths: readonly string[],
  store: AnyDataStore,
  onRemark: (remark: string) => void,
): Promise<readonly Load[]> {
  const loads: Load[] = []
  for (const parameter of paths) {
    const [, named, path = parameter] = existsSync(parameter)
      ? []
      : (/^(\w+)=(.+)$/.exec(parameter) ?? [])
    for (const file of dataFilesIn(await inputPath(path, named)))
      for (const source of await recordSources(file, onRemark)) {
        if (path === STANDARD_INPUT && named === undefined && source.member === null)
          throw new CliError('Name the dataclass of standard input: Employee=-')
        const name = named ?? dataClassName(source.name)
        const [first] = store.catalog.classes
        const isUnnamed = named === undefined && source.member === null && first !== undefined
        const remedy = isUnnamed ? ` Write it before the file: ${first.name}=${file.path}` : ''
        loads.push({ table: dataClassIn(store, name, remedy).name, source })
      }
  }
  return inLoadOrder(loads, (load) => relatedLoads(load, loads, store))
}

/** The loads whose entities this load may refer to. */
function* relatedLoads(of: Load, loads: readonly Load[], store: AnyDataStore): Iterable<Load> {
  for (const attribute of store.dataClass(of.table).model.attributes.values()) {
    if (attribute.kind !== 'relatedEntity' || attribute.target.name === of.table) continue
    for (const other of loads) if (other.table === attribute.target.name) yield other
  }
}
