// The datastore of the flights example: airports of the United States and flights of early 2001,
// with relations both ways. `entia serve flights.mjs` serves its default export.
import { attribute, createDataStore, defineDataClass, EntiaError } from '@entia/core'
import { airportAttributes, flightAttributes } from './attributes.mjs'
import { createProgressLine } from './progress-line.mjs'
import { at, dataFile, readAirports, readFlights } from './read-data.mjs'

/**
 * Checks a parameter of a function: clients may send any value. A refusal is status 422 with this
 * message.
 * @param {boolean} isGood
 * @param {string} expected
 */
function check(isGood, expected) {
  if (!isGood)
    throw new EntiaError('functionRefused', {
      errCode: 10001,
      message: `The parameter must be ${expected}.`,
    })
}

export const Airport = defineDataClass(
  'Airport',
  {
    ...airportAttributes,
    place: attribute.computed('string', {
      get: (airport) => [airport.city, airport.state].filter(Boolean).join(', '),
    }),
    facts: attribute.object(), // free-form facts: { "runways": 7, "towers": ["main", "north"] }
    photo: attribute.image(),
    chart: attribute.blob(),
  },
  {
    functions: {
      inCity: {
        on: 'dataClass',
        exposed: true,
        onHttpGet: true,
        run: ({ dataClass }, /** @type {string} */ city) => {
          check(typeof city === 'string', 'the name of a city')
          return dataClass.query('city === :1', [city])
        },
      },
    },
  },
)

export const Flight = defineDataClass(
  'Flight',
  {
    ...flightAttributes,
    originCity: attribute.alias('origin.city'),
  },
  {
    functions: {
      worst: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }, count = 3) => {
          check(Number.isInteger(count) && count >= 0, 'a whole number of at least 0')
          return dataClass.all().orderBy('delay desc').page(0, count)
        },
      },
      totalDistance: {
        on: 'selection',
        exposed: true,
        run: ({ selection }) => selection.sum('distance'),
      },
      lateness: {
        on: 'entity',
        exposed: true,
        onHttpGet: true,
        run: ({ entity: { delay } }) => (delay > 0 ? `${delay} minutes late` : 'on time'),
      },
      postpone: {
        on: 'entity',
        exposed: true,
        run: ({ dataClass, entity }, /** @type {number} */ minutes) => {
          check(Number.isInteger(minutes), 'a whole number of minutes')
          return dataClass.update(entity.ID, { delay: entity.delay + minutes })
        },
      },
    },
  },
)

/**
 * `entia serve` prints these addresses and links them on its start page. The last one shows the
 * plan of the one before.
 */
const query = `Flight?$filter="delay > 60 and origin.city === 'Chicago'"&$orderby=delay desc&$top=10`
export const addresses = [
  { title: 'The catalog: dataclasses, attributes and relations', path: '$catalog/$all' },
  { title: 'The ten longest delays of flights from Chicago', path: `${query}&$expand=destination` },
  { title: 'The same query with its plan', path: `${query}&$queryplan=true` },
]

/** Options for `entia serve`: live queries, and one user. */
export const rest = {
  live: true,
  users: [
    {
      name: 'tower',
      password: 'cleared to land',
      fullName: 'Control Tower',
      groups: ['controllers'],
    },
  ],
}

/** What every store of flights is made of, in memory or in a database. */
export const model = {
  name: 'flights',
  dataClasses: [Airport, Flight],
  functions: {
    punctuality: {
      exposed: true,
      onHttpGet: true,
      run: (
        /** @type {{ store: import('@entia/core').AnyDataStore }} */ { store },
        minutes = 15,
      ) => {
        check(Number.isFinite(minutes), 'a number of minutes')
        const flights = store.dataClass('Flight')
        return flights.query('delay <= :1', [minutes]).count / flights.count
      },
    },
  },
  singletons: {
    Units: {
      toKilometres: {
        exposed: true,
        onHttpGet: true,
        run: (/** @type {unknown} */ _context, /** @type {number} */ miles) => {
          check(Number.isFinite(miles), 'a number of miles')
          return Math.round(miles * 1.609344)
        },
      },
    },
  },
}

/**
 * A store with every airport and flight of `vega-datasets`. `progress` receives a text per stage;
 * `clock` and `ids` are for tests. Throws an error that names the file and the row of invalid data.
 * @param {{ progress?: (text: string) => void, clock?: import('@entia/core').Clock, ids?:
 * import('@entia/core').Ids }} [options]
 */
export function createFlights({ progress = () => {}, ...ports } = {}) {
  const store = createDataStore({ ...model, ...ports })
  const airports = dataFile('airports.csv')
  const flights = dataFile('flights-20k.json')

  progress('reading the files')
  const airportRows = readAirports(airports)
  const flightRows = readFlights(flights)
  at(airports, () => {
    store.Airport.load(airportRows, {
      onProgress: (rows) => progress(`airports ${rows} of ${airportRows.length}`),
    })
  })
  at(flights, () => {
    store.Flight.load(flightRows, {
      onProgress: (rows) => progress(`flights ${rows} of ${flightRows.length}`),
    })
  })
  return store
}

/** The store for `entia serve`, with a progress line on stderr. */
export default () => {
  const line = createProgressLine(process.stderr, 'Loading flights')
  const store = createFlights({ progress: line.show })
  line.end(`${store.Airport.count} airports, ${store.Flight.count} flights`)
  return store
}
