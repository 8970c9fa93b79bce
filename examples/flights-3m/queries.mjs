/**
 * @typedef {Awaited<ReturnType<typeof import('./flights-3m.mjs').createFlights>>} Store
 *
 * @typedef {object} Query
 * @property {string} title
 * @property {(store: Store) => string} run      runs without prepared state, and returns one line
 * @property {(store: Store) => string} [plan]   the plan of the query
 */

const route = 'originCode === :1 and destinationCode === :2'
const intoHawaii = "destination.state === 'HI'"
const westToEast = "origin.state === 'CA' and destination.state in ['NY', 'NJ'] and delay > 60"
const oneDay = "date >= '2001-03-01T00:00:00Z' and date < '2001-03-02T00:00:00Z'"

/** @type {(selection: { readonly count: number }) => string} */
const counted = ({ count }) => `${count} flights`
/** @type {(average: number | null | undefined) => string} */
const minutes = (average) => `${(average ?? 0).toFixed(1)} min`

/** Realistic queries, as an application would write them. @type {readonly Query[]} */
export const queries = [
  {
    title: 'Flights from San Francisco to Los Angeles, and their average delay',
    run: ({ Flight }) => {
      const flights = Flight.query(route, ['SFO', 'LAX'])
      return `${counted(flights)}, ${minutes(flights.average('delay'))}`
    },
    plan: ({ Flight }) => String(Flight.explain(route, ['SFO', 'LAX'])),
  },
  {
    title: 'The worst destinations from Chicago O’Hare, by average delay',
    run: ({ Flight }) => {
      const departures = Flight.query("originCode === 'ORD'")
      const delays = departures.distinct('destinationCode').map((destination) => ({
        destination,
        delay: departures.query('destinationCode === :1', [destination]).average('delay') ?? 0,
      }))
      const worst = delays.sort((a, b) => b.delay - a.delay).slice(0, 3)
      return `of ${delays.length}: ${worst.map(({ destination, delay }) => `${destination} ${minutes(delay)}`).join(', ')}`
    },
  },
  {
    title: `How many: ${intoHawaii}`,
    run: ({ Flight }) => counted(Flight.query(intoHawaii)),
    plan: ({ Flight }) => String(Flight.explain(intoHawaii)),
  },
  {
    title: `How many: ${westToEast}`,
    run: ({ Flight }) => counted(Flight.query(westToEast)),
    plan: ({ Flight }) => String(Flight.explain(westToEast)),
  },
  {
    title: 'The ten longest delays of all',
    run: ({ Flight }) => {
      const longest = Flight.all().orderBy('delay desc').page(0, 10).toArray()
      return longest.map(({ delay, origin }) => `${origin?.iata} ${delay}`).join(', ')
    },
  },
  {
    title: 'Cities that flights leave from',
    run: ({ Flight }) => `${Flight.all().distinct('origin.city').length} cities`,
  },
  {
    title: 'Delay of all flights: average, minimum, maximum',
    run: ({ Flight }) => {
      const { average, min, max } = Flight.all().compute('delay')
      return `${minutes(average)}, ${min} to ${max}`
    },
  },
  {
    title: 'Average delay on the first of March',
    run: ({ Flight }) => {
      const flights = Flight.query(oneDay)
      return `${counted(flights)}, ${minutes(flights.average('delay'))}`
    },
    plan: ({ Flight }) => String(Flight.explain(oneDay)),
  },
  {
    title: 'Late and long: delay > 60 and distance > 2000, as two selections combined',
    run: ({ Flight }) => {
      const late = Flight.query('delay > 60')
      const long = Flight.query('distance > 2000')
      return `and ${late.and(long).count}, or ${late.or(long).count}, except ${late.except(long).count}`
    },
  },
  {
    title: 'Airports with a departure more than 15 hours late',
    run: ({ Airport }) => `${Airport.query('departures.delay > 900').count} airports`,
    plan: ({ Airport }) => String(Airport.explain('departures.delay > 900')),
  },
  {
    title: 'An update of one flight, and the ten longest delays again',
    run: ({ Flight }) => {
      const { ID, delay } = Flight.query('delay = 30').first() ?? { ID: 0, delay: 0 }
      Flight.update(ID, { delay: 5_000 })
      const [longest] = Flight.all().orderBy('delay desc').page(0, 10).toArray()
      Flight.update(ID, { delay })
      return `flight ${longest?.ID} with ${longest?.delay} minutes; then restored`
    },
  },
]
