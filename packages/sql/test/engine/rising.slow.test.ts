import { expect, test } from 'vitest'
import { migrateDatabase, openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run } from '../database.ts'
import { bankOptions, openBank } from '../live/bank.ts'

const RISING = { globalStamp: 'rising' } as const

async function stampsOf(all: AsyncIterable<{ readonly globalStamp: number }>, count: number) {
  const stamps: number[] = []
  for await (const { globalStamp } of all) if (stamps.push(globalStamp) === count) break
  return stamps
}

describeDatabases('the mode rising', { connections: 'several', on: 'one' }, (database) => {
  test('an open transaction delays the stamp up to which readers see all, and no commit is skipped', async () => {
    const schema = database.newSchema()
    const pool = database.open()
    const { store, save } = await openBank(pool, schema, RISING)
    await save('Owner', { ID: 1 })
    const stamp = async () =>
      Number((await run(pool, `SELECT max(stamp) FROM "${schema}".entia_commit`)).rows[0]?.[0])
    const first = await stamp()
    const blocker = database.open()
    let isHeld = (): void => {}
    const held = new Promise<void>((resolve) => {
      isHeld = resolve
    })
    const iterator = store.changes({ since: first })[Symbol.asyncIterator]()
    const next = iterator.next()
    let isSeen = false
    void next.then(() => {
      isSeen = true
    })
    await blocker.connect(async ({ send }) => {
      // It has a number, so it may still commit something with a lower stamp.
      const statement = (text: string) => ({ name: text, text, values: [] })
      await send([statement('BEGIN'), statement('SELECT pg_current_xact_id()')])
      await save('Owner', { ID: 2 })
      expect(await stamp()).toBeGreaterThan(first)
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(isSeen).toBe(false)
      isHeld()
    })
    await held
    expect((await next).value?.changes).toMatchObject([{ key: 2 }])
    await iterator.return?.()
    await store.close()
  })

  test('concurrent commits have different stamps, and readers of changes get each commit once', async () => {
    const schema = database.newSchema()
    const banks = [
      await openBank(database.open(), schema, RISING),
      await openBank(database.open(), schema, RISING),
    ]
    const [reader] = banks as [(typeof banks)[0]]
    const taken = stampsOf(reader.store.changes({ since: 0 }), 40)
    await Promise.all(
      banks.map(async ({ save }, at) => {
        for (let i = 0; i < 20; i++) await save('Owner', { ID: 1 + 2 * i + at })
      }),
    )
    const stamps = await taken
    expect(new Set(stamps).size).toBe(40)
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b))
    for (const { store } of banks) await store.close()
  })

  test('a decision is repeated if another transaction changes its entities', async () => {
    const schema = database.newSchema()
    const banks = [
      await openBank(database.open(), schema, RISING),
      await openBank(database.open(), schema, RISING),
    ]
    await banks[0]?.save('Account', { balance: 0 })
    await Promise.all(
      banks.map(async ({ save }) => {
        for (let i = 0; i < 10; i++) await save('Account', { balance: i })
      }),
    )
    const { rows } = await run(
      database.open(),
      `SELECT count(*), count(DISTINCT "ID"), max("ID") FROM "${schema}"."Account"`,
    )
    expect(rows[0]).toEqual([21, 21, 21])
    for (const { store } of banks) await store.close()
  })

  test('automatic keys exceed all existing keys, in both modes', async () => {
    const schema = database.newSchema()
    const pool = database.open()
    const keys = async () =>
      (await run(pool, `SELECT "ID" FROM "${schema}"."Account" ORDER BY _rec`)).rows.map(([ID]) =>
        Number(ID),
      )
    const { save, store } = await openBank(pool, schema, RISING)
    await save('Account', {})
    await save('Account', { ID: 50 })
    await save('Account', {}, {}, {})
    await store.transact(async (tx) => {
      for (let i = 0; i < 6; i++) await tx.Account.insert({ balance: i })
    })
    await migrateDatabase(bankOptions(pool, schema))
    const { save: saveExact } = await openBank(pool, schema)
    await saveExact('Account', { ID: 90 }, {})
    await migrateDatabase(bankOptions(pool, schema, RISING))
    const { save: saveAgain } = await openBank(pool, schema, RISING)
    await saveAgain('Account', {})
    const found = await keys()
    expect(found).toHaveLength(14)
    expect(found).toEqual([...new Set(found)].sort((a, b) => a - b))
    expect(found.slice(0, 2)).toEqual([1, 50])
    expect(found.slice(-2)).toEqual([91, 92])
  })

  test('migrate switches between the modes, and the stamps continue', async () => {
    const schema = database.newSchema()
    const pool = database.open()
    const { save } = await openBank(pool, schema)
    for (let ID = 1; ID <= 3; ID++) await save('Owner', { ID })
    const modes = ['rising', 'exact', 'rising', 'rising', 'exact'] as const
    for (const [at, globalStamp] of modes.entries()) {
      const options = bankOptions(pool, schema, { globalStamp })
      if (modes[at - 1] !== globalStamp)
        await expect(openSqlStore(options)).rejects.toMatchObject({ code: 'databaseDiffers' })
      await migrateDatabase(options)
      await run(pool, 'SELECT pg_current_xact_id()')
      const bank = await openBank(pool, schema, { globalStamp })
      await bank.save('Owner', { ID: 10 + at })
    }
    const { rows } = await run(
      pool,
      `SELECT c.stamp FROM "${schema}".entia_commit c JOIN "${schema}".entia_change e ON e.commit_id = c.id ORDER BY e.key::int`,
    )
    const stamps = rows.map(([stamp]) => Number(stamp))
    expect(stamps.slice(0, 3)).toEqual([1, 2, 3])
    expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => a - b))
    expect(stamps).toHaveLength(3 + modes.length)
  })
})
