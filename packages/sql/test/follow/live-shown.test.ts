import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { type Authorize, createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { get, send } from '../../../rest/test/http/send.ts'
import { follow } from '../../../rest/test/live/follow.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'
import { quick } from './quick.ts'

const Land = defineDataClass('Land', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
})
const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  phone: attribute.string(),
  land: attribute.relatedEntity('Land'),
  staff: attribute.relatedEntities('Person', 'firm'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  pay: attribute.long({ indexed: true }),
  firm: attribute.relatedEntity('Firm'),
  firmName: attribute.alias('firm.name'),
  isRich: attribute.computed('bool', {
    get: ({ pay }: { pay: number | null }) => (pay ?? 0) > 4,
  }),
})

/** Pseudo-random numbers below a bound. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2654435761
  return (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * sides)
  }
}

/** The members of an answer by key; the global stamp of pages inside them is left out. */
const byKey = (entities: unknown): Map<string, unknown> =>
  new Map(
    (entities as readonly Record<string, unknown>[]).map((entity) => [
      String(entity.__KEY),
      JSON.stringify(entity, (name, value) => (name === '__GlobalStamp' ? undefined : value)),
    ]),
  )

const OPEN_FIRMS: Authorize = ({ dataClass, action }) =>
  dataClass !== 'Firm' || action !== 'read' || 'phone != closed'

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
    const memory = createDataStore({ name: 'firms', dataClasses: [Land, Firm, Person] })
    memory.Land.load([1, 2].map((ID) => ({ ID, name: `L${ID}` })))
    memory.Firm.load([1, 2, 3].map((ID) => ({ ID, name: `F${ID}`, land: 1 + (ID % 2) })))
    memory.Person.load([1, 2, 3, 4, 5, 6].map((ID) => ({ ID, pay: ID, firm: 1 + (ID % 3) })))
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
    expect(initial).toEqual({ __PLAN: 'recompute', ...page, __COUNT: page.__SENT })
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
      // What the query does not show is no event, and one event may tell of several commits.
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
