/** Where a filter is wrong, and what the server says of it. */
export interface FilterError {
  readonly message: string
  /** From 0; null when the message names no place. */
  readonly at: number | null
}

/** Reads `… at character 7: …` and leaves out the picture of the filter that stands below. */
export function filterErrorOf(messages: readonly string[]): FilterError {
  const told = messages.find((message) => / at character \d+/.test(message)) ?? messages.at(-1) ?? ''
  const [message = ''] = told.split('\n', 1)
  const [, character] = / at character (\d+)/.exec(message) ?? []
  return { message, at: character === undefined ? null : Number(character) - 1 }
}

/** The filter in three: before the mistake, the word or sign that is wrong, behind it. */
export function splitAt(filter: string, at: number): readonly [string, string, string] {
  const behind = filter.slice(at)
  const wrong = /^([\p{L}\p{N}_.]+|[=!<>#%&|^]+|'[^']*'?|"[^"]*"?|.)/u.exec(behind)?.[0] ?? ''
  return [filter.slice(0, at), wrong, behind.slice(wrong.length)]
}
