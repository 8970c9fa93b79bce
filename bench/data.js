// The data set of the benchmark. The same seed and the same size give the same rows on every
// machine.
//
// A row is the input that a subject loads; an entity is the output that it returns.

export const companyCount = 10_000
export const defaultSeed = 20240601

const syllables = 'Ma Be Lo Ti Ka Ro Su Ne Da Vi Pe Go Ha Ju Wi Ze An El Or Um'.split(' ')
const endings = 'son ner ski ez ard ton man ini ova berg'.split(' ')
const sectors = [
  ...[
    'retail',
    'energy',
    'health',
    'finance',
    'media',
    'food',
    'transport',
    'education',
    'software',
    'mining',
  ],
  ...[
    'textile',
    'chemistry',
    'tourism',
    'sport',
    'legal',
    'telecom',
    'defence',
    'housing',
    'water',
    'arts',
  ],
]
const millisecondsPerDay = 86_400_000

/**
 * @typedef {object} CompanyRow
 * @property {number} ID
 * @property {string} name
 * @property {string} city
 * @property {number} revenue
 * @property {string} sector
 *
 * @typedef {object} EmployeeRow
 * @property {number} ID
 * @property {string} firstName
 * @property {string} lastName
 * @property {string} email       unique
 * @property {number} salary      1 000 to 199 999, whole
 * @property {string} birthDate   `YYYY-MM-DD`
 * @property {boolean} active
 * @property {number} companyID
 *
 * @typedef {object} BenchData
 * @property {number} employeeCount
 * @property {CompanyRow[]} companies
 * @property {EmployeeRow[]} employees   the employee with ID i is at index i - 1
 * @property {Vocabulary} vocabulary
 *
 * @typedef {object} Vocabulary
 * @property {string[]} firstNames   500
 * @property {string[]} lastNames    2 000
 * @property {string[]} cities       200
 * @property {string[]} days         every day from 1950-01-01 to 2005-12-31
 */

/**
 * A repeatable source of random numbers in [0, 1).
 * Source: mulberry32, a public-domain generator of 32 bits of state.
 * @param {number} seed
 * @returns {() => number}
 */
export function randomNumbers(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Picks one element of a list.
 * @template T
 * @param {() => number} random
 * @param {readonly T[]} list
 * @returns {T}
 */
export function pick(random, list) {
  return list[Math.floor(random() * list.length)]
}

/**
 * Days since 1970-01-01 as `YYYY-MM-DD`.
 * @param {number} day
 * @returns {string}
 */
export function dayToText(day) {
  return new Date(day * millisecondsPerDay).toISOString().slice(0, 10)
}

/**
 * `YYYY-MM-DD` as days since 1970-01-01.
 * @param {string} text
 * @returns {number}
 */
export function textToDay(text) {
  return Date.UTC(+text.slice(0, 4), +text.slice(5, 7) - 1, +text.slice(8, 10)) / millisecondsPerDay
}

/**
 * Creates all rows in memory.
 * @param {number} [employeeCount]
 * @param {number} [seed]
 * @returns {BenchData}
 */
export function makeData(employeeCount = 100_000, seed = defaultSeed) {
  const random = randomNumbers(seed)
  const firstNames = distinctNames(500, random)
  const lastNames = distinctNames(2000, random)
  const cities = distinctNames(200, random).map((name) => `${name}ville`)
  const firstDay = textToDay('1950-01-01')
  const days = Array.from({ length: textToDay('2006-01-01') - firstDay }, (_, index) =>
    dayToText(firstDay + index),
  )
  const vocabulary = { firstNames, lastNames, cities, days }

  const companies = Array.from({ length: companyCount }, (_, index) => ({
    ID: index + 1,
    name: `Company ${index + 1}`,
    city: pick(random, cities),
    revenue: Math.floor(random() * 1e8),
    sector: pick(random, sectors),
  }))
  const employees = Array.from({ length: employeeCount }, (_, index) =>
    makeEmployee(index + 1, random, vocabulary),
  )
  return { employeeCount, companies, employees, vocabulary }
}

/**
 * Creates one employee. The order of its random draws is part of the data set.
 * @param {number} id
 * @param {() => number} random
 * @param {Vocabulary} vocabulary
 * @returns {EmployeeRow}
 */
export function makeEmployee(id, random, vocabulary) {
  const firstName = pick(random, vocabulary.firstNames)
  const lastName = pick(random, vocabulary.lastNames)
  return {
    ID: id,
    firstName,
    lastName,
    email: flatText(`${firstName}.${lastName}.${id}@example.com`),
    salary: 1000 + Math.floor(random() * 199_000),
    birthDate: pick(random, vocabulary.days),
    active: random() < 0.7,
    companyID: 1 + Math.floor(random() * companyCount),
  }
}

/**
 * Flattens a text. A template literal is a tree of pieces in memory, whose size would be charged to
 * the subject that keeps it.
 */
function flatText(text) {
  return Buffer.from(text, 'latin1').toString('latin1')
}

function distinctNames(count, random) {
  const names = new Set()
  while (names.size < count) {
    const extraSyllables = 1 + Math.floor(random() * 3)
    let name = pick(random, syllables)
    for (let i = 0; i < extraSyllables; i++) name += pick(random, syllables).toLowerCase()
    names.add(name + pick(random, endings))
  }
  return [...names]
}
