import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { findFilters } from '../check/find-filters.ts'
import { type Finding, judgeFilter } from '../check/judge-filter.ts'
import { refuseTypeScript } from '../check/parse-file.ts'
import { type SourcePlace, SyntaxTrees } from '../check/syntax-trees.ts'
import { usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { refusePipe } from '../data/data-file.ts'
import { loadAnyStore } from '../load-store.ts'
import { missingFile } from '../missing-file.ts'
import { write } from '../print/write.ts'
import { checkUsage } from '../usage.ts'

/**
 * `entia check <module>`: names the filters in the source of a module that values from outside can
 * change, and those without an index. Returns the exit code: 1 if there are any.
 */
export async function check(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('check', parameters, { json: { type: 'boolean' } })
  if (values.help) return write(checkUsage)
  const [module, ...others] = positionals
  if (module === undefined)
    throw usageError('"entia check" needs a module: entia check hr.mjs', 'check')
  for (const file of positionals) if (existsSync(file)) refuseTypeScript(file)
  for (const file of others) {
    if (!existsSync(file)) throw missingFile(file)
    refusePipe(file)
  }
  const { store } = await loadAnyStore(module)
  const trees = new SyntaxTrees()
  let findings: readonly (SourcePlace & Finding)[]
  try {
    for (const file of positionals) trees.add(file)
    findings = inOrder(trees, store.catalog)
  } finally {
    await store.close()
  }
  await write(
    values.json
      ? `${JSON.stringify(findings, null, 2)}\n`
      : findings.map(
          ({ file, line, column, problem, remedy }) =>
            `${file}:${line}:${column}: ${problem}. ${remedy}\n`,
        ),
  )
  const files = trees.files.size === 1 ? '1 file' : `${trees.files.size} files`
  const found = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  process.stderr.write(`${files} checked: ${found}.\n`)
  return findings.length === 0 ? 0 : 1
}

/** By place; what two filters share, such as a missing index, is named at the first. */
function inOrder(
  trees: SyntaxTrees,
  catalog: Parameters<typeof judgeFilter>[0],
): readonly (SourcePlace & Finding)[] {
  const order = new Map([...trees.files.keys()].map((path, at) => [path, at]))
  const all = [...findFilters(trees, catalog)].flatMap((filter) =>
    judgeFilter(catalog, filter).map((finding) => ({ ...trees.placeOf(filter.node), ...finding })),
  )
  all.sort(
    (a, b) => order.get(a.file)! - order.get(b.file)! || a.line - b.line || a.column - b.column,
  )
  const known = new Set<string>()
  return all.flatMap((finding) => {
    const { kind, file, line, column, problem } = finding
    const key = JSON.stringify(kind === 'missingIndex' ? problem : [file, line, column, problem])
    if (known.has(key)) return []
    known.add(key)
    return [{ ...finding, file: relative(process.cwd(), file) }]
  })
}
