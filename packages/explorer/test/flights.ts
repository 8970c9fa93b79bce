import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Airport = defineDataClass('Airport', {
  iata: attribute.string({ key: true }),
  name: attribute.string({ notNull: true }),
  departures: attribute.relatedEntities('Flight', 'origin'),
})
const Flight = defineDataClass('Flight', {
  ID: attribute.long({ key: true }),
  date: attribute.date(),
  delay: attribute.long(),
  distance: attribute.long({ indexed: true }),
  origin: attribute.relatedEntity('Airport'),
})

/** More flights than one request may read. */
export function createFlights() {
  const reading = { maxRowVisits: 50_000 }
  const store = createDataStore({ name: 'flights', dataClasses: [Airport, Flight], reading })
  store.Airport.load(
    Array.from({ length: 100 }, (_, at) => ({ iata: `A${at}`, name: `Name ${(at * 37) % 100}` })),
  )
  store.Flight.load(
    Array.from({ length: 60_000 }, (_, at) => ({
      ID: at + 1,
      date: new Date(Date.UTC(2001, 0, 1 + (at % 300))),
      delay: (at * 31) % 500,
      distance: (at * 17) % 3000,
      origin: `A${at % 100}`,
    })),
  )
  return store
}
