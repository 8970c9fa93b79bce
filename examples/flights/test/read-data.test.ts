import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EntiaError } from '@entia/core'
import { afterAll, describe, expect, test } from 'vitest'
import { at, readAirports, readFlights } from '../read-data.mjs'

const folder = mkdtempSync(join(tmpdir(), 'entia-flights-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const header = 'iata,name,city,state,country,latitude,longitude'

describe('airports', () => {
  const read = (...lines: string[]) =>
    readAirports(write('airports.csv', [header, ...lines, ''].join('\n')))

  test('are read with quoted cells and doubled quotes', () => {
    expect(read('DBN,"W. H. ""Bud"" Barron",Dublin,GA,USA,32.5,-82.9')).toEqual([
      {
        iata: 'DBN',
        name: 'W. H. "Bud" Barron',
        city: 'Dublin',
        state: 'GA',
        country: 'USA',
        latitude: 32.5,
        longitude: -82.9,
      },
    ])
  })

  test.each([
    [',Dublin Municipal,Dublin,GA,USA,32.5,-82.9', 'airports.csv, line 3: iata is empty'],
    [
      'DBN,Dublin Municipal,Dublin,GA,USA,north,-82.9',
      'airports.csv, line 3: latitude must be a number, not "north".',
    ],
    [
      'DBN,Dublin Municipal,Dublin,GA,USA,32.5,',
      'airports.csv, line 3: longitude must be a number, not "".',
    ],
    ['DBN,Dublin Municipal', 'airports.csv, line 3: Invalid Record Length'],
    ['DBN,"Dublin Municipal,Dublin,GA,USA,32.5,-82.9', 'airports.csv, line 3: Quote Not Closed'],
  ])('an invalid row is refused with file, line and reason: %s', (line, reason) => {
    expect(() => read('00M,Thigpen,Bay Springs,MS,USA,31.9,-89.2', line)).toThrow(reason)
  })

  test('another header is refused', () => {
    expect(() => readAirports(write('airports.csv', 'code,name\nDBN,Dublin\n'))).toThrow(
      `airports.csv, line 1: the header must be ${header}.`,
    )
  })
})

describe('flights', () => {
  const flight = {
    date: '2001/01/01 00:47',
    delay: 66,
    distance: 1750,
    origin: 'DTW',
    destination: 'LAS',
  }
  const read = (...rows: unknown[]) => readFlights(write('flights.json', JSON.stringify(rows)))

  test('are read with their date as UTC and their airports as codes', () => {
    expect(read(flight)).toEqual([
      {
        date: '2001-01-01T00:47:00.000Z',
        delay: 66,
        distance: 1750,
        originCode: 'DTW',
        destinationCode: 'LAS',
      },
    ])
  })

  test.each([
    [null, 'flights.json, row 2: must be an object.'],
    [
      { ...flight, date: '01.01.2001' },
      'row 2: date must have the form 2001/01/31 23:59, not "01.01.2001".',
    ],
    [{ ...flight, delay: 'late' }, 'row 2: delay must be a whole number, not "late".'],
    [{ ...flight, distance: undefined }, 'row 2: distance must be a whole number, not missing.'],
    [{ ...flight, origin: 7 }, 'row 2: origin must be a code, not 7.'],
  ])('an invalid row is refused with file, row and reason: %j', (row, reason) => {
    expect(() => read(flight, row)).toThrow(reason)
  })

  test('a file that is not a JSON list is refused', () => {
    expect(() => readFlights(write('flights.json', '{}'))).toThrow(
      'flights.json: must hold a list of flights.',
    )
    expect(() => readFlights(write('flights.json', '['))).toThrow('flights.json: not JSON')
  })
})

test('a refusal of the store includes the file', () => {
  const refuse = () => {
    const details = { dataClass: 'Flight', rowNumber: 3, problem: 'No airport "XXX".' }
    throw new EntiaError('loadRefused', details, undefined, {
      errCode: 9042,
      message: ({ problem }) => problem,
    })
  }
  expect(() => at('some/flights-20k.json', refuse)).toThrow(
    /^flights-20k\.json, row 3: .*No airport "XXX"\./,
  )
})
