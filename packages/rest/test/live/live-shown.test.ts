import { attribute, createDataStore, defineDataClass, type Untyped } from '@entia/core'
import { expect, test } from 'vitest'
import { type Authorize, createRestHandler } from '../../src/index.ts'
import { get } from '../http/send.ts'
import { byKey, createFirms, dice, OPEN_FIRMS } from './firms.ts'
import { follow } from './follow.ts'

function serve(authorize?: Authorize) {
  const store = createFirms()
  const options = { live: true, ...(authorize === undefined ? {} : { authorize }) }
  return { store, rest: createRestHandler(store, options) }
}

test.each([
  ['Person?$attributes=name,firm.name', undefined],
  ['Person?$attributes=name,firm.name,firm.land.name', undefined],
  ['Person?$expand=firm', undefined],
  ['Person', undefined],
  ['Person?$attributes=firmName&$orderby=pay%20desc&$top=3', undefined],
  ['Firm?$attributes=name,staff.name', undefined],
  ['Firm?$expand=staff&$filter="name%20!=%20F4"', undefined],
  ['Land?$attributes=name', undefined],
  ['Person?$attributes=name,firm.name', OPEN_FIRMS],
  ['Person', OPEN_FIRMS],
])('the events of %s show at any time what a new request shows', async (path, authorize) => {
  for (const seed of [1, 2, 3]) {
    const { store, rest } = serve(authorize)
    const roll = dice(seed)
    const url = `/rest/${path}`
    const live = await follow(rest, `${url}${path.includes('?') ? '&' : '?'}$live=true`)
    const mirror = byKey((await live.next())?.data?.__ENTITIES)
    for (let step = 0; step < 25; step++) {
      for (let writes = roll(3); writes >= 0; writes--) {
        const [one, firm] = [1 + roll(6), 1 + roll(3)]
        const act = roll(7)
        if (act === 0) store.Land.update(1 + roll(2), { name: `L${roll(4)}` })
        else if (act === 1) store.Firm.update(firm, { phone: roll(2) === 0 ? 'closed' : 'open' })
        else if (act === 2) store.Firm.update(firm, { land: 1 + roll(2) })
        else if (act === 3) store.Firm.update(firm, { name: `F${roll(5)}` })
        else if (act === 4 && store.Person.has(one)) store.Person.remove(one)
        else if (!store.Person.has(one)) store.Person.insert({ ID: one, pay: one, firm })
        else store.Person.update(one, { firm, pay: roll(9) })
      }
      // Every query reports the last of these commits.
      store.transact(() => {
        store.Land.update(1, { name: `end ${step}` })
        store.Firm.update(1, { name: `end ${step}` })
        if (!store.Person.has(1)) store.Person.insert({ ID: 1 })
        store.Person.update(1, { name: `end ${step}`, pay: 50 + step, firm: 1 })
      })
      for (let stamp = 0; stamp < store.globalStamp; ) {
        const event = await live.next()
        const { __GlobalStamp, __ENTERED, __CHANGED, __LEFT } = event?.data ?? {}
        expect(event?.name).toBe('delta')
        stamp = Number(__GlobalStamp)
        for (const key of __LEFT as readonly string[]) mirror.delete(key)
        for (const each of [__ENTERED, __CHANGED])
          for (const [key, entity] of byKey(each)) mirror.set(key, entity)
      }
      const fresh = byKey((await get(rest, url)).body.__ENTITIES)
      const sorted = (all: ReadonlyMap<string, unknown>) => [...all].sort()
      expect([seed, step, sorted(mirror)]).toEqual([seed, step, sorted(fresh)])
    }
    await live.leave()
  }
})

test.each([
  ['Person', OPEN_FIRMS],
  ['Person?$attributes=firm', OPEN_FIRMS],
  ['Person?$orderby=pay&$top=4', OPEN_FIRMS],
  ['Person', undefined],
])('the events of %s report as changed what is shown otherwise', async (path, authorize) => {
  for (const seed of [1, 2, 3]) {
    const { store, rest } = serve(authorize)
    const roll = dice(seed)
    const live = await follow(rest, `/rest/${path}${path.includes('?') ? '&' : '?'}$live=true`)
    const mirror = byKey((await live.next())?.data?.__ENTITIES)
    for (let step = 0; step < 30; step++) {
      const [one, firm] = [2 + roll(5), 1 + roll(3)]
      const act = roll(4)
      if (act === 0) store.Firm.update(firm, { phone: roll(2) === 0 ? 'closed' : 'open' })
      else if (act === 1) store.Firm.update(firm, { name: `F${roll(5)}` })
      else if (act === 2) store.Firm.update(firm, { land: 1 + roll(2) })
      else store.Person.update(one, { firm, pay: 1 + roll(9) })
      // It is in every page and is reported.
      store.Person.update(1, { pay: -1 - step })
      const { __ENTERED, __CHANGED, __LEFT } = (await live.next())?.data ?? {}
      for (const [key, entity] of byKey(__CHANGED)) {
        expect([seed, step, key, entity]).not.toEqual([seed, step, key, mirror.get(key)])
        mirror.set(key, entity)
      }
      for (const key of __LEFT as readonly string[]) mirror.delete(key)
      for (const [key, entity] of byKey(__ENTERED)) mirror.set(key, entity)
    }
    await live.leave()
  }
})

test.each(['ID', 'key'])(
  'a reference by the hidden key %s is reported when its target is hidden',
  async (name) => {
    for (const more of ['key', 'other']) {
      if (more === name) continue
      const Team = defineDataClass('Team', {
        [name]: attribute.long({ key: true, exposed: false }),
        [more]: attribute.string(),
        state: attribute.string(),
      })
      const Player = defineDataClass('Player', {
        ID: attribute.long({ key: true }),
        team: attribute.relatedEntity('Team'),
      })
      const store: Untyped = createDataStore({ name: 'teams', dataClasses: [Team, Player] })
      store.Team.insert({ [name]: 1, state: 'open' })
      store.Player.insert({ ID: 1, team: 1 })
      const authorize: Authorize = ({ dataClass }) => dataClass !== 'Team' || 'state = open'
      const rest = createRestHandler(store, { live: true, authorize })
      const live = await follow(rest, '/rest/Player?$live=true')
      expect((await live.next())?.data?.__ENTITIES).toMatchObject([{ team: { __deferred: {} } }])
      store.Team.update(1, { state: 'closed' })
      expect((await live.next())?.data?.__CHANGED).toMatchObject([{ team: null }])
      await live.leave()
    }
  },
)
