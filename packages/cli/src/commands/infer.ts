import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { inputPath, STANDARD_INPUT } from '../data/standard-input.ts'
import { describeModel, inferFrom, storeNameOf } from '../infer/open-data.ts'
import { printModule } from '../infer/print-module.ts'
import { OUT_OPTIONS, outPath, refuseExisting } from '../out-option.ts'
import { write } from '../print/write.ts'
import { inferUsage } from '../usage.ts'

/**
 * `entia infer <data>`: prints the model of data files, or writes it as a module. Returns the exit
 * code.
 */
export async function infer(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('infer', parameters, {
    ...OUT_OPTIONS,
    name: { type: 'string' },
  })
  if (values.help) return write(inferUsage)
  const [path, ...extra] = positionals
  if (path === undefined || extra.length > 0)
    throw usageError('"entia infer" takes one file or folder: entia infer data', 'infer')
  const out = outPath(values.out)
  if (out !== undefined) refuseOut(out, values.force)
  const file = await inputPath(path)
  const model = await inferFrom(file)
  if (out === undefined) return write(describeModel(model))
  // Standard input is gone when the module runs.
  const folder = path === STANDARD_INPUT ? null : dirname(resolve(out))
  try {
    await writeFile(out, printModule(model, values.name ?? storeNameOf(file), folder))
  } catch (error) {
    throw fileError(out, 'written', error)
  }
  const next =
    folder === null
      ? `, without rows. Load them: entia import ${out} ${model.classes[0]?.name}=- --journal data`
      : `: entia serve ${out}`
  process.stderr.write(`${describeModel(model)}\nWritten to ${out}${next}\n`)
  return 0
}

/** Throws `CliError` for a file that no command takes as a module, and for one that exists. */
function refuseOut(out: string, force: boolean | undefined): void {
  if (!/\.m?[jt]s$/.test(out))
    throw usageError(
      '"entia infer" writes a module. Name a .mjs, .js or .ts file: -o store.mjs',
      'infer',
    )
  refuseExisting(out, force)
}
