import { attribute, defineDataClass, keyOf } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import type { SqlPool, Statement } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run, untilWritten } from '../database.ts'
import { POOLING } from '../tested.ts'
import { cuttingProxy } from './cutting-proxy.ts'

interface Lamps {
  readonly Lamp: {
    get(key: number): { readonly isOn: boolean; readonly count: number } | undefined
  }
}

/** At most one of two lamps that name each other is on. A save notes the count of the other. */
const Lamp = defineDataClass(
  'Lamp',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    isOn: attribute.bool(),
    count: attribute.long(),
    text: attribute.string(),
    seen: attribute.long(),
    other: attribute.relatedEntity('Lamp'),
  },
  {
    hooks: {
      beforeSave(draft, { store }) {
        const other: unknown = draft.other
        if (other === null) return
        const key = typeof other === 'object' ? keyOf(other as never) : other
        const found = (store as unknown as Lamps).Lamp.get(Number(key))!
        draft.seen = found.count
        if (draft.isOn === true && found.isOn) throw new Error('The other lamp is on.')
      },
    },
  },
)
const Line = defineDataClass('Line', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
  lamp: attribute.relatedEntity('Lamp'),
})

interface LampState {
  readonly count: number
  readonly seen: number
  readonly other: number | null
}

async function openProcess(database: SqlPool, schema: string) {
  const options = { name: 'lamps', dataClasses: [Lamp, Line], database, schema }
  await migrateDatabase(options)
  const store = await openSqlStore(options)
  const rest = createRestHandler(store)
  let cookie = ''
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await rest.handle({
      method,
      url: `/rest/${path}`,
      headers: { host: 'localhost', cookie },
      remoteAddress: '127.0.0.1',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const given = answer.headers['set-cookie']
    if (given !== undefined) cookie = String(given).split(';')[0]!
    // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
    return { status: answer.status, body: JSON.parse(String(answer.body)) as any }
  }
  const save = (dataClass: string, body: unknown) =>
    ask('POST', `${dataClass}?$method=update`, body)
  return { ask, save, close: () => store.close() }
}

const LAMPS = 24

describeDatabases('saves at the same time', { connections: 'several', on: 'one' }, (database) => {
  const { schema } = database
  let sent: (readonly Statement[])[] = []
  let first: Awaited<ReturnType<typeof openProcess>>
  let second: typeof first
  let lamps: number[] = []
  beforeAll(async () => {
    const pool = database.open({ max: 8, onSend: (statements) => void sent.push(statements) })
    first = await openProcess(pool, schema)
    second = await openProcess(database.open({ max: 8 }), schema)
    const items = Array.from({ length: LAMPS }, () => ({ count: 0, isOn: false }))
    const { body } = await first.ask('POST', 'Lamp?$method=update&$atomic=true', items)
    lamps = body.__ENTITIES.map(({ ID }: { readonly ID: number }) => ID)
    await first.save('Line', { text: 'first' })
  })
  afterAll(async () => {
    await Promise.all([first.close(), second.close()])
  })

  const rows = async (text: string, ...values: (number | string | readonly number[])[]) =>
    (await run(database.pool, text.replaceAll('$schema', `"${schema}"`), ...values)).rows
  const stampNow = async () => Number((await rows('SELECT stamp FROM $schema.entia_store'))[0]![0])
  const lampsNow = async () =>
    new Map(
      (await rows('SELECT "ID", count, seen, other FROM $schema."Lamp"')).map(
        ([key, count, seen, other]) => [String(key), { count, seen, other } as LampState],
      ),
    )
  const sumOf = (all: ReadonlyMap<string, LampState>) =>
    [...all.values()].reduce((sum, { count }) => sum + count, 0)
  /** For each commit in order: what the lamp has seen, and the count of the other by then. */
  const statesSince = async (since: number, all: Map<string, LampState>) =>
    (
      await rows(
        `SELECT c.key, c.written::text FROM $schema.entia_commit AS t
          JOIN $schema.entia_change AS c ON c.commit_id = t.id WHERE t.stamp > $1 ORDER BY t.stamp`,
        since,
      )
    ).map(([key, written]) => {
      const now = { ...all.get(String(key))!, ...JSON.parse(String(written)) } as LampState
      all.set(String(key), now)
      const count = now.other === null ? now.seen : all.get(String(now.other))!.count
      return { seen: now.seen, count }
    })
  const transactions = () => {
    const writing = sent.filter((list) => list.some(({ text }) => /entia_gate/.test(text)))
    sent = []
    return writing.length
  }
  const statuses = (list: readonly { readonly status: number }[]) =>
    list.map(({ status }) => status)

  test('share transactions, and stay commits of their own', async () => {
    const before = await stampNow()
    transactions()
    const answers = await Promise.all(
      lamps.map((key, at) => first.save('Lamp', { __KEY: key, count: at + 1, text: `t${at}` })),
    )
    expect(transactions()).toBeLessThan(LAMPS / 2)
    for (const [at, { body }] of answers.entries())
      expect(body).toMatchObject({ ID: lamps[at], count: at + 1, text: `t${at}`, __STAMP: 2 })
    const stored = await rows(
      `SELECT t.stamp, c.ord, c.key, c.kind, c.stamp, c.replaced::text, c.written::text, c.timestamp = l._ts
        FROM $schema.entia_commit AS t JOIN $schema.entia_change AS c ON c.commit_id = t.id
        JOIN $schema."Lamp" AS l ON l."ID"::text = c.key AND l._rec = c.record
        WHERE t.stamp > $1 ORDER BY t.stamp`,
      before,
    )
    expect(stored.map(([stamp]) => Number(stamp))).toEqual(lamps.map((_, at) => before + 1 + at))
    const byKey = [...stored].sort(([, , a], [, , b]) => Number(a) - Number(b))
    expect(byKey.map(([, ...rest]) => rest)).toEqual(
      lamps.map((key, at) => [
        0,
        String(key),
        'update',
        2,
        '{"count":0,"text":null}',
        `{"count":${at + 1},"text":"t${at}"}`,
        true,
      ]),
    )
  })

  test('of new entities share transactions, and each gets its own numbers', async () => {
    const before = await stampNow()
    transactions()
    const answers = await Promise.all(
      lamps.map((lamp, at) =>
        at % 4 > 0
          ? first.save('Line', { text: `l${at}`, lamp })
          : first.ask('POST', 'Line?$method=update&$atomic=true', [
              { text: `l${at}`, lamp },
              { text: `m${at}` },
            ]),
      ),
    )
    expect(transactions()).toBeLessThan(LAMPS / 2)
    const stored = await rows(
      `SELECT t.stamp, c.ord, c.key, c.written->>'text', (c.written->>'ID') = c.key, l.text = c.written->>'text'
        FROM $schema.entia_commit AS t JOIN $schema.entia_change AS c ON c.commit_id = t.id
        JOIN $schema."Line" AS l ON l."ID"::text = c.key AND l._rec = c.record
        WHERE t.stamp > $1 ORDER BY t.stamp, c.ord`,
      before,
    )
    const lines = answers.flatMap(({ body }) => body.__ENTITIES ?? [body])
    expect(stored).toHaveLength(lines.length)
    expect(new Set(stored.map(([stamp]) => stamp)).size).toBe(LAMPS)
    for (const [, ord, key, text, ...checks] of stored) {
      expect(lines.find(({ ID }) => String(ID) === key)).toMatchObject({ text })
      expect([ord, ...checks]).toEqual([Number(String(text).startsWith('m')), true, true])
    }
    const numbers = lines.map(({ ID }) => ID).sort((a, b) => a - b)
    expect(numbers).toEqual(numbers.map((_, at) => numbers[0] + at))
  })

  test('of many new entities each overlap, and each has its own numbers and values', async () => {
    await first.save('Line', { text: 'known' })
    const answers = await Promise.all(
      Array.from({ length: 7 }, (_, at) =>
        first.ask(
          'POST',
          'Line?$method=update&$atomic=true',
          // All texts of every other batch are null, and so are all relations of most.
          Array.from({ length: 100 }, (_, place) => ({
            ...(at % 2 === 0 ? { text: `b${at}.${place}` } : {}),
            ...(at === 4 && place === 50 ? { lamp: lamps[0] } : {}),
          })),
        ),
      ),
    )
    expect(new Set(statuses(answers))).toEqual(new Set([200]))
    const shown = answers.flatMap(({ body }, at) =>
      // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
      body.__ENTITIES.map(({ ID, text, lamp }: any, place: number) => {
        expect(ID).toBe(body.__ENTITIES[0].ID + place)
        expect(text).toBe(at % 2 === 0 ? `b${at}.${place}` : null)
        return [ID, text, lamp === null ? null : Number(lamp.__deferred.__KEY)]
      }),
    )
    shown.sort(([a], [b]) => a - b)
    const from = shown[0][0]
    expect(shown.map(([ID]) => ID)).toEqual(shown.map((_, at) => from + at))
    const stored = await rows(
      'SELECT "ID", text, lamp FROM $schema."Line" WHERE "ID" >= $1 ORDER BY "ID"',
      from,
    )
    expect(stored).toEqual(shown)
    const written = await rows(
      `SELECT (c.written->>'ID')::integer, c.written->>'text', (c.written->>'lamp')::integer
        FROM $schema."Line" AS l JOIN $schema.entia_change AS c
          ON c.class = 'Line' AND c.key = l."ID"::text AND c.record = l._rec
        WHERE l."ID" >= $1 ORDER BY l."ID"`,
      from,
    )
    expect(written).toEqual(shown)
  })

  test('are not disturbed by one that is refused', async () => {
    await Promise.all(lamps.map((__KEY) => first.save('Lamp', { __KEY, text: 'known' })))
    const [changed, locked, stale, invalid] = [lamps[3]!, lamps[7]!, lamps[11]!, lamps[15]!]
    await second.save('Lamp', { __KEY: changed, text: 'theirs' })
    expect((await second.ask('GET', `Lamp(${locked})?$lock=true`)).body.result).toBe(true)
    sent = []
    const answers = await Promise.all(
      lamps.map((__KEY) =>
        first.save('Lamp', {
          ...{ __KEY, count: 5 },
          ...(__KEY === stale ? { __STAMP: 1 } : {}),
          // PostgreSQL stores no such text, which is found out when the statement is written.
          ...(__KEY === invalid ? { text: 'NUL \u0000' } : {}),
        }),
      ),
    )
    expect((await second.ask('GET', `Lamp(${locked})?$lock=false`)).body.result).toBe(true)
    const expected = lamps.map((key) =>
      key === locked ? 423 : key === stale ? 409 : key === invalid ? 400 : 200,
    )
    expect(statuses(answers)).toEqual(expected)
    // Little more than these is decided again, on what is fetched and held.
    const fetched = sent.filter((list) => list.some(({ text }) => / FOR NO KEY UPDATE$/.test(text)))
    expect(fetched.length).toBeLessThan(8)
    expect(answers[3]!.body).toMatchObject({ text: 'theirs', count: 5 })
    const stored = await rows('SELECT count FROM $schema."Lamp" ORDER BY "ID"')
    expect(stored.map(([count]) => count === 5)).toEqual(expected.map((status) => status === 200))
  })

  test('do not wait for one whose row another program holds', async () => {
    await Promise.all(lamps.map((__KEY) => first.save('Lamp', { __KEY, text: 'known' })))
    await database.pool.connect(async ({ send }) => {
      const text = `SELECT 1 FROM "${schema}"."Lamp" WHERE "ID" = ${lamps[0]} FOR UPDATE`
      await send([
        { name: '', text: 'BEGIN', values: [] },
        { name: '', text, values: [] },
      ])
      let isHeld = true
      const held = first.save('Lamp', { __KEY: lamps[0], count: 9 }).finally(() => {
        isHeld = false
      })
      const others = lamps.slice(1).map((__KEY) => first.save('Lamp', { __KEY, count: 9 }))
      expect(new Set(statuses(await Promise.all(others)))).toEqual(new Set([200]))
      expect(isHeld).toBe(true)
      await send([{ name: '', text: 'COMMIT', values: [] }])
      expect((await held).status).toBe(200)
    })
  })

  test('see each other, whichever process they come from', async () => {
    const pairs = Array.from(
      { length: 4 },
      (_, at) => [lamps[2 * at]!, lamps[2 * at + 1]!] as const,
    )
    // Of the last pairs only the first lamp names the other, which is saved without looking at it.
    const otherOf = (pair: number, side: number) =>
      pair > 1 && side === 1 ? null : pairs[pair]![1 - side]!
    for (const pair of pairs.keys())
      for (const side of [0, 1])
        await first.save('Lamp', {
          __KEY: pairs[pair]![side]!,
          isOn: false,
          other: otherOf(pair, side),
        })
    const act = fc.record({
      pair: fc.nat(3),
      side: fc.constantFrom(0, 1),
      by: fc.constantFrom(0, 0, 0, 1),
      isOn: fc.boolean(),
    })
    let refused = 0
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 30 }), async (acts) => {
        const since = await stampNow()
        const before = await lampsNow()
        const answers = await Promise.all(
          acts.map(async ({ pair, side, by, isOn }) => {
            const key = pairs[pair]![side]!
            const { save, ask } = [first, second][by]!
            const { count, __STAMP } = (await ask('GET', `Lamp(${key})`)).body
            // What it has read is unchanged, or the save is refused: no count is lost.
            const other = otherOf(pair, side)
            const noting = isOn ? { other } : {}
            const counted = await save('Lamp', { __KEY: key, __STAMP, count: count + 1, ...noting })
            const turned = await save('Lamp', { __KEY: key, isOn, other })
            return [counted.status, turned.status] as const
          }),
        )
        const counted = answers.filter(([status]) => status === 200).length
        expect(sumOf(await lampsNow()) - sumOf(before)).toBe(counted)
        for (const state of await statesSince(since, before)) {
          const { seen, count } = state
          expect(seen).toBe(count)
        }
        refused += answers.filter(([, status]) => status !== 200).length
        const both = await rows(
          'SELECT a."ID" FROM $schema."Lamp" a JOIN $schema."Lamp" b ON b."ID" = a.other AND a."ID" = b.other WHERE a."isOn" AND b."isOn"',
        )
        expect(both).toEqual([])
      }),
      runs(20, 8),
    )
    expect(refused).toBeGreaterThan(0)
  })

  test('are answered truly, wherever their connections break', async () => {
    const proxy = await cuttingProxy(database.connectionString!)
    const pool = pgPool({ connectionString: proxy.connectionString, max: 4, ...POOLING })
    const cut = await openProcess(pool, schema)
    const kept = lamps.slice(12)
    let round = 0
    let broken = 0
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('toServer' as const, 'toClient' as const),
          fc.nat(9000),
          fc.boolean(),
          async (direction, bytes, isLate) => {
            const text = `round ${round++}`
            await Promise.all(kept.map((__KEY) => cut.save('Lamp', { __KEY, count: -round })))
            proxy.cut([
              { direction, bytes, isLate },
              { direction, bytes: bytes >> 1, isLate },
            ])
            const answers = await Promise.all(
              kept.map((__KEY) => cut.save('Lamp', { __KEY, text })),
            )
            proxy.cut([])
            await rows(untilWritten(schema))
            const stored = await rows(
              'SELECT text FROM $schema."Lamp" WHERE "ID" = ANY ($1::integer[]) ORDER BY "ID"',
              kept,
            )
            for (const status of statuses(answers)) expect([200, 503]).toContain(status)
            broken += statuses(answers).filter((status) => status === 503).length
            expect(stored.map(([found]) => found === text)).toEqual(
              statuses(answers).map((status) => status === 200),
            )
          },
        ),
        {
          ...runs(30, 12),
          // Random places may all lie behind what is sent.
          examples: [0, 20, 40].flatMap((bytes) => [
            ['toServer' as const, bytes, false] as const,
            ['toClient' as const, bytes, false] as const,
          ]) as ['toServer' | 'toClient', number, boolean][],
        },
      )
    } finally {
      await cut.close()
      await proxy.close()
    }
    expect(proxy.count).toBeGreaterThan(5)
    if (broken > 0) console.log(`${broken} saves were answered with 503`)
  })
})
