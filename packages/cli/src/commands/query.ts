import { usageError } from '../cli-error.ts'
import { FORMAT_OPTIONS, formatGiven, parseCommand, wholeNumber } from '../command-options.ts'
import { dataClassIn, openToRead } from '../open-source.ts'
import { type Row, rowFormats, rowLines } from '../print/rows.ts'
import { write } from '../print/write.ts'
import { explainUsage, queryUsage } from '../usage.ts'
import { placeholderValues, sourceAndDataClass } from './positionals.ts'
import { storedRows } from './stored-columns.ts'

/** `entia query <source> <dataclass>`: prints entities. Returns the exit code. */
export async function query(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('query', parameters, {
    filter: { type: 'string', short: 'f' },
    params: { type: 'string' },
    orderby: { type: 'string', short: 'o' },
    attributes: { type: 'string', short: 'a' },
    top: { type: 'string', short: 'n' },
    skip: { type: 'string' },
    ...FORMAT_OPTIONS,
    table: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
    count: { type: 'boolean' },
    plan: { type: 'boolean' },
    journal: { type: 'string' },
  })
  if (values.help) return write(queryUsage)
  const [source, dataClass] = sourceAndDataClass('query', positionals)
  const format =
    formatGiven('query', values, rowFormats) ?? (process.stdout.isTTY ? 'table' : 'ndjson')
  const top = values.top === undefined ? 20 : wholeNumber('query', 'top', values.top)
  const skip = values.skip === undefined ? 0 : wholeNumber('query', 'skip', values.skip)
  const bound = placeholderValues('query', values.params)
  if (values.filter === undefined && bound !== undefined)
    throw usageError('--params gives values to a filter: add --filter "city = :1"', 'query')
  const { store } = await openToRead(source, values.journal, [dataClass])
  const table = dataClassIn(store, dataClass)

  const selected = values.filter === undefined ? table.all() : table.query(values.filter, bound)
  if (values.orderby !== undefined) refuseFileAsOrder(values.orderby, table)
  const ordered = values.orderby === undefined ? selected : selected.orderBy(values.orderby)
  if (values.count) await write(`${ordered.count}\n`)
  else {
    const page = ordered.page(skip, top)
    const { columns, rows } =
      values.attributes === undefined
        ? storedRows(table, page)
        : selectedRows(page, values.attributes)
    await write(rowLines(rows, columns, format))
    const left = ordered.count - skip - page.count
    if (format === 'table' && left > 0 && !values.quiet)
      process.stderr.write(`${left.toLocaleString('en')} more: use --top and --skip.\n`)
  }
  if (values.plan) process.stderr.write(`\n${ordered.explain()}\n`)
  store.close()
  return 0
}

/** The selected rows. Their columns are the top-level names: `employer` holds `employer.name`. */
function selectedRows(
  page: ReturnType<Table['all']>,
  attributes: string,
): ReturnType<typeof storedRows> {
  const rows = page.select(attributes) as readonly Row[]
  const asked = attributes.split(',').map((path) => path.trim().split('.')[0]!)
  const columns = rows[0] === undefined ? [...new Set(asked)] : Object.keys(rows[0])
  return { rows, columns, total: rows.length }
}

type Table = ReturnType<typeof dataClassIn>

/**
 * `entia explain <source> <dataclass>`: prints the plan of a query without running it. Returns the
 * exit code.
 */
export async function explain(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('explain', parameters, {
    filter: { type: 'string', short: 'f' },
    params: { type: 'string' },
    all: { type: 'boolean' },
    json: { type: 'boolean' },
    journal: { type: 'string' },
  })
  if (values.help) return write(explainUsage)
  const [source, dataClass] = sourceAndDataClass('explain', positionals)
  const { filter } = values
  if (filter === undefined)
    throw usageError('"entia explain" needs a filter: --filter "delay > 60"', 'explain')
  const bound = placeholderValues('explain', values.params)
  const { store } = await openToRead(source, values.journal, [dataClass])
  const table = dataClassIn(store, dataClass)
  const plans = values.all ? table.plans(filter, bound) : [table.explain(filter, bound)]
  if (values.json) await write(`${JSON.stringify(values.all ? plans : plans[0], null, 2)}\n`)
  else
    await write(
      plans.map((plan, at) => (values.all ? `${at + 1}.\n${plan}\n` : `${plan}\n`)).join('\n'),
    )
  store.close()
  return 0
}

/** `-o` is the order here, and the file to write in other commands. Throws a usage error. */
function refuseFileAsOrder(order: string, { model }: ReturnType<typeof dataClassIn>): void {
  const [, first = ''] = /^([^.]*).*\.(?:csv|tsv|json|ndjson|jsonl)$/.exec(order) ?? []
  if (first === '' || model.attributes.has(first)) return
  throw usageError(
    `-o is --orderby here, and "entia query" prints to standard output: entia query … > ${order}`,
    'query',
  )
}
