import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { gauge, Histogram, type MetricFamily } from '@entia/engine'
import { describe, expect, test } from 'vitest'
import { createRestHandler, ReplicaState } from '../../src/index.ts'
import { prometheusText, renderMetrics } from '../../src/render/metrics.ts'
import { createHr } from './models.ts'
import { expectError, get, post, send } from './send.ts'

/**
 * Reads the text format into samples by name and labels. Fails for malformed lines and repeated
 * families.
 */
function parse(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>()
  const families = new Map<string, string>()
  let family = ''
  expect(text.endsWith('\n')).toBe(true)
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-z_]+) \S.*$/.exec(line)
    if (help !== null) {
      family = help[1]!
      expect(families.has(family), line).toBe(false)
      continue
    }
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line)
    if (type !== null) {
      expect(type[1], line).toBe(family)
      families.set(family, type[2]!)
      continue
    }
    const sample =
      /^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\]|\\["\\n])*",?)+\})? (\d+(?:\.\d+)?(?:e[+-]\d+)?)$/.exec(
        line,
      )
    expect(sample, line).not.toBeNull()
    const [, name, labels = '', value] = sample!
    const isOfHistogram =
      families.get(family) === 'histogram' && /_(?:bucket|sum|count)$/.test(name!)
    expect(isOfHistogram ? name!.replace(/_(?:bucket|sum|count)$/, '') : name, line).toBe(family)
    expect(families.get(family) === 'counter', line).toBe(name!.endsWith('_total'))
    expect(samples.has(name + labels), line).toBe(false)
    samples.set(name + labels, Number(value))
  }
  return samples
}

describe('the metrics', () => {
  test('of the store count entities, sets, sessions and commits', async () => {
    const store = createHr()
    const rest = createRestHandler(store, { metrics: true })
    const before = parse(await rest.metrics())
    await get(rest, '/rest/Employee?$method=entityset')
    store.Company.insert({ name: 'New' })
    const after = parse(await rest.metrics())
    expect(after.get('entia_entities{dataclass="Company"}')).toBe(
      before.get('entia_entities{dataclass="Company"}')! + 1,
    )
    expect(after.get('entia_entities{dataclass="Employee"}')).toBe(4)
    expect(after.get('entia_entity_sets')).toBe(1)
    expect(after.get('entia_entity_set_bytes')).toBe(32)
    expect(after.get('entia_commits_total')).toBe(store.globalStamp)
    expect(after.get('entia_history_commits')).toBe(before.get('entia_history_commits')! + 1)
    expect(after.get('entia_history_bytes')).toBeGreaterThan(before.get('entia_history_bytes')!)
    expect(after.get('entia_store_info{store="hr"}')).toBe(1)
  })

  test('of the requests count them by method and status, with durations and refusals by limits', async () => {
    const rest = createRestHandler(createHr(), {
      metrics: true,
      limits: { maxFilterCharacters: 10 },
    })
    await get(rest, '/rest/Employee')
    await get(rest, '/rest/Nothing')
    await get(rest, '/rest/Employee?$filter="lastName = abcdefgh"')
    await post(rest, '/rest/Company', { name: 'New' })
    await send(rest, 'BREW', '/rest/Company')
    const samples = parse(await rest.metrics())
    expect(samples.get('entia_requests_total{method="GET",status="2xx"}')).toBe(1)
    expect(samples.get('entia_requests_total{method="GET",status="4xx"}')).toBe(2)
    expect(samples.get('entia_requests_total{method="POST",status="2xx"}')).toBe(1)
    expect(samples.get('entia_requests_total{method="other",status="4xx"}')).toBe(1)
    expect(samples.get('entia_request_duration_seconds_count')).toBe(5)
    expect(samples.get('entia_request_duration_seconds_bucket{le="+Inf"}')).toBe(5)
    expect(samples.get('entia_requests_refused_total{code="budgetExceeded"}')).toBe(1)
    expect(samples.get('entia_requests_in_flight')).toBe(0)
  })

  test('of streams count those that are open, how long changes wait, and batches of replicas', async () => {
    let at = 0
    const clock = { now: () => at, monotonic: () => at }
    const Note = defineDataClass('Note', { ID: attribute.string({ key: true }) })
    const dataClasses = [Note, ReplicaState]
    const store = createDataStore({ name: 'notes', dataClasses, clock })
    const rest = createRestHandler(store, { metrics: true, live: true, replicas: true })
    const replica = 'abcdefghijklmnopqrstuvwxyz'
    const url = '/rest/$replica'
    const opened = await rest.handle({
      method: 'POST',
      url,
      body: JSON.stringify({ replica, shapes: { Note: true } }),
    })
    const read = async (name: string) => parse(await rest.metrics()).get(name)
    expect(await read('entia_streams{kind="replica"}')).toBe(1)
    expect(await read('entia_streams{kind="live"}')).toBe(0)
    const lines = opened.stream![Symbol.asyncIterator]()
    for (let text = ''; !text.includes('["="'); ) text = (await lines.next()).value
    store.Note.insert({ ID: 'a' })
    at += 2500
    expect(await read('entia_streams_behind_seconds{kind="replica"}')).toBe(2.5)
    const insert = { kind: 'insert', dataClass: 'Note', key: 'b', values: {} }
    const batches = [insert, { ...insert, dataClass: 'Unknown' }].map((item, number) => ({
      number: number + 1,
      items: [item],
    }))
    await post(rest, `${url}/batches`, { replica, batches })
    expect(await read('entia_replica_batches_total{outcome="applied"}')).toBe(1)
    expect(await read('entia_replica_batches_total{outcome="refused"}')).toBe(1)
    rest.endStreams()
    expect(await read('entia_streams{kind="replica"}')).toBe(0)
  })

  test('have cumulative duration buckets', () => {
    const durations = new Histogram()
    for (const milliseconds of [1, 750, 20_000]) durations.observe(milliseconds)
    const requests = {
      answers: [{ method: 'GET', status: '2xx', count: 3 }],
      durations: durations.samples(),
      inFlight: 1,
      refused: [],
    }
    const streams = { open: [], batches: { applied: 0, refused: 0 } }
    const engine: readonly MetricFamily[] = [
      gauge('uptime_seconds', 'Time.', 1.5),
      gauge('store_info', 'The store.', [{ labels: { store: 'a "b"\n\\c' }, value: 1 }]),
    ]
    const samples = parse(renderMetrics(engine, streams, requests))
    expect(samples.get('entia_request_duration_seconds_bucket{le="0.001"}')).toBe(1)
    expect(samples.get('entia_request_duration_seconds_bucket{le="1"}')).toBe(2)
    expect(samples.get('entia_request_duration_seconds_bucket{le="+Inf"}')).toBe(3)
    expect(samples.get('entia_request_duration_seconds_sum')).toBe(20.751)
    expect(samples.get('entia_uptime_seconds')).toBe(1.5)
    expect(samples.get('entia_store_info{store="a \\"b\\"\\n\\\\c"}')).toBe(1)
  })

  test('measure durations by the clock of the store', async () => {
    let at = 1000
    const clock = { now: () => at, monotonic: () => at }
    const Note = defineDataClass('Note', { ID: attribute.long({ key: true, autoSequence: true }) })
    const rest = createRestHandler(createDataStore({ name: 'notes', dataClasses: [Note], clock }), {
      metrics: true,
      admit: () => {
        at += 40
        return true
      },
    })
    await get(rest, '/rest/Note')
    const samples = parse(await rest.metrics())
    expect(samples.get('entia_request_duration_seconds_bucket{le="0.025"}')).toBe(0)
    expect(samples.get('entia_request_duration_seconds_bucket{le="0.05"}')).toBe(1)
    expect(samples.get('entia_request_duration_seconds_bucket{le="10"}')).toBe(1)
    expect(samples.get('entia_request_duration_seconds_sum')).toBe(0.04)
  })

  test('write NaN and infinities as Prometheus does', () => {
    const samples = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(
      (value) => ({ value }),
    )
    const text = prometheusText([{ name: 'a', type: 'gauge', help: 'x\ny', samples }])
    expect(text).toBe('# HELP a x\\ny\n# TYPE a gauge\na NaN\na +Inf\na -Inf\n')
  })
})

