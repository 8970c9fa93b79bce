import type { AnyDataStore } from '@entia/core'
import type { RestOptions } from '@entia/rest'

/** A request as a client sends it. */
export interface HostRequest {
  readonly method: string
  /** Path and parameters, escaped as a URL needs it. */
  readonly url: string
  /** Names in lower case; `host` among them. */
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
}

/** What came back. */
export interface HostReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array
}

/** A host that serves one store. */
export interface OpenHost {
  request(request: HostRequest): Promise<HostReply>
  close(): void | Promise<void>
  /** What requests arrive under as `Host`, where it is not the header that they were given. */
  readonly name?: string
  /** The address that the host says its clients have; `127.0.0.1` by default, '' for a host that does not know. */
  readonly clientAddress?: string
}

/** The host under test. */
export interface ConformanceHost {
  /** Serves `store` under `/rest` with these options of `createRestHandler`, however it mounts handlers. */
  open(store: AnyDataStore, options: RestOptions): OpenHost | Promise<OpenHost>
  /** Headers that may differ from those of the reference, by their names in lower case, each with the reason. */
  readonly mayDiffer?: { readonly [header: string]: string }
}

export interface HostAtOptions extends Pick<OpenHost, 'clientAddress'> {
  /** From Request to Response; `fetch` by default. */
  readonly send?: (request: Request) => Response | Promise<Response>
  readonly close?: OpenHost['close']
}

/** An open host that is asked with `fetch`. Takes `url`, what stands before `/rest`: `http://localhost:8080`. */
export function hostAt(url: string, options: HostAtOptions = {}): OpenHost {
  const { send = fetch, close = () => {}, clientAddress } = options
  return {
    name: new URL(url).host,
    ...(clientAddress === undefined ? {} : { clientAddress }),
    close,
    async request({ method, url: path, headers: { host: _, ...headers }, body }) {
      const content = body === undefined ? {} : { body: body as ArrayBuffer | string }
      const response = await send(new Request(`${url}${path}`, { method, headers, redirect: 'manual', ...content }))
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: new Uint8Array(await response.arrayBuffer()),
      }
    },
  }
}
