/** The entities that all subjects hold, the query that is timed, and a checksum of contents. */

export const ATTRIBUTES = [
  'ID',
  'firstName',
  'lastName',
  'email',
  'city',
  'company',
  'salary',
  'born',
  'active',
  'notes',
]
const CITIES = 50
const PAGE = 50
export const CITY = 'City07'

/** The same sequence on every machine. */
function* draws(seed) {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    yield state
  }
}

const pad = (number, digits) => String(number).padStart(digits, '0')

/** `count` entities of ten attributes. Salaries differ, so that orders are the same everywhere. */
export function createRows(count) {
  const random = draws(20240601)
  const next = (bound) => Math.floor((random.next().value / 2 ** 32) * bound)
  return Array.from({ length: count }, (_, at) => {
    const firstName = `First${pad(next(500), 3)}`
    const lastName = `Last${pad(next(2000), 4)}`
    return {
      ID: `e${pad(at, 7)}`,
      firstName,
      lastName,
      email: `${firstName}.${lastName}.${at}@example.com`.toLowerCase(),
      city: `City${pad(next(CITIES), 2)}`,
      company: `Company ${next(10_000)}`,
      salary: 20_000 + ((at * 7919) % 1_000_003),
      born: `19${pad(50 + next(50), 2)}-${pad(1 + next(12), 2)}-${pad(1 + next(28), 2)}`,
      active: next(10) > 0,
      notes: `Note ${next(1_000_000_000)} of ${next(1_000_000)}`,
    }
  })
}

/** The keys of the page that is asked for: the best-paid of one city. */
export function pageKeys(rows) {
  return rows
    .filter(({ city }) => city === CITY)
    .sort((a, b) => b.salary - a.salary)
    .slice(0, PAGE)
    .map(({ ID }) => ID)
}

/** Count and checksum of rows in any order. */
export function summary(rows) {
  let count = 0
  let sum = 0
  for (const row of rows) {
    let hash = 0
    for (const name of ATTRIBUTES) {
      const text = String(row[name])
      for (let at = 0; at < text.length; at++)
        hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
      hash = Math.imul(hash, 31) | 0
    }
    sum = (sum + (hash >>> 0)) % Number.MAX_SAFE_INTEGER
    count++
  }
  return `${count} ${sum}`
}

/** Resolves once `read` returns the new salary of each change. `read` may return a promise. */
export async function untilSeen(changes, read) {
  const pending = [...changes]
  for (;;) {
    while (pending.length > 0) {
      const { ID, salary } = pending.at(-1)
      if ((await read(ID)) !== salary) break
      pending.pop()
    }
    if (pending.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
