// Reads files of the package `vega-datasets` into checked rows. An error names the file, the row
// and the reason.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { isEntiaError } from '@entia/core'
import { CsvError, parse } from 'csv-parse/sync'

/**
 * @typedef {{ iata: string, name: string, city: string, state: string, country: string, latitude:
 * number, longitude: number }} AirportRow
 * @typedef {{ date: string, delay: number, distance: number, originCode: string, destinationCode:
 * string }} FlightRow
 */

const airportColumns = ['iata', 'name', 'city', 'state', 'country', 'latitude', 'longitude']

/**
 * The path of a data file of `vega-datasets`. The package does not export its data files, so the
 * path is relative to its entry.
 * @param {string} name
 */
export function dataFile(name) {
  try {
    return join(createRequire(import.meta.url).resolve('vega-datasets'), '../../data', name)
  } catch (cause) {
    throw new Error(
      `The data package "vega-datasets" is not installed. Run npm install in the checkout.`,
      { cause },
    )
  }
}

/**
 * Reads airports from a CSV file with a header line.
 * @param {string} file
 * @returns {AirportRow[]}
 */
export function readAirports(file) {
  const [header, ...records] = parseCsv(file)
  if (
    header === undefined ||
    airportColumns.some((column, place) => header.cells[place] !== column)
  ) {
    throw new Error(`${basename(file)}, line 1: the header must be ${airportColumns.join(',')}.`)
  }
  return records.map(({ line, cells }) => {
    const [iata, name, city, state, country, latitude, longitude] = cells
    const place = `${basename(file)}, line ${line}`
    if (iata === '') throw new Error(`${place}: iata is empty, but it is the key.`)
    return {
      iata,
      name,
      city,
      state,
      country,
      latitude: numberOf(latitude, `${place}: latitude`),
      longitude: numberOf(longitude, `${place}: longitude`),
    }
  })
}

/**
 * Reads flights from a JSON list of `{ date, delay, distance, origin, destination }`.
 * @param {string} file
 * @returns {FlightRow[]}
 */
export function readFlights(file) {
  const rows = parseJson(file)
  if (!Array.isArray(rows)) throw new Error(`${basename(file)}: must hold a list of flights.`)
  return rows.map((row, index) => {
    const place = `${basename(file)}, row ${index + 1}`
    if (typeof row !== 'object' || row === null) throw new Error(`${place}: must be an object.`)
    for (const name of ['delay', 'distance']) {
      if (!Number.isInteger(row[name]))
        throw new Error(`${place}: ${name} must be a whole number, not ${show(row[name])}.`)
    }
    for (const name of ['origin', 'destination']) {
      if (typeof row[name] !== 'string')
        throw new Error(`${place}: ${name} must be a code, not ${show(row[name])}.`)
    }
    return {
      date: isoDate(row.date, place),
      delay: row.delay,
      distance: row.distance,
      originCode: row.origin,
      destinationCode: row.destination,
    }
  })
}

/**
 * Runs a load and adds the file name to a refusal of the store. Rows count from 1, without the
 * header.
 * @param {string} file
 * @param {() => void} load
 */
export function at(file, load) {
  try {
    load()
  } catch (error) {
    throw withFile(file, error)
  }
}

/**
 * Adds the file name to the refusal of a row; returns any other error unchanged.
 * @param {string} file
 * @param {unknown} error
 */
export function withFile(file, error) {
  if (!isEntiaError(error, 'loadRefused')) return error
  return new Error(`${basename(file)}, row ${error.details.rowNumber}: ${error.message}`, {
    cause: error,
  })
}

/**
 * @param {string} file
 * @returns {{ line: number, cells: string[] }[]}
 */
function parseCsv(file) {
  try {
    /** @type {unknown} */
    const records = parse(readFileSync(file), { bom: true, info: true, skip_empty_lines: true })
    return /** @type {{ info: { lines: number }, record: string[] }[]} */ (records).map(
      ({ info, record }) => {
        return { line: info.lines, cells: record }
      },
    )
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Error(`${basename(file)}, line ${error.lines}: ${error.message}`, { cause: error })
  }
}

/** @param {string} file */
function parseJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Error(`${basename(file)}: not JSON: ${error.message}`, { cause: error })
  }
}

/**
 * Converts `2001/01/01 00:47`, which is UTC, to ISO 8601.
 * @param {unknown} text
 * @param {string} place
 */
function isoDate(text, place) {
  const found =
    typeof text === 'string' ? /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d)$/.exec(text) : null
  if (found === null)
    throw new Error(`${place}: date must have the form 2001/01/31 23:59, not ${show(text)}.`)
  const [, year, month, day, hour, minute] = found
  return `${year}-${month}-${day}T${hour}:${minute}:00.000Z`
}

/**
 * @param {string} text
 * @param {string} place
 */
function numberOf(text, place) {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(number)) throw new Error(`${place} must be a number, not ${show(text)}.`)
  return number
}

/** @param {unknown} value */
function show(value) {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
