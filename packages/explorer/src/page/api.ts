import { type Parameters, queryOf } from './addresses.ts'
import { createEventReader, type ServerEvent } from './events.ts'
import { listOf, membersOf, textOf } from './model.ts'

const budgetExceeded = 9055
/** What the budget is of; budgets of other things name the thing that is too long or too many. */
const readBudget = /: (records looked at|milliseconds of) /

/** Users of the page cannot set the option of the server that a message names. */
function withoutOption(message: string): string {
  return message.replace(/ \(option "[^"]*"\)/, '').replace(/, option "[^"]*"\)/, ')')
}

/**
 * A refusal of the server: its status, its messages (the deepest cause first) and the whole
 * response.
 */
export class Refusal extends Error {
  readonly status: number
  readonly messages: readonly string[]
  /** Whether the request would read more than the server allows: a smaller one is answered. */
  readonly isTooExpensive: boolean
  readonly answer: unknown

  constructor(status: number, answer: unknown) {
    const errors = listOf(membersOf(answer).__ERROR).map(membersOf)
    const isTooExpensive = errors.some(
      ({ errCode, message }) => errCode === budgetExceeded && readBudget.test(textOf(message)),
    )
    const messages = isTooExpensive
      ? ['The server does not read this much for one request.']
      : errors.map(({ message }) => withoutOption(textOf(message))).filter(Boolean)
    super(
      messages[0] ??
        (status === 0
          ? 'The server does not answer.'
          : `The server answers with status ${status}.`),
    )
    this.status = status
    this.messages = messages
    this.isTooExpensive = isTooExpensive
    this.answer = answer
  }
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly parameters?: Parameters
  /** Sent as JSON; bytes are sent unchanged. */
  readonly body?: unknown
  /** The server refuses the request if the entity has another stamp. */
  readonly stamp?: number
  readonly signal?: AbortSignal
}

/**
 * Sends a request to the REST interface; `path` is percent-encoded and relative to the base path.
 * Rejects with `Refusal`.
 */
export type Ask = (path: string, request?: Request) => Promise<unknown>

/** Calls `onAnswer` with the path and status of each response. */
export function createAsk(base: string, onAnswer: (path: string, status: number) => void): Ask {
  return async (path, { method = 'GET', parameters = {}, body, stamp, signal } = {}) => {
    const isJson = body !== undefined && !(body instanceof Blob)
    const init: RequestInit = {
      method,
      credentials: 'same-origin',
      headers: {
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...(stamp === undefined ? {} : { 'if-match': `"${stamp}"` }),
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }
    let answer: Response
    let content: unknown
    try {
      answer = await fetch(`${base}/${path}${queryOf(parameters)}`, init)
      content = jsonOf(await answer.text())
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error
      throw new Refusal(0, null)
    }
    onAnswer(path, answer.status)
    if (answer.ok) return content
    throw new Refusal(answer.status, content)
  }
}

/** Reads the content of an image or BLOB at an address of this server. Rejects with `Refusal`. */
export async function readMedia(uri: string): Promise<Blob> {
  const answer = await fetch(uri, { credentials: 'same-origin' })
  if (!answer.ok) throw new Refusal(answer.status, jsonOf(await answer.text()))
  return answer.blob()
}

/**
 * Follows a selection with `$live=true` and calls `onEvent` for each event. Resolves when the
 * stream ends or breaks. Rejects with `Refusal` if the server does not open it.
 */
export type Follow = (
  path: string,
  parameters: Parameters,
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => void,
) => Promise<void>

export function createFollow(base: string): Follow {
  return async (path, parameters, signal, onEvent) => {
    const address = `${base}/${path}${queryOf({ ...parameters, $live: 'true' })}`
    const answer = await fetch(address, { credentials: 'same-origin', signal })
    if (!answer.ok) throw new Refusal(answer.status, jsonOf(await answer.text()))
    const reader = answer.body?.getReader()
    const [decoder, read] = [new TextDecoder(), createEventReader()]
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {}
      if (done) return
      for (const event of read(decoder.decode(value, { stream: true }))) onEvent(event)
    }
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What users read of a failure. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
