import type { AnyDataStore } from '@entia/core'
import { checkNames, describeFound, refused } from '@entia/core/internal'
import type { RestOptions } from '@entia/rest'

/** A request as a client sends it. */
export interface HostRequest {
  readonly method: string
  /** Path and parameters, escaped. */
  readonly url: string
  /** Header names in lower case, including `host`. */
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
}

/** The reply of a host. */
export interface HostReply {
  readonly status: number
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array
}

/** A host that serves one store. */
export interface OpenHost {
  request(request: HostRequest): Promise<HostReply>
  close(): void | Promise<void>
  /** The `Host` header that requests arrive with, if the host changes it. */
  readonly name?: string
  /** The client address that the host reports: `127.0.0.1` by default, '' if it reports none. */
  readonly clientAddress?: string
}

/** The host under test. */
export interface ConformanceHost {
  /** Serves `store` under `/rest` with these options of `createRestHandler`. */
  open(store: AnyDataStore, options: RestOptions): OpenHost | Promise<OpenHost>
  /** Headers that may differ from the reference, by lower-case name, each with the reason. */
  readonly mayDiffer?: { readonly [header: string]: string }
  /** Takes out of a text body what may differ from the reference. */
  readonly comparable?: (body: string) => string
}

export interface HostAtOptions extends Pick<OpenHost, 'clientAddress'> {
  /** Sends a request; `fetch` by default. */
  readonly send?: (request: Request) => Response | Promise<Response>
  readonly close?: OpenHost['close']
}

/**
 * An open host that is reached with `fetch`. `url` is the address before `/rest`:
 * `http://localhost:8080`.
 *
 * @example
 * ```ts
 * const host = hostAt('http://localhost:8080')
 * ```
 */
export function hostAt(url: string, options: HostAtOptions = {}): OpenHost {
  if (!URL.canParse(url))
    throw refused(
      'The url of hostAt',
      'an address such as http://localhost:8080',
      describeFound(url),
    )
  checkNames(options, ['send', 'close', 'clientAddress'])
  const { send = fetch, close = () => {}, clientAddress } = options
  return {
    name: new URL(url).host,
    ...(clientAddress === undefined ? {} : { clientAddress }),
    close,
    async request({ method, url: path, headers: { host: _, ...headers }, body }) {
      const content = body === undefined ? {} : { body: body as ArrayBuffer | string }
      const response = await send(
        new Request(`${url}${path}`, { method, headers, redirect: 'manual', ...content }),
      )
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: new Uint8Array(await response.arrayBuffer()),
      }
    },
  }
}
