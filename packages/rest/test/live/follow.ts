import type { RestHandler, RestInput } from '../../src/index.ts'

/** One server-sent event as it came; a comment is an event without a name. */
export interface SentEvent {
  readonly name: string
  readonly id: string
  readonly data: Record<string, unknown> | null
}

export interface Followed {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** The next event; null at the end. */
  next(): Promise<SentEvent | null>
  /** Disconnects the client. */
  leave(): Promise<void>
}

/** Follows an address through `handle`, as a host would. */
export async function follow(
  rest: RestHandler,
  url: string,
  more: Partial<RestInput> = {},
): Promise<Followed> {
  const { status, headers, body, stream } = await rest.handle({ method: 'GET', url, ...more })
  const texts = stream?.[Symbol.asyncIterator]()
  const events = readEvents(async () => (await texts?.next())?.value)
  return {
    status,
    headers,
    body: String(body),
    next: async () => (await events.next()).value ?? null,
    leave: async () => void (await texts?.return?.()),
  }
}

/** Parses the events of a text that arrives in pieces. */
export async function* readEvents(
  next: () => Promise<string | undefined>,
): AsyncGenerator<SentEvent, void, undefined> {
  let text = ''
  for (;;) {
    const at = text.indexOf('\n\n')
    if (at < 0) {
      const piece = await next()
      if (piece === undefined) return
      text += piece
      continue
    }
    const fields = new Map<string, string>()
    for (const line of text.slice(0, at).split('\n')) {
      const colon = line.indexOf(':')
      fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart())
    }
    text = text.slice(at + 2)
    if (fields.has('retry')) continue
    const data = fields.get('data')
    const name = fields.get('event') ?? ''
    yield { name, id: fields.get('id') ?? '', data: data === undefined ? null : JSON.parse(data) }
  }
}

/** A summary of an event: the keys of its entities. */
export function brief(event: SentEvent | null): unknown {
  if (event === null) return null
  const { name, data } = event
  const keys = (list: unknown): unknown =>
    (list as { readonly __KEY: string }[]).map(({ __KEY }) => __KEY)
  if (name === 'initial') return [name, keys(data?.__ENTITIES)]
  if (name === 'delta')
    return [name, keys(data?.__ENTERED), keys(data?.__CHANGED), data?.__LEFT, data?.__ORDER]
  return [name, data?.reason]
}
