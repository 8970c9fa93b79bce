// A parquet file of flights -> rows, one at a time.
import { basename } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

/**
 * @typedef {{ date: number, delay: number, distance: number, originCode: string, destinationCode:
 * string }} FlightRow `date` is in milliseconds since 1970, UTC. Empty cells are null despite this
 * type; the store refuses them.
 */

const columnNames = ['date', 'delay', 'distance', 'origin', 'destination']

/** Converts each value of a dictionary column once, to milliseconds and without creating a Date. */
const parsers = {
  timestampFromMicroseconds: (/** @type {bigint} */ micros) => Number(micros / 1000n),
}

/**
 * The number of flights in a file, and its flights in file order. Columns are decoded one row group
 * at a time (about 270 000 rows in the file of `vega-datasets`), and rows are created one by one.
 * Throws an error that names the file if it is not parquet or lacks a column.
 * @param {string} file
 */
export async function openFlights(file) {
  const buffer = await asyncBufferFromFile(file)
  const metadata = await parquetMetadataAsync(buffer).catch((cause) => {
    throw new Error(`${basename(file)}: not parquet: ${cause.message}`, { cause })
  })
  const found = metadata.schema.map(({ name }) => name)
  const missing = columnNames.find((name) => !found.includes(name))
  if (missing !== undefined) throw new Error(`${basename(file)}: column ${missing} is missing.`)

  async function* rows() {
    let rowStart = 0
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows)
      yield* rowsOf(await readColumns(buffer, metadata, rowStart, rowEnd))
      rowStart = rowEnd
    }
  }
  return { count: Number(metadata.num_rows), rows }
}

/**
 * @param {import('hyparquet').AsyncBuffer} file
 * @param {import('hyparquet').FileMetaData} metadata
 * @param {number} rowStart
 * @param {number} rowEnd
 * @returns {Promise<ReadonlyMap<string, ArrayLike<unknown>>>}
 */
async function readColumns(file, metadata, rowStart, rowEnd) {
  /** @type {Map<string, ArrayLike<unknown>>} */
  const columns = new Map()
  await parquetRead({
    file,
    metadata,
    columns: columnNames,
    rowStart,
    rowEnd,
    compressors,
    parsers,
    // A chunk is one column of a row group. Only the requested columns arrive.
    onChunk: ({ columnName, columnData }) => void columns.set(columnName, columnData),
  })
  return columns
}

/**
 * @param {ReadonlyMap<string, ArrayLike<unknown>>} columns
 * @returns {Iterable<FlightRow>}
 */
function* rowsOf(columns) {
  const [dates, delays, distances, origins, destinations] = columnNames.map(
    (name) => columns.get(name) ?? [],
  )
  for (let row = 0; row < dates.length; row++) {
    yield/** @type {FlightRow} */ ({
      date: dates[row],
      delay: numberOf(delays[row]),
      distance: numberOf(distances[row]),
      originCode: origins[row],
      destinationCode: destinations[row],
    })
  }
}

/**
 * Converts 64-bit integers, which arrive as bigint.
 * @param {unknown} value
 */
function numberOf(value) {
  return typeof value === 'bigint' ? Number(value) : value
}
