import { EntiaError } from '@entia/core'
import { asyncOf } from '@entia/core/async'
import { expect, test } from 'vitest'
import { keyOf, stampOf } from '../../src/async/index.ts'
import { describeAsyncStore } from './async-suite.ts'
import { createLeague } from './league.ts'

describeAsyncStore('asyncOf', (store) => () => asyncOf(store))

test('asyncOf writes as the given session, until it ends', async () => {
  const { store } = createLeague()
  const session = store.sessions.open({ userAgent: 'tests' })
  const db = asyncOf(store, { session })
  expect(await db.Player.lock(1)).toEqual({ kind: 'held' })
  expect(store.locks.holder('Player', 1)?.userAgent).toBe('tests')
  expect((await db.Player.update(1, { goals: 3 })).kind).toBe('saved')
  store.sessions.close(session.token)
  expect(store.locks.size).toBe(0)
  expect((await db.Player.lock(1)).kind).toBe('held')
  expect(store.sessions.size).toBe(1)
})

test('keyOf and stampOf read copies with any attribute names', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  const door = (await db.Door.all().first())!
  expect([keyOf(door), stampOf(door)]).toEqual(['00000000000000000000000000000001', 1])
  const team = (await db.Team.all().first())!
  expect([keyOf(team), stampOf(team)]).toEqual(['a', 1])
  expect(team.badge?.mediaType).toBe('application/octet-stream')
})

test('errors that are not about the entity are thrown', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  expect(() => db.dataClass('Nope' as 'Team')).toThrow('"Nope"')
  await expect(db.Team.saveAll([{ code: 'n', title: 'N' }, null as never])).rejects.toThrow(
    TypeError,
  )
  store.close()
  await expect(db.Player.update(1, { goals: 1 })).rejects.toThrow(EntiaError)
  await expect(db.Player.remove(1)).rejects.toThrow(EntiaError)
})

test('values that do not fit the model are refused', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  // An object with its own key attribute names an entity, as in core.
  expect((await db.Player.update(1, { team: { code: 'a' } } as never)).kind).toBe('saved')
  const wrong = [{ nme: 1 }, { team: { title: 'x', city: 'y' } }]
  for (const patch of wrong)
    expect((await db.Player.update(1, patch as never)).kind).toBe('refused')
  expect((await db.Team.update('a', { players: [] } as never)).kind).toBe('refused')
  const days = [new Date('2020-01-01T10:00:00Z'), '2020-02-01T10:00:00Z']
  expect(await db.Player.query`joined in ${days}`.count()).toBe(
    store.Player.query('joined < "2020-03-01"').count,
  )
  await expect(db.Player.saveAll([{ name: 'x' }, { key: 1, name: 7 as never }])).resolves.toEqual([
    { kind: 'undone' },
    expect.objectContaining({ kind: 'refused' }),
  ])
})
