import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Awaitable } from '@entia/engine'
import { afterEach, beforeEach, expect } from 'vitest'
import wakanda, { type Catalog, type Collection, type Entity } from 'wakanda-client'
import { createRestHandler, type RestOptions, toNodeHandler } from '../../src/index.ts'
import { createContacts } from './contacts.ts'

export type { Catalog, Collection, Entity } from 'wakanda-client'

type Client = InstanceType<typeof wakanda.WakandaClient>
type HttpClient = Client['_httpClient']

/** A server of the contacts on its own port, with the requests of its clients. */
export interface ServedContacts {
  readonly store: Contacts
  readonly origin: string
  /** Verb and address of each request, decoded. */
  readonly requests: readonly string[]
  /** A client with its own cookies. */
  client(httpClient?: HttpClient): Client
  /** Verb and address of the latest request. */
  last(): string
  close(): Promise<void>
}

type Contacts = ReturnType<typeof createContacts>

/**
 * Serves the contacts as `wakanda-client` expects them: its calendar dates are `d!m!yyyy`.
 * `copyOf` answers what is served in place of the store.
 */
export async function serveContacts(
  options: RestOptions = {},
  copyOf: (store: Contacts) => Awaitable<Parameters<typeof createRestHandler>[0]> = (store) =>
    store,
): Promise<ServedContacts> {
  const store = createContacts()
  const rest = createRestHandler(await copyOf(store), {
    dateOnlyFormat: 'd!m!yyyy',
    users: [{ name: 'bar', password: 'bar', fullName: 'Bar Tender', groups: ['Admin'] }],
    ...options,
  })
  const requests: string[] = []
  const handler = toNodeHandler(rest)
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${decoded(request.url ?? '')}`)
    return handler(request, response)
  })
  server.on('clientError', rest.onClientError)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    store,
    origin,
    requests,
    client: (httpClient) =>
      new wakanda.WakandaClient(
        httpClient === undefined ? { host: origin } : { client: httpClient },
      ),
    last: () => requests.at(-1) ?? '',
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What `useContacts` serves for the current test. */
export let served: ServedContacts
/** The catalog of a client of `served`. */
export let catalog: Catalog

/** Serves contacts of its own to each test of a file. */
export function useContacts(): void {
  beforeEach(async () => {
    served = await serveContacts()
    catalog = await served.client().getCatalog()
  })
  afterEach(() => served.close())
}

/** Keeps a percent sign that begins no escape: the client does not encode percent signs. */
function decoded(url: string): string {
  return url.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/**
 * What the client rejects with, in short: the status line's words and the codes of `__ERROR`. Fails
 * when it does not.
 */
export async function refusalOf(
  asked: Promise<unknown>,
): Promise<readonly [statusText: string, ...number[]]> {
  const outcome = await asked.then(
    () => null,
    (error: unknown) => error,
  )
  expect(outcome).toMatchObject({ statusMessage: expect.any(String), body: expect.any(String) })
  const { statusMessage, body } = outcome as {
    readonly statusMessage: string
    readonly body: string
  }
  const { __ERROR: errors } = JSON.parse(body) as {
    readonly __ERROR: readonly { readonly errCode: number }[]
  }
  return [statusMessage, ...errors.map(({ errCode }) => errCode)]
}

/** The keys of a collection's page. */
export const keysOf = ({ entities }: Collection<Entity>): readonly number[] =>
  entities.map(({ _key }) => Number(_key))

/** The whole numbers from `first` to `last`. */
export const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)
