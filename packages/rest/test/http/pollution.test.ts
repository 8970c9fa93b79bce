import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { send } from './send.ts'

/** Every prototype that objects share, with its members. */
const SHARED = [Object, Array, Function, String, Number, Map, Set, Promise, Error].map(
  ({ prototype }) => prototype,
)
const stateOfPrototypes = (): string =>
  JSON.stringify(
    SHARED.map((prototype) => [
      Object.getPrototypeOf(prototype) === Object.prototype,
      ...Reflect.ownKeys(prototype).map((name) => {
        const { value, get } = Reflect.getOwnPropertyDescriptor(prototype, name) ?? {}
        return [String(name), typeof value, typeof get]
      }),
    ]),
  )

const name = fc.constantFrom(
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'polluted',
    'toString',
    '__defineGetter__',
    'notes',
    'lastName',
    '__KEY',
  ],
)
/** JSON as text: its object may have own members that no literal can define. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('1', '"1"', '"polluted"', 'null', 'true'),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(name, tie('json')), { maxLength: 3 })
      .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`),
  ),
}))
const poison = fc.oneof(
  json,
  json.map((value) => `{"__proto__":${value},"lastName":"x"}`),
  json.map((value) => `{"__KEY":"1","notes":{"__proto__":{"polluted":${value}}}}`),
  json.map((value) => `{"__KEY":"1","notes":{"constructor":{"prototype":{"polluted":${value}}}}}`),
)

const WORDS = [
  '__proto__',
  'constructor',
  'constructor.prototype',
  '__proto__.polluted',
  'toString',
  'notes.__proto__.polluted',
]
const word = fc.constantFrom(...WORDS)

const request = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        ...[
          'Employee',
          'Employee(1)',
          'Employee?$atomic=true',
          'Employee?$method=insert',
          'Employee?$refresh=true',
          'Company(1)',
        ],
        ...[
          'Employee/bestPaid',
          'Employee(1)/greet',
          '$directory/login',
          '$directory/currentUserBelongsTo',
          '$entityset/$release',
        ],
        ...['Employee?$method=delete', 'Setting', '__proto__', 'constructor/prototype'],
      ),
      poison,
    )
    .map(([address, body]) => ({ method: 'POST', url: `/rest/${address}`, body, isParsed: false })),
  fc
    .tuple(fc.constantFrom('Employee', 'Employee(1)', 'Employee?$method=update'), poison)
    .map(([address, body]) => ({ method: 'POST', url: `/rest/${address}`, body, isParsed: true })),
  fc.tuple(word, json).map(([path, value]) => ({
    url: `/rest/Employee?$filter="${path} = :polluted"&$params=${encodeURIComponent(value)}`,
  })),
  fc
    .tuple(
      fc.constantFrom(
        '$attributes',
        '$orderby',
        '$expand',
        '$compute',
        '$method',
        '$format',
        '__proto__',
      ),
      word,
    )
    .map(([parameter, path]) => ({ url: `/rest/Employee?${parameter}=${path}` })),
  word.map((key) => ({ url: `/rest/Setting(${key})` })),
  word.map((path) => ({ url: `/rest/Employee/${path}` })),
)

interface Sent {
  readonly method?: string
  readonly url: string
  readonly body?: string
  readonly isParsed?: boolean
}

test('no input reaches a prototype, is inherited by stored values, or is answered with 500', async () => {
  const before = stateOfPrototypes()
  let stored = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(request as fc.Arbitrary<Sent>, { minLength: 1, maxLength: 6 }),
      async (requests) => {
        const store = createHr()
        const reported: unknown[] = []
        const rest = createRestHandler(store, { onError: (error) => reported.push(error) })
        for (const { method = 'GET', url, body, isParsed } of requests) {
          const given = isParsed === true ? (JSON.parse(body ?? 'null') as object) : body
          const reply =
            isParsed === true
              ? await rest.handle({ method, url, body: given as never })
              : await send(rest, method, url, body, {
                  cookie: '__proto__=polluted; 4DSID_hr=__proto__',
                })
          // The function that greets makes text of what it is given, and that may have no
          // `toString` to call.
          if (!url.includes('/greet'))
            expect([url, reply.status < 500, reported]).toEqual([url, true, []])
          reported.length = 0
          expect(stateOfPrototypes()).toBe(before)
          expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined()
        }
        for (const { notes } of store.Employee.all().toArray()) {
          if (notes === null) continue
          stored++
          expect(namesIn(notes).filter((name) => DANGEROUS.has(name))).toEqual([])
        }
      },
    ),
    runs(150),
  )
  expect(stored).toBeGreaterThan(0)
})

const DANGEROUS = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Own names at any depth; throws for a value with another prototype than that of objects and
 * arrays.
 */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(value))
  return [...Reflect.ownKeys(value).map(String), ...Object.values(value).flatMap(namesIn)]
}
