import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { get, send } from '../../../rest/test/http/send.ts'
import { byKey, createFirms, dice, OPEN_FIRMS } from '../../../rest/test/live/firms.ts'
import { follow } from '../../../rest/test/live/follow.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'
import { quick } from './quick.ts'

const STEPS = 3

describeDatabases('live queries', { on: 'one' }, ({ newSchema, open }) => {
  test.each([
    ['Person?$attributes=name,firm.name', undefined],
    ['Person?$attributes=name,firm.land.name&$filter="firm.land.name!=L3"', undefined],
    ['Person?$expand=firm', undefined],
    ['Person?$filter="isRich=true"', undefined],
    ['Person?$attributes=firmName&$orderby=firm.name%20desc,ID&$top=3', undefined],
    ['Firm?$attributes=name,staff.name', undefined],
    ['Firm(1)/staff?$attributes=name', undefined],
    ['Land?$attributes=name', undefined],
    ['Person?$attributes=name,firm.name', OPEN_FIRMS],
    ['Person?$filter="firm.name!=F9"', OPEN_FIRMS],
  ])('the events of %s show at any time what a new request shows', async (path, authorize) => {
    const memory = createFirms()
    const pool = open()
    const store = await openCopy(memory, pool, newSchema(), {}, quick)
    const rest = createRestHandler(store, {
      live: true,
      ...(authorize === undefined ? {} : { authorize }),
    })
    const writer = createRestHandler(store)
    const save = async (dataClass: string, entity: object): Promise<void> => {
      const { status } = await send(writer, 'POST', `/rest/${dataClass}?$method=update`, entity)
      expect(status).toBeLessThan(300)
    }
    const roll = dice(path.length)
    const url = `/rest/${path}`
    const live = await follow(rest, `${url}${path.includes('?') ? '&' : '?'}$live=true`)
    const initial = (await live.next())?.data
    const { __COUNT, ...page } = (await get(rest, url)).body
    // A live page counts its own entities.
    const shown = { __PLAN: 'recompute', ...page, __COUNT: page.__SENT }
    expect(initial ?? {}).toEqual(shown)
    const mirror = byKey(initial?.__ENTITIES)
    for (let step = 0; step < STEPS; step++) {
      for (let writes = roll(3); writes >= 0; writes--) {
        const [one, firm] = [2 + roll(5), 1 + roll(3)]
        const act = roll(7)
        const key = `/rest/Person(${one})`
        const has = (await get(writer, key)).status === 200
        if (act === 0) await save('Land', { __KEY: String(1 + roll(2)), name: `L${roll(4)}` })
        else if (act === 1)
          await save('Firm', { __KEY: String(firm), phone: roll(2) === 0 ? 'closed' : 'open' })
        else if (act === 2) await save('Firm', { __KEY: String(firm), land: 1 + roll(2) })
        else if (act === 3) await save('Firm', { __KEY: String(firm), name: `F${roll(5)}` })
        else if (act === 4 && has) await send(writer, 'DELETE', key)
        else if (has) await save('Person', { __KEY: String(one), firm, pay: roll(9) })
        else await save('Person', { ID: one, pay: one, firm })
      }
      await save('Land', { __KEY: '1', name: `end ${step}` })
      await save('Firm', { __KEY: '1', name: `end ${step}`, phone: 'open' })
      await save('Person', { __KEY: '1', name: `end ${step}`, pay: 50 + step, firm: 1 })
      const fresh = (await get(rest, url)).body
      // Changes that the query does not show cause no event, and one event may cover several
      // commits.
      const sorted = (all: ReadonlyMap<string, unknown>) => JSON.stringify([...all].sort())
      while (sorted(mirror) !== sorted(byKey(fresh.__ENTITIES))) {
        const event = await live.next()
        const { __ENTERED, __CHANGED, __LEFT } = event?.data ?? {}
        expect([step, event?.name]).toEqual([step, 'delta'])
        for (const key of __LEFT as readonly string[]) expect(mirror.delete(key)).toBe(true)
        for (const [key, entity] of byKey(__ENTERED)) {
          expect(mirror.has(key)).toBe(false)
          mirror.set(key, entity)
        }
        for (const [key, entity] of byKey(__CHANGED)) {
          expect(mirror.has(key)).toBe(true)
          mirror.set(key, entity)
        }
      }
    }
    await live.leave()
    await store.close()
    memory.close()
  })
})
