import { type AnyDataStore, isEntiaError } from '@entia/core'
import { dumpToFile } from '@entia/core/node'
import { CliError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { ColumnNames } from '../data/attribute-name.ts'
import { loadsOf } from '../data/loads-of.ts'
import type { RecordSource } from '../data/read-records.ts'
import { rowsOf } from '../data/rows-of.ts'
import { withInputNamed } from '../data/standard-input.ts'
import { keepIn } from '../journal.ts'
import { loadStore } from '../load-store.ts'
import { write } from '../print/write.ts'
import { progressLine } from '../progress.ts'
import { importUsage } from '../usage.ts'

/**
 * `entia import <module> <file…>`: loads rows into the module's store and saves it as a journal or
 * a dump. Returns the exit code.
 */
export async function importData(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('import', parameters, {
    journal: { type: 'string' },
    dump: { type: 'string' },
    'ignore-unknown': { type: 'boolean' },
    'null-relations': { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
  })
  if (values.help) return write(importUsage)
  const [module, ...files] = positionals
  if (module === undefined || files.length === 0)
    throw usageError(
      '"entia import" needs a module and files: entia import hr.mjs employees.csv --journal data',
      'import',
    )
  const { journal: folder, dump } = values
  if ((folder === undefined) === (dump === undefined))
    throw usageError(
      '"entia import" needs a place to save the store: either --journal <folder> or --dump <file>',
      'import',
    )
  // What went well; failures are printed with --quiet too.
  const report = (text: string): void => {
    if (!values.quiet) process.stderr.write(`${withInputNamed(text)}\n`)
  }
  const { store } = await loadStore(module)
  const journal = folder === undefined ? null : await keepIn(folder, store, module, () => {})
  try {
    const loads = await loadsOf(files, store, report)
    const before = store.snapshot()
    try {
      // Each load is one commit, and one sync writes them all: a reader of the journal sees all or
      // none.
      for (const { table, source } of loads)
        await load(store, table, source, report, {
          unknown: values['ignore-unknown'] ? 'ignore' : 'refuse',
          relations: values['null-relations'] ? 'null' : 'check',
        })
    } catch (error) {
      // Otherwise the rows of earlier files would come twice when the command runs again.
      store.restore(before)
      throw error
    }
    if (journal !== null) await journal.flush()
    else if (dump !== undefined) await dumpToFile(store as Parameters<typeof dumpToFile>[0], dump)
  } finally {
    await journal?.close()
  }
  store.close()
  report(`Saved in ${folder ?? dump}`)
  return 0
}

async function load(
  store: AnyDataStore,
  table: string,
  source: RecordSource,
  report: (text: string) => void,
  {
    unknown,
    relations,
  }: { readonly unknown: 'refuse' | 'ignore'; readonly relations: 'check' | 'null' },
): Promise<void> {
  const target = store.dataClass(table)
  const { onProgress, onShare, end } = progressLine(`Loading ${table}`)
  const names = new ColumnNames(target.model.attributes.keys())
  try {
    const { count } = await target.load(rowsOf(source, target.model, unknown, names, onShare), {
      onProgress,
      relations,
    })
    end()
    for (const remark of names.remarks) report(`${table}: ${remark}`)
    report(`${table}: ${count.toLocaleString('en')} rows of ${source.file.path}`)
  } catch (error) {
    end()
    if (!isEntiaError(error)) throw error
    throw new CliError(`${source.file.path}: ${error.message}`)
  }
}
