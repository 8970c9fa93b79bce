// Three million flights of the first half of 2001 and their airports. `entia serve flights-3m.mjs`
// serves its default export.
import { createDataStore, defineDataClass } from '@entia/core'
import { airportAttributes, flightAttributes } from '@entia/example-flights/attributes.mjs'
import { createProgressLine } from '@entia/example-flights/progress-line.mjs'
import { at, dataFile, readAirports, withFile } from '@entia/example-flights/read-data.mjs'
import { openFlights } from './read-flights.mjs'

export const Airport = defineDataClass('Airport', airportAttributes)
export const Flight = defineDataClass('Flight', flightAttributes)

/** `entia serve` prints these addresses and links them on its start page. */
const query = `Flight?$filter="destination.state === 'HI' and delay > 120"&$orderby=delay desc&$top=10`
export const addresses = [
  { title: 'The longest delays on the way to Hawaii', path: `${query}&$expand=origin` },
  { title: 'The same query with its plan', path: `${query}&$queryplan=true` },
]

/**
 * A store with all airports and flights. `flightsFile` replaces the parquet file of flights.
 * `progress` receives a text per stage. Throws an error that names the file, and the row if one is
 * invalid.
 * @param {{ flightsFile?: string, progress?: (text: string) => void }} [options]
 */
export async function createFlights({
  flightsFile = dataFile('flights-3m.parquet'),
  progress = () => {},
} = {}) {
  const store = createDataStore({ name: 'flights-3m', dataClasses: [Airport, Flight] })
  const airportsFile = dataFile('airports.csv')
  const airports = readAirports(airportsFile)
  at(airportsFile, () => void store.Airport.load(airports))

  const { count, rows } = await openFlights(flightsFile)
  const onProgress = (/** @type {number} */ read) =>
    progress(read < count ? `flights ${read} of ${count}` : 'indexes')
  try {
    // The rows are streamed: while it reads, the load holds only columns.
    await store.Flight.load(rows(), { onProgress })
  } catch (error) {
    throw withFile(flightsFile, error)
  }
  return store
}

/** The store for `entia serve`, with a progress line on stderr. */
export default async () => {
  const line = createProgressLine(process.stderr, 'Loading flights')
  const store = await createFlights({ progress: line.show })
  line.end(`${store.Airport.count} airports, ${store.Flight.count} flights`)
  return store
}
