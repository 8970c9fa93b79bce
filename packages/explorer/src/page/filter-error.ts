/** The position of an error in a filter, and the server's message. */
export interface FilterError {
  readonly message: string
  /** From 0; null if the message has no position. */
  readonly at: number | null
}

/** Parses `… at character 7: …` and drops the picture of the filter below it. */
export function filterErrorOf(messages: readonly string[]): FilterError {
  const located =
    messages.find((message) => / at character \d+/.test(message)) ?? messages.at(-1) ?? ''
  const [message = ''] = located.split('\n', 1)
  const [, character] = / at character (\d+)/.exec(message) ?? []
  return { message, at: character === undefined ? null : Number(character) - 1 }
}

/** Splits a filter into the text before the error, the wrong token, and the rest. */
export function splitAt(filter: string, at: number): readonly [string, string, string] {
  const behind = filter.slice(at)
  const wrong = /^([\p{L}\p{N}_.]+|[=!<>#%&|^]+|'[^']*'?|"[^"]*"?|.)/u.exec(behind)?.[0] ?? ''
  return [filter.slice(0, at), wrong, behind.slice(wrong.length)]
}
