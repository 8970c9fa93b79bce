import { writeFile } from 'node:fs/promises'
import { openApiOf } from '@entia/rest'
import { fileError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { withRestOptions } from '../load-store.ts'
import { openPlainSource, openToServe } from '../open-source.ts'
import { OUT_OPTIONS, outPath, refuseExisting } from '../out-option.ts'
import { write } from '../print/write.ts'
import { ALWAYS_SERVED, basePathOf } from '../serve-options.ts'
import { openApiUsage } from '../usage.ts'

/**
 * `entia openapi <source>`: prints an OpenAPI document, or writes it to a file. Returns the exit
 * code.
 */
export async function openApi(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('openapi', parameters, {
    ...OUT_OPTIONS,
    'base-path': { type: 'string' },
    plain: { type: 'boolean' },
  })
  if (values.help) return write(openApiUsage)
  const [path, ...extra] = positionals
  if (path === undefined || extra.length > 0)
    throw usageError('"entia openapi" takes one module, or data: entia openapi hr.mjs', 'openapi')
  const basePath = basePathOf(values['base-path'] ?? '/rest', 'openapi')
  const out = outPath(values.out)
  if (out !== undefined) refuseExisting(out, values.force)
  const { store, rest } = await (values.plain ? openPlainSource(path) : openToServe(path))
  const document = withRestOptions(path, () =>
    openApiOf(store, { ...ALWAYS_SERVED, ...rest, basePath }),
  )
  const text = `${JSON.stringify(document, null, 2)}\n`
  await store.close()
  if (out === undefined) return write(text)
  try {
    await writeFile(out, text)
  } catch (error) {
    throw fileError(out, 'written', error)
  }
  process.stderr.write(`Written to ${out}\n`)
  return 0
}
