/** An entity interface to answer from: a handler of this process, or one at an address. */
export interface EntityInterface {
  /** A path such as `/rest`, or an address such as `https://db.example/rest`. */
  readonly basePath: string
  fetch(request: Request): Promise<Response>
}

/**
 * The entity interface at an address. Requests to it go over the network.
 *
 * @example
 * ```ts
 * const source = interfaceAt('http://localhost:8080/rest')
 * ```
 */
export function interfaceAt(address: string | URL): EntityInterface {
  const basePath = String(address).replace(/\/+$/, '')
  if (!/^https?:\/\/./i.test(basePath))
    throw new TypeError(
      `The address must be that of an entity interface, such as http://localhost:8080/rest, not ${basePath}.`,
    )
  return { basePath, fetch: (request) => fetch(request) }
}

/** A refusal of the interface, with all of its messages. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, messages: readonly string[]) {
    super(messages.join('\n'))
    this.name = 'Refusal'
    this.status = status
  }
}

export type Parameters = { readonly [name: string]: string | number | boolean | undefined }

/** Headers by name. */
export type RequestHeaders = Headers | Readonly<Record<string, string>>

/** Sends the requests of one caller and reads the answers. */
export class Link {
  readonly #source: EntityInterface
  readonly #headers: RequestHeaders

  constructor(source: EntityInterface, headers: RequestHeaders) {
    this.#source = source
    this.#headers = headers
  }

  /** The JSON answer to a GET. Throws `Refusal`. */
  get(path: readonly string[], parameters: Parameters = {}, signal?: AbortSignal) {
    return this.#ask('GET', path, parameters, undefined, signal)
  }
  /** The JSON answer to a POST. Throws `Refusal`. */
  post(path: readonly string[], parameters: Parameters, body: unknown, signal?: AbortSignal) {
    return this.#ask('POST', path, parameters, JSON.stringify(body), signal)
  }

  async #ask(
    method: string,
    path: readonly string[],
    parameters: Parameters,
    body: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { basePath } = this.#source
    const base = basePath.startsWith('/') ? `http://localhost${basePath}` : basePath
    const query = Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    const address = `${[base, ...path.map(encodeURIComponent)].join('/')}?${query.join('&')}`
    const headers = new Headers(this.#headers)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const response = await this.#source.fetch(
      new Request(address, { method, headers, ...(body && { body }), ...(signal && { signal }) }),
    )
    const answer = parsed(await response.text())
    if (answer === undefined)
      throw new Refusal(response.status, [
        `${basePath} answered ${response.status} without JSON. Check that the address is an entity interface.`,
      ])
    const messages = messagesOf(answer)
    if (messages.length > 0 || !response.ok)
      throw new Refusal(
        response.status,
        messages.length > 0 ? messages : [`The request was refused with ${response.status}.`],
      )
    return answer
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The messages of `__ERROR`. Repeated ones, as of an outer error that quotes its cause, go. */
function messagesOf(answer: unknown): readonly string[] {
  const errors = property(answer, '__ERROR')
  if (!Array.isArray(errors)) return []
  const messages = errors.map((error) => String(property(error, 'message')))
  return messages.filter(
    (message, at) => !messages.some((other, place) => place !== at && other.includes(message)),
  )
}

/** An own property of a JSON value, or undefined. */
export function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined
}
