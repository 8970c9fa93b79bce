import type { FilterParameters } from '@entia/core'
import { usageError } from '../cli-error.ts'

/** The source and the dataclass of a command line. Throws a usage error. */
export function sourceAndDataClass(
  command: string,
  positionals: readonly string[],
): readonly [source: string, dataClass: string] {
  const [source, dataClass, ...extra] = positionals
  if (source === undefined || dataClass === undefined)
    throw usageError(
      `"entia ${command}" needs a source and a dataclass: entia ${command} flights.mjs Flight`,
      command,
    )
  if (extra.length > 0)
    throw usageError(
      `"entia ${command}" takes a source and a dataclass; "${extra[0]}" is neither.`,
      command,
    )
  return [source, dataClass]
}

/** The values of placeholders: a JSON list or object. Throws a usage error for anything else. */
export function placeholderValues(
  command: string,
  text: string | undefined,
): FilterParameters | undefined {
  if (text === undefined) return undefined
  try {
    const values: unknown = JSON.parse(text)
    if (typeof values === 'object' && values !== null) return values as FilterParameters
  } catch {}
  throw usageError(
    `--params must be a JSON list or object, for example '["Paris", 3]' for :1 and :2, not ${text}.`,
    command,
  )
}
