import { createRestHandler } from '@entia/rest'
import { describe, expect, test } from 'vitest'
import {
  type ConformanceCase,
  type ConformanceHost,
  conformanceAreas,
  conformanceCases,
  type HostReply,
  referenceHost,
  runCase,
  runConformance,
} from '../src/conformance/index.ts'

/** The numbers of published samples. */
const SAMPLES =
  '1 3 4 6 8 9 11 12 13 14 16 18 19 20 21 22 24 25 27 28 30 31 32 33 35 37 38 40 41 43 44 46 48 49 51 53 54 56 58 59 60 62 ' +
  '64 65 67 69 70 72 73 74 75 76 78 79 81 83 84 86 88 90 91 92 93 95 97 99 100 101 103 105 106 108 109 111 113 115 117 ' +
  '118 120 121 122 124 125 127 129 130 132 133 134 135 137 138 140 142 143 144 145 147 148 150 152 154 156 S1 S2 S3 S4'

describe('the table', () => {
  test('has a case for each published sample, and unique ids', () => {
    const ids = conformanceCases.map(({ id }) => String(id))
    expect(SAMPLES.split(' ').filter((id) => !ids.includes(id))).toEqual([])
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  test('has cases for every area, each with more than a status', () => {
    expect(Object.entries(conformanceAreas).filter(([, cases]) => cases.length === 0)).toEqual([])
    const expects = ['errors', 'keys', 'names', 'reply', 'exactly', 'replyHeaders']
    const silent = conformanceCases.filter(
      ({ steps }) => !steps.some((step) => expects.some((name) => Object.hasOwn(step, name))),
    )
    expect(silent.map(({ id }) => id)).toEqual([])
  })

  test('gives the reason for each wrong sample', () => {
    const reasons = conformanceCases.flatMap(({ id, wrong }) =>
      wrong === undefined ? [] : [[id, wrong.length > 40]],
    )
    expect(reasons).toEqual([
      [19, true],
      [38, true],
      [74, true],
      [84, true],
      [129, true],
    ])
  })
})

/** The reference, with replies that `change` modifies. */
const changed = (change: (reply: HostReply) => HostReply): ConformanceHost => ({
  open(store, options) {
    const rest = createRestHandler(store, options)
    return {
      request: async (request) =>
        change(await rest.handle({ ...request, remoteAddress: '127.0.0.1' })),
      close: () => {},
    }
  },
})
const read = conformanceCases.find(({ id }) => id === 12)!
const problemWith = async (host: ConformanceHost, each: ConformanceCase = read) =>
  (await runCase(host, each)).problem

describe('a host that differs from the reference fails', () => {
  test('the reference itself passes', async () => {
    expect(await runConformance(referenceHost(), { cases: [read] })).toEqual([
      { id: 12, title: read.title, ok: true, problem: null },
    ])
    expect(await problemWith(changed((reply) => reply))).toBeNull()
  })

  test.each<readonly [string, (reply: HostReply) => HostReply, string]>([
    [
      'another status',
      (reply) => ({ ...reply, status: 201 }),
      'the status should be 200, but is 201',
    ],
    [
      'a byte more',
      (reply) => ({ ...reply, body: `${reply.body} ` }),
      'differs from the reference body',
    ],
    [
      'members in another order',
      (reply) => ({
        ...reply,
        body: JSON.stringify(
          Object.fromEntries(Object.entries(JSON.parse(String(reply.body))).reverse()),
        ),
      }),
      'differs from the reference body',
    ],
    [
      'another ETag',
      (reply) => ({ ...reply, headers: { ...reply.headers, etag: 'W/"1"' } }),
      'header.etag should be absent, but is "W/\\"1\\""',
    ],
    [
      'an extra header that clients act on',
      (reply) => ({ ...reply, headers: { ...reply.headers, location: '/' } }),
      'the header location is /, the reference has absent',
    ],
    [
      'a missing header',
      ({ headers: { 'cache-control': _, ...headers }, ...reply }) => ({ ...reply, headers }),
      'the header cache-control is absent',
    ],
    [
      'a body that is not JSON',
      (reply) => ({ ...reply, body: '<html>' }),
      'the reply should be an object, but is absent',
    ],
  ])('%s', async (_, change, problem) => {
    expect(await problemWith(changed(change))).toContain(problem)
  })

  test('a header in `mayDiffer` may differ', async () => {
    const host = changed((reply) => ({
      ...reply,
      headers: { ...reply.headers, 'cache-control': 'no-store' },
    }))
    expect(await problemWith(host)).toContain('cache-control')
    expect(
      await problemWith({ ...host, mayDiffer: { 'cache-control': 'our proxy sets it' } }),
    ).toBeNull()
  })

  test('a failing case is reported, and the others run', async () => {
    const failing: ConformanceHost = {
      open: () => {
        throw new Error('no port is free')
      },
    }
    const results = await runConformance(failing, { cases: [read, read] })
    expect(results.map(({ ok, problem }) => [ok, problem?.includes('no port is free')])).toEqual([
      [false, true],
      [false, true],
    ])
  })

  test('a host that shares one store between cases fails', async () => {
    const steps = [
      { send: 'POST /rest/People', body: { lastName: 'New' }, reply: { __KEY: '5' } },
      { send: 'GET /rest/People', keys: ['1', '2', '3', '4', '5'] },
    ]
    let kept: ReturnType<typeof createRestHandler> | null = null
    const host: ConformanceHost = {
      open(store, options) {
        kept ??= createRestHandler(store, options)
        const rest = kept
        return { request: (request) => rest.handle(request), close: () => {} }
      },
    }
    const each = { ...read, steps }
    expect(await problemWith(host, each)).toBeNull()
    expect(await problemWith(host, each)).not.toBeNull()
  })
})
