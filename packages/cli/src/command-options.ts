import { parseArgs } from 'node:util'
import { usageError } from './cli-error.ts'
import { suggestionOf } from './suggestion.ts'

/** Options by name. */
interface Options {
  readonly [name: string]: { readonly type: 'string' | 'boolean'; readonly short?: string }
}
type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K]['type'] extends 'boolean' ? boolean : string
} & {
  readonly help?: boolean
}

/**
 * Reads the options of a command; each command has `--help`. It uses Node's `parseArgs`, so that
 * the package needs no library for it. Throws a usage error for an unknown option.
 */
export function parseCommand<O extends Options>(
  command: string,
  parameters: readonly string[],
  options: O,
): { readonly values: Values<O>; readonly positionals: readonly string[] } {
  try {
    const parsed = parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    })
    return { values: parsed.values as Values<O>, positionals: parsed.positionals }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw usageError(unknownOption(command, error.message, options), command)
    if (String(error.code).startsWith('ERR_PARSE_ARGS'))
      throw usageError(wrongValue(error.message, options), command)
    throw error
  }
}

function unknownOption(command: string, message: string, options: Options): string {
  const [, written = ''] = /'(--?[^']*)'/.exec(message) ?? []
  const known = [...Object.keys(options), 'help'].map((name) => `--${name}`)
  return `"entia ${command}" has no option "${written}".${suggestionOf(written, known)}`
}

/** Node names an option with its short form and its kind: '-f, --filter <value>'. */
function wrongValue(message: string, options: Options): string {
  const [, option = '', name = ''] = /'(?:-\w, )?(--?([\w-]+))/.exec(message) ?? []
  const known = Object.entries(options).find(([long, { short }]) => name === long || name === short)
  if (known === undefined) return message
  return known[1].type === 'boolean'
    ? `${option} takes no value.`
    : `${option} needs a value. One that begins with a dash follows an equals sign: --${known[0]}=-1`
}

/** One of the words that an option takes. Throws a usage error for any other. */
function oneOf<W extends string>(
  command: string,
  option: string,
  text: string,
  words: readonly W[],
): W {
  const found = words.find((word) => word === text)
  if (found === undefined)
    throw usageError(
      `--${option} must be ${words.join(', ')}, not "${text}".${suggestionOf(text, words)}`,
      command,
    )
  return found
}

/** `--json` is short for `--format json`. */
export const FORMAT_OPTIONS = {
  format: { type: 'string' },
  json: { type: 'boolean' },
  ndjson: { type: 'boolean' },
  csv: { type: 'boolean' },
  tsv: { type: 'boolean' },
} as const

/** The format that `--format` or one of the short options says. Throws a usage error for two. */
export function formatGiven<F extends string>(
  command: string,
  values: { readonly format?: string } & { readonly [format in F]?: boolean },
  words: readonly F[],
): F | undefined {
  const { format } = values
  const given = new Set(words.filter((word) => values[word] === true))
  if (format !== undefined) given.add(oneOf(command, 'format', format, words))
  const [first, second] = given
  if (second !== undefined)
    throw usageError(`Choose one format: ${first} or ${second}, not both.`, command)
  return first
}

/** A whole number of at least `least`. Throws a usage error for any other text. */
export function wholeNumber(command: string, option: string, text: string, least = 0): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : -1
  if (number < least)
    throw usageError(`--${option} must be a whole number from ${least}, not "${text}".`, command)
  return number
}
