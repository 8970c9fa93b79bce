import { createRestHandler, type RestHandler } from '@entia/rest'
import { describe, test } from 'vitest'
import { serve as express } from '../../../examples/host-express/serve.mjs'
import { serve as fastify } from '../../../examples/host-fastify/serve.mjs'
import { serve as h3 } from '../../../examples/host-h3/serve.mjs'
import { serve as hono } from '../../../examples/host-hono/serve.mjs'
import { serve as koa } from '../../../examples/host-koa/serve.mjs'
import { serve as msw } from '../../../examples/host-msw/serve.mjs'
import { serve as nodeHttp } from '../../../examples/host-node-http/serve.mjs'
import { runs } from '../../core/test/runs.ts'
import {
  type ConformanceHost,
  conformanceCases,
  describeConformance,
  type HostAtOptions,
  hostAt,
} from '../src/conformance/index.ts'

interface Served {
  readonly url: string
  close(): Promise<unknown>
}

/** An example as a host of the suite, with a server per case. */
const example = (
  serve: (rest: RestHandler, port: number) => Promise<Served>,
  options?: HostAtOptions,
): ConformanceHost => ({
  async open(store, restOptions) {
    const { url, close } = await serve(createRestHandler(store, restOptions), 0)
    return hostAt(url, { ...options, close: async () => void (await close()) })
  },
})

/** Hosts on the Fetch API do not know the client address. */
const overFetch = { clientAddress: '' }

const hosts: Readonly<Record<string, ConformanceHost>> = {
  'rest.fetch': {
    open: (store, options) =>
      hostAt('http://conformance.example', {
        ...overFetch,
        send: createRestHandler(store, options).fetch,
      }),
  },
  'node:http': example(nodeHttp),
  express: example(express),
  fastify: example(fastify),
  koa: example(koa),
  hono: example(hono, overFetch),
  h3: example(h3, overFetch),
  msw: example(msw, overFetch),
}

/** The gate gives each host a fifth of the cases, another one than its neighbours. */
const fifths = runs(5, 1).numRuns

for (const [number, [name, host]] of Object.entries(hosts).entries()) {
  const cases = conformanceCases.filter((_, at) => (at + number) % 5 < fifths)
  describeConformance(name, host, { describe, test }, { cases })
}
