import { attribute, createDataStore, defineDataClass } from '@entia/core'
import type { Authorize } from '../../src/index.ts'

// Entities that show values of related ones, and what a follower of them keeps.

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

/** A store of two lands, three firms and six persons. */
export function createFirms() {
  const store = createDataStore({ name: 'firms', dataClasses: [Land, Firm, Person] })
  store.Land.load([1, 2].map((ID) => ({ ID, name: `L${ID}` })))
  store.Firm.load([1, 2, 3].map((ID) => ({ ID, name: `F${ID}`, land: 1 + (ID % 2) })))
  store.Person.load([1, 2, 3, 4, 5, 6].map((ID) => ({ ID, pay: ID, firm: 1 + (ID % 3) })))
  return store
}

/** Pseudo-random numbers below a bound. */
export function dice(seed: number): (sides: number) => number {
  let state = seed * 2654435761
  return (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * sides)
  }
}

/** The members of an answer by key; the global stamp of pages inside them is left out. */
export const byKey = (entities: unknown): Map<string, unknown> =>
  new Map(
    (entities as readonly Record<string, unknown>[]).map((entity) => [
      String(entity.__KEY),
      JSON.stringify(entity, (name, value) => (name === '__GlobalStamp' ? undefined : value)),
    ]),
  )

export const OPEN_FIRMS: Authorize = ({ dataClass, action }) =>
  dataClass !== 'Firm' || action !== 'read' || 'phone != closed'
