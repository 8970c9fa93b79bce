import { expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { createOddNames } from './sql-minded-model.ts'
import { TwoEngines } from './two-engines.ts'

const save = (body: object) => ({
  method: 'POST',
  url: '/rest/user?$method=update',
  body: JSON.stringify(body),
})
const read = (query: string) => ({ method: 'GET', url: `/rest/${query}` })

describeDatabases('what a store in memory takes and PostgreSQL does not', {}, (database) => {
  const engines = new TwoEngines(database, createOddNames)
  const untouched = new TwoEngines(database, createOddNames)
  const everything = read('user?$orderby=order')

  test.each([
    ['U+0000 in a text', { __KEY: 'plain', t0: 'a\0b' }],
    ['U+0000 in a new key', { order: 'a\0b' }],
    ['U+0000 in an object', { __KEY: 'plain', notes: { deep: [{ in: '\0' }] } }],
    ['U+0000 in the name of a property', { __KEY: 'plain', notes: { deep: { '\0': 1 } } }],
    ['2601 bytes in an index', { __KEY: 'plain', select: 'x'.repeat(2601) }],
    ['a million bytes in an index', { __KEY: 'plain', select: 'é'.repeat(500_000) }],
    ['2601 bytes in a key', { order: 'x'.repeat(2601) }],
    ['2601 bytes in a unique value', { __KEY: 'plain', unique: 'x'.repeat(2601) }],
  ])('%s is refused, and nothing is stored', async (_what, body) => {
    const [, before] = await engines.replies(everything)
    const [memory, sql] = await engines.replies(save(body))
    expect([memory.status, sql.status]).toEqual([200, 400])
    expect(JSON.parse(sql.text).__ERROR).toMatchObject([{ errCode: 9032 }])
    const [, after] = await engines.replies(everything)
    expect(after).toEqual(before)
  })

  test('an indexed text may have 2600 bytes, and a text without an index more', async () => {
    await untouched.expectSame(save({ __KEY: 'plain', select: 'x'.repeat(2600) }))
    await untouched.expectSame(save({ order: 'é'.repeat(1300), unique: 'z'.repeat(2600) }))
    const noise = Array.from({ length: 650 }, (_, n) => String(1000 + ((n * 7919) % 8999)))
    await untouched.expectSame(save({ __KEY: 'plain', select: noise.join('') }))
    await untouched.expectSame({
      method: 'POST',
      url: '/rest/pg_class',
      body: JSON.stringify({ relname: 'y'.repeat(1_000_000) }),
    })
    await untouched.expectSame(read('user?$orderby=order'))
  })

  test('a query with U+0000 finds the same entities as in memory', async () => {
    const nul = '%00'
    for (const url of [
      ...[`user(a${nul})`, `user:unique(${nul})`, `user?$filter=select=${nul}`, `${nul}`],
      ...[`user?$filter=notes.${nul}=1`, `user?$orderby=${nul}`, `user/$entityset/${nul}`],
      ...['=', '!=', '>', '<=', ' begin ', ' in '].map(
        (sign) => `user?$filter=${encodeURIComponent(`select${sign}:1`)}&$params=["a\\u0000"]`,
      ),
      ...['=', '!='].map((sign) => `user?$filter=notes.a"b${sign}:1&$params=["a\\u0000"]`),
    ])
      await untouched.expectSame(read(url))
    for (const body of [
      { __KEY: '\0', select: 'x' },
      { __KEY: '\ud800' },
      { __KEY: 'plain', table: '\0' },
    ])
      await untouched.expectSame(save(body))
    await untouched.expectSame({ method: 'POST', url: `/rest/user(${nul})?$method=delete` })
    await untouched.expectSame(read(`user(${nul})?$lock=true`))
  })
})
