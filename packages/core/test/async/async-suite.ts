import type { AsyncEntity, StoreError, Untyped } from '@entia/core'
import { where } from '@entia/core/query'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type AsyncLeague,
  type AsyncWay,
  createLeague,
  FORMLESS,
  type LeagueModel,
  type Way,
} from './league.ts'

/** The tests for every asynchronous store, local or remote. */
export function describeAsyncStore(name: string, way: Way | AsyncWay): void {
  /** `store` has the initial data; the users reach it, or a copy of it. */
  const openLeague = async () => {
    const { store, advance } = createLeague()
    const open = await way(store)
    return { store, advance, db: open(), other: open() }
  }

  describe(name, () => {
    test('reads copies, with the key of to-one relations and the bytes of media', async () => {
      const { db, other } = await openLeague()
      const player = (await db.Player.get(3))!
      expect(player).toEqual({
        key: 3,
        stamp: 1,
        timestamp: '2026-01-01T00:00:00.000Z',
        ID: 3,
        name: 'P2',
        goals: 2,
        isFit: true,
        joined: '2020-03-01T10:00:00.000Z',
        notes: { tags: [] },
        origin: 'here',
        team: { key: 'a' },
        mentor: null,
        door: null,
        label: 'P2!',
        shout: 'P2',
        teamTitle: 'Ants',
        teamFounded: '1980-01-15',
      })
      expectTypeOf(player.team).toEqualTypeOf<{ readonly key: string } | null>()
      await other.Player.update(3, { goals: 9 })
      expect(player.goals).toBe(2)
      const team = (await db.Team.get(player.team!.key))!
      expect([...(await team.badge!.bytes())]).toEqual([1, 2, 3])
      expect(await db.Team.get('none')).toBeUndefined()
    })

    test('a timestamp has the same form after a write and after a read', async () => {
      const { db, advance } = await openLeague()
      advance()
      const inserted = await db.Player.insert({ name: 'New' })
      expect(inserted.timestamp).toBe('2026-01-01T00:00:01.000Z')
      advance()
      const updated = await db.Player.update(inserted, { goals: 1 })
      const [saved] = await db.Player.saveAll([{ key: inserted.key, goals: 2 }])
      const timestamp = '2026-01-01T00:00:02.000Z'
      expect([updated, saved]).toMatchObject([{ entity: { timestamp } }, { entity: { timestamp } }])
      expect((await db.Player.get(inserted.key))?.timestamp).toBe(timestamp)
    })

    test('update, remove and saveAll return expected outcomes', async () => {
      const { db, other } = await openLeague()
      const mine = (await db.Player.get(2))!
      await other.Player.update(2, { goals: 5 })
      expect(await db.Player.update(mine, { goals: 6 })).toMatchObject({
        kind: 'stampChanged',
        current: { goals: 5, stamp: 2 },
      })
      expect(await db.Player.update(99, { goals: 1 })).toEqual({ kind: 'absent' })
      const refused = await db.Player.update(2, { goals: -1 })
      const message = 'The value of "goals" cannot be less than 0.'
      expect(refused).toMatchObject({
        kind: 'refused',
        message: `Entity# 2 of the "Player" dataclass fails validation: ${message}`,
        errors: expect.arrayContaining([expect.objectContaining({ errCode: 1568, message })]),
      })
      expect(await db.Player.remove(mine)).toMatchObject({ kind: 'refused' })
      expect(await db.Player.remove(2)).toEqual({ kind: 'removed' })
      expect(await db.Player.remove(2)).toEqual({ kind: 'absent' })
      expect(await db.Team.remove('a')).toMatchObject({ kind: 'refused' })
      const batch = await db.Player.saveAll([{ name: 'A' }, { key: 1, goals: -1 }, { key: 99 }])
      expect(batch.map(({ kind }) => kind)).toEqual(['undone', 'refused', 'absent'])
      const missing = await db.Player.saveAll([{ name: 'A' }, { name: 'B', team: 'zz' }])
      expect(missing.map(({ kind }) => kind)).toEqual(['undone', 'refused'])
      const stored = await db.Player.saveAll([{ name: 'A' }, { key: 1, goals: 7 }])
      expect(stored).toMatchObject([{ kind: 'saved', entity: { name: 'A' } }, { kind: 'saved' }])
      expect(await db.Player.all().count()).toBe(8)
    })

    test('a batch may change an entity twice; a conflict shows the entity as it is stored', async () => {
      const { db } = await openLeague()
      const read = (await db.Player.get(2))!
      const stale = await db.Player.saveAll([
        { ...read, goals: 7 },
        { ...read, goals: 8 },
      ])
      expect(stale).toMatchObject([
        { kind: 'undone' },
        { kind: 'stampChanged', current: { goals: read.goals, stamp: 1 } },
      ])
      expect(await db.Player.get(2)).toMatchObject({ goals: read.goals, stamp: 1 })
      const undone = await db.Player.saveAll([
        { ID: 500, name: 'A' },
        { key: 500, stamp: 5, goals: 8 },
      ])
      expect(undone).toEqual([{ kind: 'undone' }, { kind: 'absent' }])
      const both = await db.Player.saveAll([
        { ...read, goals: 7 },
        { key: 2, stamp: 2, goals: 8 },
      ])
      expect(both).toMatchObject([{ entity: { stamp: 2 } }, { entity: { goals: 8, stamp: 3 } }])
    })

    test('a copy with some changes can be saved', async () => {
      const { db } = await openLeague()
      const player = (await db.Player.get(3))!
      const teams = (await db.Team.get('a'))!
      expect(await db.Player.update(player, { ...player, goals: 4 })).toMatchObject({
        kind: 'saved',
        entity: { ...player, goals: 4, stamp: 2, timestamp: expect.any(String) },
      })
      expect(await db.Player.update(4, { team: teams, mentor: player })).toMatchObject({
        entity: { team: { key: 'a' }, mentor: { key: 3 } },
      })
      expect(await db.Player.update(4, { label: 'Set!' })).toMatchObject({
        entity: { name: 'Set' },
      })
      expect(await db.Player.update(4, { ...player, shout: 'X' } as never)).toMatchObject({
        kind: 'refused',
        errors: expect.arrayContaining([expect.objectContaining({ errCode: 1516 })]),
      })
      const [same] = await db.Player.saveAll([{ key: 6, notes: { tags: ['t5'] }, team: 'b/"' }])
      expect(same).toMatchObject({ kind: 'saved', entity: { stamp: 1 } })
      for (const tags of [[], ['t6'], ['t5', 't6']])
        expect(await db.Player.update(6, { notes: { tags } })).toMatchObject({
          entity: { notes: { tags } },
        })
      expect(await db.Player.update(6, { notes: null })).toMatchObject({ entity: { notes: null } })
      const badge = await db.Team.update('a', { ...teams, title: 'Aunts' })
      expect(badge).toMatchObject({ kind: 'saved', entity: { title: 'Aunts' } })
      if (badge.kind === 'saved') expect(await badge.entity.badge?.bytes()).toHaveLength(3)
    })

    test('a computed value that is unchanged is ignored, as text and as a Date', async () => {
      const { db } = await openLeague()
      const key = '00000000000000000000000000000001'
      for (const checked of ['1970-01-01T00:00:00.000Z', new Date(0)])
        expect(await db.Door.update(key, { checked } as never)).toMatchObject({ kind: 'saved' })
      for (const checked of [1, new Date(1), '1970-01-02', 'soon'])
        expect(await db.Door.update(key, { checked } as never)).toMatchObject({ kind: 'refused' })
      for (const teamFounded of ['1980-01-15', new Date('1980-01-15')])
        expect(await db.Player.update(3, { teamFounded } as never)).toMatchObject({ kind: 'saved' })
      expect(await db.Player.update(3, { label: 7 } as never)).toMatchObject({
        kind: 'refused',
        errors: expect.arrayContaining([
          expect.objectContaining({
            message:
              'The "label" attribute of the "Player" dataclass takes text, not the number 7.',
          }),
        ]),
      })
    })

    test('images and BLOBs are written as bytes', async () => {
      const { db, other } = await openLeague()
      const bytes = Uint8Array.of(9, 8, 7)
      const inserted = await db.Team.insert({ code: 'n', title: 'New', badge: bytes })
      expect(await inserted.badge?.bytes()).toEqual(bytes)
      bytes[0] = 0
      expect((await (await other.Team.get('n'))?.badge?.bytes())?.[0]).toBe(9)
      const badge = { mediaType: 'application/octet-stream', bytes }
      const [saved] = await db.Team.saveAll([{ key: 'a', badge }])
      expect(saved?.kind === 'saved' && (await saved.entity.badge?.bytes())).toEqual(bytes)
      await db.Team.update('n', { badge: null })
      expect((await db.Team.get('n'))?.badge).toBeNull()
    })

    test('attributes called like marks do not hide the entity', async () => {
      const { db, other } = await openLeague()
      const door = (await db.Door.query`key = ${7}`.first())!
      expect([door.key, door.stamp, door.player]).toEqual([7, 9, { key: 1 }])
      expectTypeOf(door.key).toEqualTypeOf<number | null>()
      expect((await db.Door.update(door, { key: 8 })).kind).toBe('saved')
      expect((await db.Door.update({ ...door }, { key: 9 })).kind).toBe('stampChanged')
      const ID = '00000000000000000000000000000001'
      expect((await db.Door.saveAll([{ __KEY: ID, __STAMP: 2, stamp: 3 }]))[0]?.kind).toBe('saved')
      expect(await other.Door.get(ID)).toMatchObject({ key: 8, stamp: 3 })
      const current = (await db.Door.get(ID))!
      expect((await db.Door.saveAll([{ ...current, key: 5 }]))[0]?.kind).toBe('saved')
      await db.Player.saveAll([
        { key: 2, door: current },
        { key: 3, door: { key: ID } },
      ])
      await db.Player.update(4, { door: ID })
      const doors = db.Player.query`ID in ${[2, 3, 4]}`.select('door')
      expect(await doors.toArray()).toEqual(Array(3).fill({ door: { key: ID } }))
      const copy = JSON.parse(JSON.stringify(door))
      await expect(db.Door.remove(copy)).rejects.toThrow('Pass the entity as it was read')
    })

    test('locks belong to the user', async () => {
      const { db, other } = await openLeague()
      expect(await db.Player.lock(99)).toEqual({ kind: 'absent' })
      expect(await db.Player.lock(1)).toEqual({ kind: 'held' })
      expect(await db.Player.lock((await db.Player.get(1))!)).toEqual({ kind: 'held' })
      const holder = expect.objectContaining({ userAgent: expect.any(String) })
      expect(await other.Player.lock(1)).toEqual({ kind: 'alreadyLocked', holder })
      expect(await other.Player.unlock(1)).toBe(false)
      expect(await other.Player.update(1, { goals: 1 })).toEqual({ kind: 'locked', holder })
      expect(await other.Player.remove(1)).toEqual({ kind: 'locked', holder })
      expect(await other.Player.lock(2)).toEqual({ kind: 'held' })
      expect(await other.Player.lock(1)).toEqual({ kind: 'alreadyLocked', holder })
      expect((await db.Player.update(1, { goals: 1 })).kind).toBe('saved')
      expect(await db.Player.unlock(1)).toBe(true)
      expect((await other.Player.remove(1)).kind).toBe('removed')
      expect(await db.Player.unlock(1)).toBe(false)
    })

    test('takes conditions that the compiler checks, beside templates', async () => {
      const { db } = await openLeague()
      const e = where(db.Player)
      const fit = db.Player.query(e('isFit', '=', true).and(e('team.code', '=', 'a')))
      const same = db.Player.query`isFit = ${true} and team.code = ${'a'}`
      expect(await fit.toArray()).toEqual(await same.toArray())
      expect(await fit.query`ID > ${1}`.query(e('goals', 'in', [1, 2])).count()).toBe(
        await same.query`ID > ${1} and goals in ${[1, 2]}`.count(),
      )
      // @ts-expect-error: no such attribute
      expect(() => db.Player.query(e('gaols', '=', 1))).not.toThrow()
      const other = where(db.Team)('code', '=', 'a')
      // @ts-expect-error: a condition on another dataclass
      expect(() => db.Player.query(other)).toThrow('a condition on Player')
    })

    test('filters, orders, pages and projections', async () => {
      const { db, other } = await openLeague()
      const fit = db.Player.query`isFit = ${true} and ID > ${1}`
      const page = await fit.query`team.code = ${'a'}`.orderBy('goals desc').page(1, 1)
      expect(page).toMatchObject({ count: 2, skip: 1, entities: [{ ID: 7 }] })
      expectTypeOf(page.entities).toEqualTypeOf<readonly AsyncEntity<LeagueModel, 'Player'>[]>()
      await other.Player.update(2, { mentor: 1 })
      const rows = db.Player.query`ID <= ${2}`.select('name, team.title, mentor, mentor.name')
      expect(await db.Player.query`ID = ${2}`.select('team.title, mentor').toArray()).toEqual([
        { team: { title: 'Bees' }, mentor: { key: 1 } },
      ])
      expect((await rows.page(0, 1)).entities).toMatchObject([{ name: 'P0', team: null }])
      expect(await db.Team.query`code = ${'a'}`.select('title, players.name').toArray()).toEqual([
        { title: 'Ants', players: [{ name: 'P2' }, { name: 'P1' }] },
      ])
      expect(await db.Team.all().select('players').toArray()).toEqual([{}, {}])
      // The types know the name of the key alone.
      const { Player, Team }: Untyped = db
      const second = Player.query`ID = ${2}`
      expect(await second.select('name, __KEY, mentor.__KEY').toArray()).toEqual([
        { name: 'P1', __KEY: 2, mentor: { __KEY: 1 } },
      ])
      expect(await second.select('ID, __KEY, mentor.ID, mentor.__KEY').toArray()).toEqual([
        { ID: 2, __KEY: 2, mentor: { ID: 1, __KEY: 1 } },
      ])
      expect(await second.select('*, __KEY').toArray()).toMatchObject([{ ID: 2, __KEY: 2 }])
      expect(await Team.query`code = ${'a'}`.select('players.__KEY').toArray()).toEqual([
        { players: [{ __KEY: 3 }, { __KEY: 7 }] },
      ])
      await other.Player.saveAll(Array.from({ length: 100 }, () => ({ name: 'x', team: 'a' })))
      const [team] = await db.Team.all().select('players.name').toArray()
      expect(team?.players).toHaveLength(100)
      const abort = AbortSignal.abort(new Error('enough'))
      await expect(fit.page(0, 1, abort)).rejects.toThrow('enough')
      await expect(fit.toArray({ signal: abort })).rejects.toThrow('enough')
      await expect(fit.iterate({ signal: abort }).next()).rejects.toThrow('enough')
    })

    test('iteration repeats and skips nothing during concurrent changes', async () => {
      const { db, other } = await openLeague()
      const seen: number[] = []
      for await (const { ID } of db.Player.all().orderBy('ID desc').iterate({ pageSize: 2 })) {
        if (seen.push(ID) === 1) await other.Player.remove(5)
        if (ID === 7) await other.Player.insert({ name: 'late' })
      }
      expect(seen).toEqual([8, 7, 6, 4, 3, 2, 1])
    })

    test('aggregates equal those of the store', async () => {
      const { store, db } = await openLeague()
      const few = db.Player.query`ID <= ${3}`
      const local = store.Player.query('ID <= 3')
      expect(await few.sum('goals')).toBe(local.sum('goals'))
      expect(await few.average('goals')).toBe(local.average('goals'))
      expect(await few.min('teamFounded')).toBe('1980-01-15')
      expect(await few.max('joined')).toBe(local.max('joined'))
      expect(await db.Team.all().distinct('founded')).toEqual(['1980-01-15'])
      const none = db.Player.query`ID > ${99}`
      expect(await none.sum('goals')).toBe(0)
      expect(await none.average('goals')).toBeNull()
      expect(await none.max('name')).toBeNull()
      expect(await none.distinct('notes.tags')).toEqual([])
      // @ts-expect-error: not a number
      void (() => few.sum('name'))
      // @ts-expect-error: a path along a relation
      await expect(few.min('team.title')).rejects.toMatchObject({ errCode: 1508 })
      for (const read of ['sum', 'average', 'max', 'distinct'] as const)
        await expect(few[read]('team.title' as never)).rejects.toMatchObject({ errCode: 1508 })
      // JSON has no infinity.
      const overflow = async (...sizes: readonly number[]) => {
        for (const [at, size] of sizes.entries())
          await db.Player.update(at + 1, { notes: { size } as never })
        const path = 'notes.size' as never
        return [await few.sum(path), await few.average(path)]
      }
      const infinite = Number.POSITIVE_INFINITY
      expect(await overflow(1e308, 1e308, 0)).toEqual([infinite, infinite])
      expect(await overflow(-1e308, -1e308, 0)).toEqual([-infinite, -infinite])
      expect(await overflow(1e308, 1e308, -1e308)).toEqual([1e308, 1e308 / 3])
    })

    test('groups equal those of the store', async () => {
      const { store, db } = await openLeague()
      const aggregates = { count: true, goals: ['sum', 'average'], joined: 'max' } as const
      const here = store.Player.query('ID <= 7').groupBy('team.title, teamFounded.year', aggregates)
      const there = db.Player.query`ID <= ${7}`.groupBy('team.title, teamFounded.year', aggregates)
      expect(await there.toArray()).toEqual(here.toArray())
      expectTypeOf(await there.toArray()).toEqualTypeOf([...here.toArray()])
      expect([await there.count(), await there.first()]).toEqual([here.count, here.first()])
      const large = there.having`count > ${1}`.having`count < ${9}`.orderBy('goals.sum desc')
      const expected = here.having('count > 1').orderBy('goals.sum desc').toArray()
      expect(await large.page(1, 1)).toEqual({ count: 3, skip: 1, groups: [expected[1]] })
      const seen: unknown[] = []
      for await (const group of large) seen.push(group)
      expect(seen).toEqual(expected)
      const abort = AbortSignal.abort(new Error('enough'))
      await expect(there.page(0, 1, abort)).rejects.toThrow('enough')
      await expect(there.toArray({ signal: abort })).rejects.toThrow('enough')
      await expect(there.orderBy('salary').first()).rejects.toThrow('salary')
      // @ts-expect-error: no such attribute
      await expect(db.Player.all().groupBy('gaols').first()).rejects.toThrow('gaols')
      // @ts-expect-error: texts have no sum
      await expect(db.Player.all().groupBy('ID', { name: 'sum' }).first()).rejects.toThrow('sum')
    })

    test('functions take and return copies', async () => {
      const { store, db } = await openLeague()
      const best = await db.Player.call('best', 2)
      expect(best.dataClass).toBe('Player')
      expect((await best.toArray()).map(({ ID }) => ID)).toEqual([8, 6])
      const fit = db.Player.query`isFit = ${true}`
      const summary = await fit.orderBy('ID desc').call('summary', 'fit')
      const all = { count: 4, skip: 0, entities: await fit.orderBy('ID desc').toArray() }
      const when = '1970-01-01T00:00:00.000Z'
      const goals = store.Player.query('isFit = true').sum('goals')
      expect(summary).toEqual({ label: 'fit', goals, when, first: await db.Player.get(7), all })
      expectTypeOf(summary.when).toEqualTypeOf<string>()
      expectTypeOf(summary.all.entities[0]!.name).toEqualTypeOf<string>()
      expect(await db.Player.call('shared', fit, best)).toBe(0)
      expect(await db.Player.callOn(3, 'scored', 2)).toBe(4)
      expect(await db.Player.callOn((await db.Player.get(3))!, 'teamOf')).toMatchObject({
        key: 'a',
      })
      const player = (await db.Player.get(3))!
      const renamed = await db.Player.call('rename', db.Player.asArgument(player, { name: 'Zoe' }))
      expect(renamed).toMatchObject({ key: 3, name: 'Zoe', stamp: 2 })
      await expect(db.Player.call('rename', db.Player.asArgument(player))).rejects.toThrow(
        'stamp 1',
      )
      await expect(db.Player.call('rename', db.Player.asArgument(99))).rejects.toThrow('99')
      await expect(db.Player.callOn(99, 'scored', 1)).rejects.toThrow('99')
      expect([await db.call('ping'), await db.call('nothing')]).toEqual(['pong', null])
      expect(await db.singleton('Units').call('double', 4)).toBe(8)
      expect(await db.call('sparse')).toEqual([0, null, {}])
      for (const at of FORMLESS.keys()) await expect(db.call('formless', at)).rejects.toThrow()
      // @ts-expect-error: no such function
      await expect(db.call('pong')).rejects.toThrow('pong')
      // @ts-expect-error: works on an entity
      await expect(db.Player.call('scored', 1)).rejects.toThrow('scored')
    })

    test('unsaved values of an argument are neither saved nor checked', async () => {
      const { store, db } = await openLeague()
      const player = (await db.Player.get(3))!
      const sent = (values: object) => db.Player.asArgument(player, values)
      const values = { goals: -7, label: 'Zoe!', mentor: 4 }
      expect(await db.Player.call('goalsOf', sent(values))).toEqual([-7, 'Zoe!', 4])
      expect(store.Player.get(3)).toMatchObject({ stamp: 1, goals: player.goals })
      const saved = await db.Player.call('save', sent({ ...values, goals: 7 }))
      expect(saved).toMatchObject({ stamp: 2, goals: 7, name: 'Zoe', mentor: { key: 4 } })
      const stale = db.Player.call('save', sent({ goals: 8 }))
      await expect(stale).rejects.toThrow('stamp 1')
      for (const wrong of [{ mentor: 99 }, { goals: 'x' }, { shout: 'X' }, { gaols: 1 }])
        await expect(
          db.Player.call('goalsOf', db.Player.asArgument(3, wrong as object)),
        ).rejects.toThrow(Object.keys(wrong)[0])
    })

    test('a function may change its arguments, which are copies in each of its runs', async () => {
      const { store, db } = await openLeague()
      const [keys, by] = [[1, 2, 3, 4], { each: 2 }]
      const goals = store.Player.query('ID <= 4').sum('goals')
      expect(await db.Player.call('totalOf', keys, by)).toBe(goals * 2)
      expect([keys, by]).toEqual([[1, 2, 3, 4], { each: 2 }])
    })

    test('a function has no session, and no locks, after an await', async () => {
      const { db } = await openLeague()
      await db.Player.lock(3)
      await expect(db.Player.call('renameLater', 3)).rejects.toThrow('is locked')
      await db.Player.unlock(3)
      expect(await db.Player.call('renameLater', 3)).toBe('Late')
    })

    test('entity sets keep members and order', async () => {
      const { db, other } = await openLeague()
      await using low = await db.Player.query`ID <= ${4}`.orderBy('ID desc').entitySet()
      const even = await db.Player.query`ID in ${[2, 4, 6]}`.entitySet({ lifetimeSeconds: 60 })
      const ids = async (set: AsyncIterable<{ readonly ID: number }>) => {
        const found: number[] = []
        for await (const { ID } of set) found.push(ID)
        return found
      }
      expect(await ids(await low.and(even))).toEqual([4, 2])
      expect(await ids(await low.or(even))).toEqual([4, 3, 2, 1, 6])
      expect(await ids(await low.except(even))).toEqual([3, 1])
      expect(await low.intersects(even)).toBe(true)
      await other.Player.remove(2)
      expect([await low.count(), await ids(low)]).toEqual([4, [4, 3, 1]])
      expect(await (await low.clean()).count()).toBe(3)
      await even.remove()
      expect(await other.Player.get(4)).toBeUndefined()
      expect([await even.release(), await even.release()]).toEqual([true, false])
      await expect(even.count()).rejects.toMatchObject({ errCode: 1802 })
      for (const all of [
        db.Player.all(),
        db.Player.query`order by ID`,
        db.Player.query` Order  BY ID`,
      ])
        await expect(all.remove()).rejects.toThrow('would delete every entity')
      await db.Player.query`ID = ${1}`.remove()
      expect(await other.Player.get(1)).toBeUndefined()
    })

    test.each<readonly [string, number, (db: AsyncLeague) => Promise<unknown>]>([
      ['salry > 1\n  ^', 1201, (db) => db.Player.query(text('salry > 1')).count()],
      ['goals >> 1\n        ^', 1112, (db) => db.Player.query(text('goals >> 1')).first()],
      ['goals > :1\n          ^', 1201, (db) => db.Player.query`goals > ${'x'}`.count()],
      [
        'name foo\n       ^',
        1810,
        (db) =>
          db.Player.all()
            .orderBy('name foo' as 'name')
            .count(),
      ],
      [
        '"nme" attribute',
        1500,
        (db) =>
          db.Player.all()
            .orderBy('nme' as 'name')
            .toArray(),
      ],
      [
        '"nme" attribute',
        1500,
        (db) =>
          db.Player.all()
            .select('nme' as 'name')
            .toArray(),
      ],
      [
        '"ttl" attribute',
        1500,
        (db) =>
          db.Player.all()
            .select('team.ttl' as 'name')
            .first(),
      ],
      [
        '"nme" attribute',
        1500,
        (db) =>
          db.Player.all()
            .select('nme' as 'name')
            .count(),
      ],
      [
        '"nme" attribute',
        1500,
        (db) =>
          db.Player.all()
            .select('nme' as 'name')
            .entitySet(),
      ],
      ['"goals" cannot be less', 1570, (db) => db.Player.insert({ name: 'x', goals: -1 })],
      ['key "b/"', 1545, (db) => db.Team.insert({ code: 'b/"', title: 'Cs' })],
    ])('an error has its place and number: %s', async (place, errCode, run) => {
      const { db } = await openLeague()
      const error = await run(db).catch((error: StoreError) => error as StoreError)
      expect(error).toMatchObject({ errCode, message: expect.stringContaining(place) })
      const { errors, message } = error as StoreError
      expect(errors).toContainEqual(expect.objectContaining({ errCode, message }))
    })

    test('dataClass() takes a name that is known only at run time', async () => {
      const { db } = await openLeague()
      const name: 'Team' | 'Player' = 'Team'
      expect(await db.dataClass(name).all().count()).toBe(2)
      expect(db.dataClass('Player').name).toBe('Player')
    })
  })
}

/** A filter without values. */
const text = (filter: string): TemplateStringsArray => Object.assign([filter], { raw: [filter] })
