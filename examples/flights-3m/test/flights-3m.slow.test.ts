import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataFile } from '@entia/example-flights/read-data.mjs'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, describe, expect, test } from 'vitest'
import { createFlights } from '../flights-3m.mjs'
import { queries } from '../queries.mjs'
import { openFlights } from '../read-flights.mjs'

const folder = mkdtempSync(join(tmpdir(), 'entia-flights-3m-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface RawFlight {
  readonly date: Date | null
  readonly delay: bigint | null
  readonly distance: bigint | null
  readonly origin: string | null
  readonly destination: string | null
}

/** The schema of the file in `vega-datasets`. */
const schema: SchemaElement[] = [
  {
    name: 'date',
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  { name: 'delay', type: 'INT64' },
  { name: 'distance', type: 'INT64' },
  { name: 'origin', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  { name: 'destination', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
]
let files = 0

/** A parquet file in row groups of `rowGroupSize`. */
function write(flights: readonly RawFlight[], { rowGroupSize = 2, columns = schema } = {}) {
  const file = join(folder, `slice-${++files}.parquet`)
  const bytes = parquetWriteBuffer({
    columnData: columns.map(({ name }) => ({
      name,
      data: flights.map((flight) => flight[name as keyof RawFlight]),
    })),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map((column) => ({ ...column, repetition_type: 'OPTIONAL' as const })),
    ],
    rowGroupSize,
  })
  writeFileSync(file, new Uint8Array(bytes))
  return file
}

const flight = (minute: number, delay: number, origin: string, destination: string): RawFlight => ({
  date: new Date(Date.UTC(2001, 2, 1, 12, minute)),
  delay: BigInt(delay),
  distance: 2500n,
  origin,
  destination,
})
const slice = [
  flight(1, 30, 'SFO', 'LAX'),
  flight(2, -5, 'SFO', 'LAX'),
  flight(3, 130, 'ORD', 'HNL'),
  flight(4, 1000, 'LAX', 'JFK'),
  flight(5, 90, 'HNL', 'LAX'),
]

describe('flights of a parquet file', () => {
  test('are read in order across row groups', async () => {
    const { count, rows } = await openFlights(write(slice))
    expect(count).toBe(5)
    const read = []
    for await (const row of rows()) read.push(row)
    expect(read).toEqual(
      slice.map(({ date, delay, distance, origin, destination }) => ({
        date: date?.getTime(),
        delay: Number(delay),
        distance: Number(distance),
        originCode: origin,
        destinationCode: destination,
      })),
    )
  })

  test('of vega-datasets: three million are decompressed', async () => {
    const { count, rows } = await openFlights(dataFile('flights-3m.parquet'))
    expect(count).toBe(3_000_000)
    for await (const row of rows()) {
      expect(row).toEqual({
        date: 978_307_260_000,
        delay: 33,
        distance: 2176,
        originCode: 'LAS',
        destinationCode: 'PHL',
      })
      break
    }
  })

  test('a file that lacks a column or is not parquet is refused by name', async () => {
    const file = write(slice, { columns: schema.filter(({ name }) => name !== 'distance') })
    await expect(openFlights(file)).rejects.toThrow(
      /^slice-\d+\.parquet: column distance is missing\.$/,
    )
    writeFileSync(join(folder, 'text.parquet'), 'no parquet file at all')
    await expect(openFlights(join(folder, 'text.parquet'))).rejects.toThrow(
      'text.parquet: not parquet: ',
    )
  })
})

describe('the store', () => {
  test('holds the flights and airports, and verifies', async () => {
    const reported: string[] = []
    const store = await createFlights({
      flightsFile: write(slice),
      progress: (text) => reported.push(text),
    })
    expect(store.Flight.count).toBe(5)
    expect({ ...store.Flight.get(3) }).toEqual({
      ID: 3,
      date: '2001-03-01T12:03:00.000Z',
      delay: 130,
      distance: 2500,
      originCode: 'ORD',
      destinationCode: 'HNL',
    })
    expect(store.Flight.get(3)?.destination?.state).toBe('HI')
    expect(store.Airport.get('LAX')?.arrivals.keys()).toEqual([1, 2, 5])
    expect(() => store.verify()).not.toThrow()
    expect(reported.at(-1)).toBe('indexes')
  })

  test('a refused row is reported with its file and row', async () => {
    const [first, second, third] = slice as [RawFlight, RawFlight, RawFlight]
    const wrong = [
      [{ ...third, delay: null }, 'delay'],
      [{ ...third, origin: 'XXX' }, 'XXX'],
      [{ ...third, date: null }, 'date'],
    ] as const
    for (const [row, problem] of wrong) {
      const flightsFile = write([first, second, row])
      await expect(createFlights({ flightsFile })).rejects.toThrow(
        new RegExp(`^slice-\\d+\\.parquet, row 3: .*${problem}`),
      )
    }
  })

  test('every query has its result and leaves the store unchanged', async () => {
    const store = await createFlights({ flightsFile: write(slice) })
    const results = queries.map(({ run }) => run(store))
    expect(results).toEqual([
      '2 flights, 12.5 min',
      'of 1: HNL 130.0 min',
      '1 flights',
      '1 flights',
      'LAX 1000, ORD 130, HNL 90, SFO 30, SFO -5',
      '4 cities',
      '249.0 min, -5 to 1000',
      '5 flights, 249.0 min',
      'and 3, or 5, except 0',
      '1 airports',
      'flight 1 with 5000 minutes; then restored',
    ])
    expect(store.Flight.get(1)?.delay).toBe(30)
    for (const { plan } of queries) expect(plan?.(store) ?? 'Flight').toMatch(/Flight|Airport/)
  })
})
