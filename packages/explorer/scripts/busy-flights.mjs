// The flights example, repeated until reads take long enough to be seen while they run: what the
// pictures of the server page show. `entia serve busy-flights.mjs`.
import { createFlights, rest as flightRest } from '../../../examples/flights/flights.mjs'

const REPETITIONS = 150

export const rest = { ...flightRest, replicas: true, slow: { milliseconds: 0 } }

/** The store for `entia serve`. */
export default () => {
  const store = createFlights()
  const rows = store.Flight.all()
    .toArray()
    .map(({ date, delay, distance, origin, destination }) => ({
      date,
      delay,
      distance,
      origin: origin?.iata ?? null,
      destination: destination?.iata ?? null,
    }))
  let ID = rows.length + 1_000_000
  for (let i = 0; i < REPETITIONS; i++) store.Flight.load(rows.map((row) => ({ ...row, ID: ++ID })))
  return store
}
