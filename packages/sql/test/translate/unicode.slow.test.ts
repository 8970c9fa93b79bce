import { foldText, textKey, textOfKey, wordsOf } from '@entia/core/internal'
import { expect, test } from 'vitest'
import { wordBreakPattern } from '../../src/schema/word-index.ts'
import { sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { likePattern, textAfter } from '../../src/translate/text-patterns.ts'
import { describeDatabases } from '../database.ts'

/** A text around a code point, and its key as a column has it. */
interface Sample {
  readonly point: number
  readonly text: string
  readonly key: string
}

/** A prime: the parts of the code points whose order is compared. */
const PARTS = 17
/** Code points of one statement. */
const BATCH = 1 << 14

/** Every code point that a text may hold, from a place on; U+0000 is refused. */
function samples(from: number): Sample[] {
  const found: Sample[] = []
  for (let point = Math.max(1, from); point < Math.min(from + BATCH, 0x110000); point++) {
    if (point >= 0xd800 && point < 0xe000) continue
    const character = String.fromCodePoint(point)
    // Also between blanks, where it is a word or leaves nothing.
    const text = `Ab${character}c ${character} d`
    found.push({ point, text, key: foldText(text) })
  }
  return found
}

/**
 * With `ENTIA_RUNS=2` all code points, in some minutes; else the first, and a share of the others.
 */
const isShare = Number(process.env.ENTIA_RUNS ?? 1) < 2
const BATCHES = Array.from({ length: Math.ceil(0x110000 / BATCH) }, (_, at) => at).filter(
  (at) => !isShare || at === 0 || at % 16 === 3,
)

const named = (points: readonly Sample[]): string[] =>
  points.map(({ point }) => `U+${point.toString(16)}`)

describeDatabases('for every code point the database', { on: 'one' }, ({ pool }) => {
  const ask = async (...[statement]: Parameters<typeof statementOf>) =>
    (await pool.query(statementOf(statement))).rows.map(([answer]) => answer)

  test('splits words as core does', { timeout: 600_000 }, async () => {
    const different: Sample[] = []
    for (const batch of BATCHES) {
      const all = samples(batch * BATCH)
      const found = await ask(sql`SELECT array_to_string(array_remove(string_to_array(
          regexp_replace(u.k COLLATE "C", ${wordBreakPattern()}, ' ', 'g'), ' '), ''), ' ')
        FROM unnest(${all.map(({ key }) => key)}::text[]) WITH ORDINALITY AS u(k, n) ORDER BY u.n`)
      different.push(
        ...all.filter(({ text }, at) => found[at] !== wordsOf(text).map(textOfKey).join(' ')),
      )
    }
    expect(named(different)).toEqual([])
  })

  test('finds beginnings and wildcards as core does', { timeout: 600_000 }, async () => {
    const different: Sample[] = []
    for (const batch of BATCHES) {
      const all = samples(batch * BATCH)
      const beginnings = all.map(({ point }) => foldText(`x${String.fromCodePoint(point)}`))
      const keys = all.map(({ point }) => foldText(`x${String.fromCodePoint(point)}y`))
      // The key of the next code point must not begin like this one.
      const others = all.map((_, at) => keys[at + 1] ?? 'x')
      const patterns = beginnings.map((part) =>
        likePattern({ parts: [textKey(part, 'exact')], anchoredStart: true, anchoredEnd: false }),
      )
      const found = await ask(sql`SELECT concat_ws(' ',
          u.k >= u.b AND u.k < u.e, u.o >= u.b AND u.o < u.e, u.k LIKE u.p, u.o LIKE u.p)
        FROM (SELECT k COLLATE "C" AS k, o COLLATE "C" AS o, b, e, p, n FROM unnest(${keys}::text[], ${others}::text[],
          ${beginnings}::text[], ${beginnings.map(textAfter)}::text[], ${patterns}::text[])
          WITH ORDINALITY AS v(k, o, b, e, p, n)) AS u ORDER BY u.n`)
      different.push(
        ...all.filter((_, at) => {
          const expected = [keys[at]!, others[at]!].map((key) => key.startsWith(beginnings[at]!))
          const words = expected.map((is) => (is ? 't' : 'f'))
          return found[at] !== [...words, ...words].join(' ')
        }),
      )
    }
    expect(named(different)).toEqual([])
  })

  test('orders keys as core does', { timeout: 600_000 }, async () => {
    // Each part has code points from everywhere, so that those far from each other are compared.
    const whole = BATCHES.flatMap((batch) => samples(batch * BATCH))
    for (let part = 0; part < PARTS; part++) {
      const all = whole.filter(({ point }) => point % PARTS === part)
      const keyed = all.map(({ key }, at) => ({ key: textKey(key, 'exact'), at }))
      const [found] = await ask(sql`SELECT array_agg(u.n - 1 ORDER BY u.k COLLATE "C", u.n)::text
        FROM unnest(${all.map(({ key }) => key)}::text[]) WITH ORDINALITY AS u(k, n)`)
      const expected = keyed
        .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.at - b.at))
        .map(({ at }) => at)
      expect(found === `{${expected.join(',')}}`, `part ${part}`).toBe(true)
    }
  })
})
