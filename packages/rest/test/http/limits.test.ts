import { describe, expect, test } from 'vitest'
import { createRestHandler, type Limits } from '../../src/index.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { createPeople } from './media-model.ts'
import { createHr } from './models.ts'
import { type Reply, send } from './send.ts'

interface Asked {
  readonly method: string
  readonly url: string
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
}

/**
 * The effect of a limit on a request: `status` with the name of the option in the error, or `cut`,
 * which returns the size that is left.
 */
type Row =
  | {
      readonly kind: 'refused'
      readonly status: number
      /** A request of just this size. */
      readonly asked: (size: number) => Asked
      /** The size of the only request, if requests cannot have any size. */
      readonly sizeOf?: (reply: Reply) => number
      readonly people?: boolean
    }
  /** Limits that no single request reaches. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'cut'; readonly asked: Asked; readonly left: (reply: Reply) => number }

const employees = '/rest/Employee'
const reads =
  (url: (size: number) => string) =>
  (size: number): Asked => ({ method: 'GET', url: `${employees}?${url(size)}` })
const posts =
  (body: (size: number) => string, query = '') =>
  (size: number): Asked => ({
    method: 'POST',
    url: employees + query,
    body: body(size),
  })
const several = (size: number, piece: string): string =>
  Array.from({ length: size }, () => piece).join(',')
const nested = (size: number): string => `${'{"a":'.repeat(size - 1)}{}${'}'.repeat(size - 1)}`

const ROWS: { readonly [L in keyof Limits]: Row } = {
  maxUrlCharacters: {
    kind: 'refused',
    status: 431,
    asked: reads((size) => `x=${'a'.repeat(size - 17)}`),
  },
  maxBodyBytes: {
    kind: 'refused',
    status: 413,
    asked: posts((size) => `{"lastName":"é${'x'.repeat(size - 17)}"}`),
  },
  maxMediaBytes: {
    kind: 'refused',
    status: 413,
    people: true,
    asked: (size) => ({
      method: 'POST',
      url: '/rest/Person(1)/cv?$binary=true',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'x'.repeat(size),
    }),
  },
  maxJsonDepth: {
    kind: 'refused',
    status: 400,
    asked: posts((size) => `{"notes":${nested(size)}}`),
  },
  maxPendingBodyBytes: {
    kind: 'refused',
    status: 503,
    asked: posts((size) => `{"lastName":"${'x'.repeat(size - 15)}"}`),
  },
  maxPendingAnswerBytes: { kind: 'elsewhere' },
  maxStalledAnswerSeconds: { kind: 'elsewhere' },
  maxWaitingReads: { kind: 'elsewhere' },
  maxCascade: { kind: 'elsewhere' },
  maxItems: {
    kind: 'refused',
    status: 400,
    asked: posts((size) => `[${several(size, '{"lastName":"x"}')}]`),
  },
  maxAtomicItems: {
    kind: 'refused',
    status: 400,
    asked: posts((size) => `[${several(size, '{"lastName":"x"}')}]`, '?$atomic=true'),
  },
  maxFilterCharacters: {
    kind: 'refused',
    status: 400,
    asked: reads((size) => `$filter=ID>${'1'.repeat(size - 3)}`),
  },
  maxParams: {
    kind: 'refused',
    status: 400,
    asked: reads((size) => {
      const values = Array.from({ length: size }, (_, at) => at + 1)
      const filter = `ID in [${values.map((at) => `:${at}`)}]`
      return `$filter=${filter}&$params=[${values}]`
    }),
  },
  maxSortKeys: {
    kind: 'refused',
    status: 400,
    asked: reads((size) => `$orderby=${several(size, 'salary')}`),
  },
  maxAttributePaths: {
    kind: 'refused',
    status: 400,
    asked: reads((size) => `$attributes=${several(size, 'salary')}`),
  },
  maxPathDepth: {
    kind: 'refused',
    status: 400,
    asked: reads(
      (size) =>
        `$attributes=${Array.from({ length: size - 1 }, (_, i) => (i % 2 ? 'employees' : 'employer')).join('.')}.*`,
    ),
  },
  maxEntitiesPerAnswer: {
    kind: 'refused',
    status: 400,
    asked: () => ({ method: 'GET', url: '/rest/Company?$expand=employees' }),
    sizeOf: () => 4 + 3,
  },
  maxAnswerCharacters: {
    kind: 'refused',
    status: 400,
    asked: () => ({ method: 'GET', url: '/rest/$catalog/$all' }),
    sizeOf: ({ text }) => text.length,
  },
  defaultTop: {
    kind: 'cut',
    asked: { method: 'GET', url: employees },
    left: ({ body }) => body.__SENT,
  },
  maxTop: {
    kind: 'cut',
    asked: { method: 'GET', url: `${employees}?$top=1000` },
    left: ({ body }) => body.__SENT,
  },
  maxSetLifetimeSeconds: {
    kind: 'cut',
    asked: { method: 'GET', url: `${employees}?$method=entityset&$timeout=1000` },
    left: ({ body }) => body.seconds,
  },
}

const handlerWith = (limits: Partial<Limits>, people = false) => {
  const store = people ? createPeople() : createHr()
  return { store, rest: createRestHandler(store, { limits }) }
}

async function ask(
  limits: Partial<Limits>,
  { method, url, body, headers }: Asked,
  people = false,
): Promise<Reply> {
  const { store, rest } = handlerWith(limits, people)
  const reply = await send(rest, method, url, body, headers)
  const [set] = store.entitySets.list()
  const seconds = set === undefined ? null : (set.expires - set.refreshed) / 1000
  return { ...reply, body: { ...reply.body, seconds } }
}

describe('limits of a handler', () => {
  test('are all tested here', () => {
    expect(Object.keys(ROWS).sort()).toEqual(Object.keys(DEFAULT_LIMITS).sort())
  })

  for (const [name, row] of Object.entries(ROWS)) {
    if (row.kind === 'cut')
      test.each([1, 2, 3])(`${name}: %i is how much there is`, async (limit) => {
        expect(row.left(await ask({ [name]: limit }, row.asked))).toBe(limit)
      })
    if (row.kind === 'refused')
      test(`${name}: one less and just as much is answered, one more is refused and the option named`, async () => {
        const { asked, people, sizeOf } = row
        const whole = sizeOf === undefined ? null : sizeOf(await ask({}, asked(0)))
        const limit = whole ?? (name.endsWith('Characters') || name.endsWith('Bytes') ? 40 : 4)
        // Varies the size of the request, or the limit if the request has a fixed size.
        const around =
          whole === null
            ? [limit - 1, limit, limit + 1].map((size) =>
                ask({ [name]: limit }, asked(size), people),
              )
            : [limit + 1, limit, limit - 1].map((one) => ask({ [name]: one }, asked(0), people))
        const [less, exact, more] = await Promise.all(around)
        expect([less?.status, exact?.status]).toEqual([200, 200])
        expect([more?.status, more?.body.__ERROR[0].message]).toEqual([
          row.status,
          expect.stringContaining(`limits.${name}`),
        ])
      })
  }
})
