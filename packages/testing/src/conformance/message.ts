import type { Step } from './case.ts'
import type { Fill } from './expect.ts'
import type { HostReply, HostRequest } from './host.ts'

/** The receiver of a request, and the sender's cookies for it; null for none. */
export interface Addressee {
  readonly host: string
  readonly cookie: string | null
}

/** Builds the request of a step. */
export function requestOf(step: Step, fill: Fill, { host, cookie }: Addressee): HostRequest {
  const { send, body } = step
  const blank = send.indexOf(' ')
  const payload = body === undefined ? null : payloadOf(filled(body, fill))
  return {
    method: send.slice(0, blank),
    url: escapeUrl(fill(send.slice(blank + 1))),
    headers: {
      host,
      'user-agent': 'entia-conformance',
      ...(cookie === null ? {} : { cookie }),
      ...(payload === null ? {} : { 'content-type': payload.type }),
      ...Object.fromEntries(
        Object.entries(step.headers ?? {}).map(([name, value]) => [name, fill(value)]),
      ),
    },
    ...(payload === null ? {} : { body: payload.content }),
  }
}

/** Escapes characters that a URL cannot hold; `%XX` stays as it is. */
export function escapeUrl(readable: string): string {
  return readable.replace(/%(?![0-9a-f]{2})|[^\w\-.~:/?[\]@!$&'()*+,;=%]+/gi, encodeURIComponent)
}

function payloadOf(body: unknown): {
  readonly type: string
  readonly content: string | Uint8Array
} {
  if (body instanceof Uint8Array) return { type: 'application/octet-stream', content: body }
  return {
    type: 'application/json',
    content: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

function filled(body: unknown, fill: Fill): unknown {
  if (typeof body === 'string') return fill(body)
  if (Array.isArray(body)) return body.map((each) => filled(each, fill))
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array) return body
  return Object.fromEntries(Object.entries(body).map(([name, each]) => [name, filled(each, fill)]))
}

/** The body as text; bytes that are not UTF-8 become one character each. */
export function textOf({ body }: HostReply): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}

export function bytesOf({ body }: HostReply): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body
}

export function isJson({ headers }: HostReply): boolean {
  return /^application\/json\b/.test(headers['content-type'] ?? '')
}

/** The cookies of one browser. */
export class CookieJar {
  readonly #cookies = new Map<string, string>()

  /** The `Cookie` header; null without cookies. */
  get header(): string | null {
    if (this.#cookies.size === 0) return null
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Applies a `Set-Cookie` header. */
  take(header: string | undefined): void {
    const [, name, value] = /^([^=;]+)=([^;]*)/.exec(header ?? '') ?? []
    if (name === undefined || value === undefined) return
    if (/;\s*max-age=0/i.test(header!)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}