describe('permission to read it', () => {
  test('is denied over HTTP by default, and only the store is counted', async () => {
    for (const options of [{}, { metrics: true }, { metrics: false }])
      expectError(await get(createRestHandler(createHr(), options), '/rest/$metrics'), 404, 9108)
    expect(await createRestHandler(createHr()).metrics()).not.toContain('entia_requests_total')
  })

  test('is given by a rule; other callers get 404', async () => {
    const asked: string[] = []
    const rest = createRestHandler(createHr(), {
      metrics: ({ remoteAddress, header, session }) => {
        asked.push(`${remoteAddress} ${session}`)
        return header('authorization') === 'Bearer s3cret'
      },
    })
    const known = await send(rest, 'GET', '/rest/$metrics', undefined, {
      authorization: 'Bearer s3cret',
    })
    expect(known.status).toBe(200)
    expect(known.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(parse(known.text).get('entia_entities{dataclass="Employee"}')).toBe(4)
    const stranger = await get(rest, '/rest/$metrics')
    expectError(stranger, 404, 9108)
    expect(stranger.body).toEqual((await get(createRestHandler(createHr()), '/rest/$metrics')).body)
    expect(asked).toEqual([' null', ' null'])
  })

  test('is checked before the verb: other callers get 404, and permitted ones 405', async () => {
    const rest = createRestHandler(createHr(), {
      metrics: ({ header }) => header('authorization') === 'Bearer s3cret',
    })
    const known = { authorization: 'Bearer s3cret' }
    for (const verb of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expectError(
        await send(rest, verb, '/rest/$metrics', verb === 'OPTIONS' ? undefined : {}),
        404,
        9108,
      )
    const refused = await send(rest, 'POST', '/rest/$metrics', {}, known)
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await send(rest, 'OPTIONS', '/rest/$metrics', undefined, known)).headers.allow).toBe(
      'GET, HEAD, OPTIONS',
    )
    for (const metrics of [true, undefined])
      expectError(
        await post(createRestHandler(createHr(), { metrics } as never), '/rest/$metrics', {}),
        404,
        9108,
      )
  })

  test('is decided only by the rule with forceLogin', async () => {
    const rest = createRestHandler(createHr(), { metrics: () => true, forceLogin: true, users: [] })
    expect((await get(rest, '/rest/$metrics')).status).toBe(200)
  })

  test('is denied if the rule throws, and the host is notified', async () => {
    const reported: unknown[] = []
    const failure = new Error('no database of users')
    const rest = createRestHandler(createHr(), {
      metrics: () => Promise.reject(failure),
      onError: (error) => reported.push(error),
    })
    expectError(await get(rest, '/rest/$metrics'), 404, 9108)
    expect(reported).toEqual([failure])
  })
})
