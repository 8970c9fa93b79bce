import { readFileSync } from 'node:fs'
import type { AnyDataStore } from '@entia/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { createFlights } from '../flights.mjs'
import { dataFile } from '../read-data.mjs'

interface RawFlight {
  readonly date: string
  readonly delay: number
  readonly distance: number
  readonly origin: string
  readonly destination: string
}

describe('the flights store', () => {
  const raw: readonly RawFlight[] = JSON.parse(readFileSync(dataFile('flights-20k.json'), 'utf8'))
  const reported: string[] = []
  let store: ReturnType<typeof createFlights>
  beforeAll(() => {
    store = createFlights({ progress: (text) => reported.push(text) })
  })

  test('holds every airport and every flight, and verifies', () => {
    expect(store.Airport.count).toBe(3376)
    expect(store.Flight.count).toBe(20_000)
    expect(() => store.verify()).not.toThrow()
  })

  test('every origin and every destination is an airport', () => {
    const missing = raw
      .flatMap((flight) => [flight.origin, flight.destination])
      .filter((code) => !store.Airport.has(code))
    expect(missing).toEqual([])
    expect(store.Flight.query('origin.iata = null or destination.iata = null').count).toBe(0)
  })

  test('a flight equals its row, with a UTC date and the row number as ID', () => {
    for (const index of [0, 1, 7, 9_999, 19_999]) {
      const row = raw[index] as RawFlight
      expect({ ...store.Flight.get(index + 1) }).toEqual({
        ID: index + 1,
        date: `${row.date.replaceAll('/', '-').replace(' ', 'T')}:00.000Z`,
        delay: row.delay,
        distance: row.distance,
        originCode: row.origin,
        destinationCode: row.destination,
      })
    }
  })

  test('relations work in both directions', () => {
    const ohare = store.Airport.get('ORD')
    expect(ohare).toMatchObject({
      name: "Chicago O'Hare International",
      city: 'Chicago',
      state: 'IL',
    })
    expect(ohare?.departures.count).toBe(raw.filter((flight) => flight.origin === 'ORD').length)
    expect(ohare?.arrivals.count).toBe(raw.filter((flight) => flight.destination === 'ORD').length)
    expect(store.Flight.get(1)?.origin?.iata).toBe(raw[0]?.origin)
  })

  test('a relation query finds the same flights as a scan of the file', () => {
    const chicago = new Set(
      store.Airport.query("city = 'Chicago'")
        .toArray()
        .map((airport) => airport.iata),
    )
    const expected = raw.filter((flight) => flight.delay > 60 && chicago.has(flight.origin))
    const found = store.Flight.query("delay > 60 and origin.city = 'Chicago'")
    expect(found.count).toBe(expected.length)
    expect(found.count).toBeGreaterThan(10)
    expect(found.sum('delay')).toBe(expected.reduce((sum, flight) => sum + flight.delay, 0))
    expect(String(found.explain())).toContain('Flight')
  })

  test('an airport with flights cannot be removed', () => {
    expect(() => store.Airport.remove('ORD')).toThrow(/ORD/)
    expect(store.Airport.count).toBe(3376)
  })

  test('a function refuses invalid parameters with a message for the client', () => {
    // Clients may send any value, so drop the types.
    const loose: AnyDataStore = store as never
    const [airports, flights] = [loose.dataClass('Airport'), loose.dataClass('Flight')]
    const refusal = (message: string) =>
      expect.objectContaining({ code: 'functionRefused', errCode: 10001, message })
    for (const city of [undefined, null, ['Chicago']])
      expect(() => airports.call('inCity', city)).toThrow(
        refusal('The parameter must be the name of a city.'),
      )
    for (const count of ['a', -1, 1.5, null])
      expect(() => flights.call('worst', count)).toThrow(
        refusal('The parameter must be a whole number of at least 0.'),
      )
    expect(() => loose.call('punctuality', 'late')).toThrow(
      refusal('The parameter must be a number of minutes.'),
    )
    expect(() => loose.singleton('Units').call('toKilometres')).toThrow(
      refusal('The parameter must be a number of miles.'),
    )
    expect(store.Flight.call('worst')).toHaveProperty('count', 3)
    expect(store.Airport.call('inCity', 'Chicago')).toHaveProperty('count', 3)
  })

  test('progress is reported up to the last row', () => {
    expect(reported[0]).toBe('reading the files')
    expect(reported).toContain('airports 3376 of 3376')
    expect(reported.at(-1)).toBe('flights 20000 of 20000')
  })
})
