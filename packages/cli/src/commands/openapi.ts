import { writeFile } from 'node:fs/promises'
import { isEntiaError } from '@entia/core'
import { openApiOf } from '@entia/rest'
import { CliError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { openSource, type Source } from '../open-source.ts'
import { write } from '../print/write.ts'
import { basePathOf } from '../serve-options.ts'
import { openApiUsage } from '../usage.ts'

/**
 * `entia openapi <source>`: prints an OpenAPI document, or writes it to a file. Returns the exit
 * code.
 */
export async function openApi(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('openapi', parameters, {
    out: { type: 'string' },
    'base-path': { type: 'string' },
  })
  if (values.help) return write(openApiUsage)
  const [path, ...extra] = positionals
  if (path === undefined || extra.length > 0)
    throw usageError('"entia openapi" takes one module, or data: entia openapi hr.mjs', 'openapi')
  const basePath = basePathOf(values['base-path'] ?? '/rest', 'openapi')
  const source = await openSource(path)
  const text = `${JSON.stringify(documentOf(path, source, basePath), null, 2)}\n`
  source.store.close()
  const { out } = values
  if (out === undefined) return write(text)
  try {
    await writeFile(out, text)
  } catch (error) {
    throw new CliError(`${out} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
  process.stderr.write(`Written to ${out}\n`)
  return 0
}

/** Throws `CliError` if the REST handler refuses the module's options. */
function documentOf(path: string, { store, rest }: Source, basePath: string): object {
  try {
    return openApiOf(store, { ...rest, basePath })
  } catch (error) {
    if (!isEntiaError(error)) throw error
    throw new CliError(`The export "rest" of ${path} is refused: ${error.message}`)
  }
}
