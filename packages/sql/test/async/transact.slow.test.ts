import type { LocalAsyncStore } from '@entia/core'
import { beforeEach, expect, test } from 'vitest'
import { createLeague, type LeagueModel } from '../../../core/test/async/league.ts'
import { describeDatabases, run } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

type Store = Omit<LocalAsyncStore<LeagueModel>, 'changes'> & { readonly id: string }

describeDatabases('Transactions of a store over a database', { on: 'one' }, (database) => {
  /** Tests in which another client writes while the transaction holds a connection. */
  const withTwo = test.skipIf(database.connectionString === null)
  let db: Store
  let commits: () => Promise<number>
  beforeEach(async () => {
    const schema = database.newSchema()
    const options = { transactions: { maxLoadRows: 10 } }
    db = (await openCopy(createLeague().store, database.open(), schema, options)) as never
    const count = `SELECT count(*)::integer FROM "${schema}".entia_commit`
    commits = async () => Number((await run(database.pool, count)).rows[0]![0])
  })

  test('reads see the writes before them, and all writes are one commit', async () => {
    const result = await db.transact(async (tx) => {
      await tx.Player.insert({ name: 'New', team: 'c' })
      await tx.Team.insert({ code: 'c', title: 'Cats' })
      const [named] = await tx.Player.query`team.title = ${'Cats'}`.toArray()
      await tx.Player.update(1, { goals: 5 })
      await tx.Player.remove(8)
      expect(await tx.Player.get(8)).toBeUndefined()
      return [named?.name, await tx.Player.all().count(), (await tx.Player.get(1))?.goals]
    })
    expect(result).toEqual(['New', 8, 5])
    expect(await db.Player.query`team.title = ${'Cats'}`.count()).toBe(1)
    expect(await db.Player.all().count()).toBe(8)
    expect((await db.Player.get(1))?.stamp).toBe(2)
  })

  test('a body that rejects stores nothing, and is run once', async () => {
    let runs = 0
    const failed = db.transact(async (tx) => {
      runs++
      await tx.Player.remove(1)
      await tx.Team.get('a')
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect([runs, await db.Player.all().count()]).toEqual([1, 8])
  })

  test('a refused write leaves the transaction as it was', async () => {
    await db.transact(async (tx) => {
      await tx.Player.update(2, { goals: 4 })
      const batch = await tx.Player.saveAll([
        { key: 3, goals: 7 },
        { key: 4, goals: -1 },
      ])
      expect(batch.map(({ kind }) => kind)).toEqual(['undone', 'refused'])
      expect((await tx.Player.get(3))?.goals).toBe(2)
      expect((await tx.Player.update(4, { goals: 6 })).kind).toBe('saved')
    })
    const goals = await db.Player.query`ID in ${[2, 3, 4]}`.orderBy('ID').toArray()
    expect(goals.map((each) => each.goals)).toEqual([4, 2, 6])
  })

  test('references are checked at the end', async () => {
    const failed = db.transact(async (tx) => {
      await tx.Player.insert({ name: 'New', team: 'zz' })
    })
    await expect(failed).rejects.toMatchObject({ code: 'relationTargetMissing' })
    expect(await db.Player.all().count()).toBe(8)
  })

  withTwo('a conflict is retried only on request', async () => {
    const add = (retries: number) => {
      let runs = 0
      return db.transact(
        async (tx) => {
          runs++
          const count = await tx.Player.query`goals > ${0}`.count()
          if (runs === 1) await db.Player.insert({ name: 'Other', goals: 1 })
          await tx.Player.insert({ name: `N${count}`, goals: 1 })
          return runs
        },
        { retries },
      )
    }
    await expect(add(0)).rejects.toMatchObject({ code: 'transactionConflict' })
    expect(await add(1)).toBe(2)
  })

  withTwo('a related entity that another transaction removes is a conflict', async () => {
    let runs = 0
    const hire = (retries: number) =>
      db.transact(
        async (tx) => {
          const [team] = await tx.Team.query`code > ${'x'}`.orderBy('code').toArray()
          await tx.Player.insert({ name: 'New', team: team?.code ?? 'a' })
          if (team !== undefined) await db.Team.remove(team.code)
          runs++
        },
        { retries },
      )
    for (const code of ['y', 'z']) await db.Team.insert({ code, title: code })
    await expect(hire(0)).rejects.toMatchObject({ code: 'transactionConflict' })
    await hire(1)
    expect(runs).toBe(3)
    expect((await db.Player.query`name = ${'New'}`.toArray()).map(({ team }) => team?.key)).toEqual(
      ['a'],
    )
  })

  test('transactions are not nested, and tx ends with the body', async () => {
    const nested = db.transact(async () => db.transact(async () => 1))
    await expect(nested).rejects.toMatchObject({ code: 'notInTransaction' })
    const tx = await db.transact(async (tx) => ({ tx }))
    await expect(tx.tx.Player.get(1)).rejects.toMatchObject({ code: 'notInTransaction' })
    const locked = db.transact(async (tx) => tx.Player.lock(1))
    await expect(locked).rejects.toMatchObject({ code: 'notOnThisEngine' })
  })

  test('load inserts all rows or none', async () => {
    expect(await db.load('Player', [{ name: 'A' }, { name: 'B', team: 'a' }])).toMatchObject({
      count: 2,
    })
    async function* rows() {
      yield { name: 'C' }
      yield { name: 'too long for a name' }
    }
    await expect(db.load('Player', rows())).rejects.toThrow('name')
    expect(await db.Player.query`name in ${['A', 'B', 'C']}`.count()).toBe(2)
  })

  test('load with a commit size keeps the earlier commits after a refusal', async () => {
    const before = await commits()
    const names = ['F', 'G', 'H', 'I', 'J'].map((name) => ({ name }))
    expect(await db.load('Player', names, { rowsPerCommit: 2 })).toEqual({ count: 5 })
    expect(await commits()).toBe(before + 3)
    const rows = ['K', 'L', 'M', 'too long for a name', 'N'].map((name) => ({ name }))
    await expect(db.load('Player', rows, { rowsPerCommit: 2 })).rejects.toMatchObject({
      code: 'loadRefused',
      details: { rowNumber: 4, stored: 2 },
    })
    expect(await db.Player.query`name in ${['K', 'L', 'M', 'N']}`.count()).toBe(2)
  })

  test('load refuses more rows in one commit than the option allows, before it reads on', async () => {
    let read = 0
    async function* rows() {
      for (;;) {
        read++
        yield { name: 'X' }
      }
    }
    await expect(db.load('Player', rows())).rejects.toMatchObject({
      code: 'budgetExceeded',
      message: expect.stringMatching(
        /rowsPerCommit.*above 10 \(option "transactions.maxLoadRows"\)/,
      ),
    })
    expect(read).toBe(11)
    expect(await db.Player.query`name = ${'X'}`.count()).toBe(0)
  })
})
