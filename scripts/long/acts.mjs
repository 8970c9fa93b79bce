import { CITIES, COMPANIES, EMPLOYEES, NAMES } from './stores/people.mjs'

/**
 * The acts of clients: each is a short sequence of related requests.
 * @typedef {{ readonly client: import('./client.mjs').Client, readonly random: () => number,
 * readonly created: string[], readonly sets: string[] }} World
 * @typedef {(world: World) => Promise<unknown>} Act
 */

const quoted = encodeURIComponent
/**
 * @param {() => number} random
 * @param {number} count
 */
const below = (random, count) => Math.floor(random() * count)
/**
 * @template T
 * @param {() => number} random
 * @param {readonly T[]} items
 * @returns {T}
 */
const oneOf = (random, items) => /** @type {T} */ (items[below(random, items.length)])
/** @param {unknown} value */
const json = (value) => JSON.stringify(value)

/** @type {readonly ((random: () => number) => string)[]} */
const READS = [
  (r) => `Employee(${1 + below(r, EMPLOYEES)})`,
  (r) => `Employee[${1 + below(r, EMPLOYEES)}]?$expand=employer&$attributes=fullName,employer.name`,
  (r) =>
    `Company(${1 + below(r, COMPANIES)})/employees?$orderby=salary desc&$top=10`.replaceAll(
      ' ',
      '%20',
    ),
  (r) =>
    `Employee?$filter="salary%20>%20:1"&$params=[${20_000 + below(r, 60_000)}]&$orderby=lastName&$top=20`,
  (r) =>
    `Employee?$filter="${quoted(`lastName = '${oneOf(r, NAMES).replace("'", '\\u0027')}@'`)}"&$top=5`,
  (r) =>
    `Employee?$filter="${quoted(`employer.city = '${oneOf(r, CITIES)}' and notes.level > 2`)}"&$top=10`,
  // A new filter text each time: caches by text must be bounded.
  (r) => `Employee?$filter="salary%20=%20${r()}%20or%20ID%20<%20${below(r, 50)}"&$top=3`,
  (r) => `Employee?$skip=${below(r, EMPLOYEES)}&$top=40&$attributes=lastName,salary`,
  (r) => `Employee/salary?$compute=${oneOf(r, ['$all', 'sum', 'average', 'count'])}`,
  () => 'Company/city?$distinct=true',
  (r) => `Employee?$asArray=true&$top=5&$filter="ID%20>%20${below(r, EMPLOYEES)}"`,
  (r) => `Employee?$format=dashboard&$attributes=lastName,salary&$top=10&$skip=${below(r, 500)}`,
  (r) => `Company?$expand=employees&$top=3&$skip=${below(r, COMPANIES)}`,
  (r) =>
    `Employee?$filter="salary%20>%20${below(r, 80_000)}"&$queryplan=true&$querypath=true&$top=1`,
  () => '$catalog/$all',
  () => '$info',
]

/** @type {readonly Act[]} */
const READ_ACTS = [
  ...READS.map(
    (path) =>
      (/** @type {World} */ { client, random }) =>
        client.ask({ path: `/rest/${path(random)}` }),
  ),
  ({ client, random, sets }) =>
    client.ask({
      path: `${sets.length === 0 ? '/rest/Employee' : oneOf(random, sets)}?$top=10&$orderby=ID`,
    }),
  async ({ client, random }) => {
    const path = `/rest/Company(${1 + below(random, COMPANIES)})`
    await client.ask({ path, headers: { 'if-none-match': '"1"' } })
  },
]

/** @param {() => number} random */
const newEmployee = (random) => ({
  firstName: oneOf(random, NAMES),
  lastName: `New ${random()}`,
  email: `${random()}@new.example`,
  salary: below(random, 90_000),
  notes: { level: below(random, 9), words: [`${random()}`] },
  employer: 1 + below(random, COMPANIES),
})

/**
 * Only this many entities change: spreading writes over all of them would grow memory slowly
 * without a leak.
 */
const CHANGED = 500

/** The number of additional entities from which an act removes one instead of creating one. */
const MAX_CREATED = 400

/**
 * @param {World} world
 * @param {string} text the body of a response
 */
function remember({ created }, text) {
  const answer = JSON.parse(text)
  for (const { __KEY } of answer.__ENTITIES ?? [answer])
    if (__KEY !== undefined) created.push(__KEY)
}

/** @type {readonly Act[]} */
const WRITE_ACTS = [
  ({ client, random }) =>
    client.ask({
      method: 'POST',
      path: `/rest/Employee(${1 + below(random, CHANGED)})`,
      body: json({ salary: below(random, 90_000), lastName: `Changed ${random()}` }),
    }),
  ({ client, random }) =>
    client.ask({
      method: 'POST',
      path: '/rest/Employee?$atomic=true',
      body: json(
        Array.from({ length: 10 }, () => ({
          __KEY: String(1 + below(random, CHANGED)),
          notes: { level: random() },
        })),
      ),
    }),
  // Refused at the last item: nothing may be saved.
  ({ client, random }) =>
    client.ask({
      method: 'POST',
      path: '/rest/Employee?$atomic=true',
      body: json([...Array.from({ length: 10 }, () => newEmployee(random)), { salary: -1 }]),
    }),
  async (world) => {
    const { client, random, created } = world
    if (created.length > MAX_CREATED) {
      const keys = created.splice(0, 20)
      const path = '/rest/Employee?$method=delete'
      await client.ask({ method: 'POST', path, body: json(keys.map((__KEY) => ({ __KEY }))) })
      return
    }
    const body = json(Array.from({ length: 1 + below(random, 5) }, () => newEmployee(random)))
    const { status, text } = await client.ask({ method: 'POST', path: '/rest/Employee', body })
    if (status === 200) remember(world, text)
  },
  async ({ client, created }) => {
    const key = created.shift()
    if (key !== undefined) await client.ask({ method: 'DELETE', path: `/rest/Employee(${key})` })
  },
  ({ client, random }) =>
    client.ask({
      method: 'POST',
      path: `/rest/Employee(${1 + below(random, CHANGED)})/photo?$rawPict=image/png`,
      headers: { 'content-type': 'image/png' },
      body: Buffer.concat([PNG, Buffer.alloc(below(random, 4000), below(random, 256))]),
    }),
]
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** @type {readonly Act[]} */
const STATE_ACTS = [
  async ({ client, random, sets }) => {
    const filter = quoted(`salary > ${below(random, 80_000)}`)
    const { status, text } = await client.ask({
      path: `/rest/Employee?$filter="${filter}"&$top=1&$method=entityset`,
    })
    if (status === 200) sets.push(JSON.parse(text).__ENTITYSET)
    // Some sets expire, others are released.
    if (sets.length > 50) await client.ask({ path: `${sets.shift()}?$method=release` })
  },
  async ({ client, random, sets }) => {
    if (sets.length < 2) return
    const [one, other] = [oneOf(random, sets), oneOf(random, sets)]
    const id = other.slice(other.lastIndexOf('/') + 1)
    const operator = oneOf(random, ['AND', 'OR', 'EXCEPT', 'INTERSECT'])
    await client.ask({ path: `${one}?$logicOperator=${operator}&$otherCollection=${id}&$top=2` })
  },
  // A guest who locks an entity and disconnects.
  ({ client, random }) =>
    client.ask({ path: `/rest/Company(${1 + below(random, COMPANIES)})?$lock=true` }),
  async ({ client, random }) => {
    const login = { method: 'POST', path: '/rest/$directory/login', body: '["ada","engine"]' }
    const { cookie } = await client.ask(login)
    const headers = { cookie: cookie ?? '' }
    const path = `/rest/Employee(${1 + below(random, EMPLOYEES)})`
    await client.ask({ path: `${path}?$lock=true`, headers })
    await client.ask({ method: 'POST', path, body: json({ salary: below(random, 900) }), headers })
    await client.ask({ path: `${path}?$lock=false`, headers })
    // One in five never logs out.
    if (random() < 0.8)
      await client.ask({ method: 'POST', path: '/rest/$directory/logout', headers })
  },
  ({ client, random }) => client.ask(oneOf(random, BAD)),
  ({ client, random }) => client.ask(oneOf(random, BAD)),
  ({ client, random }) =>
    client.ask({
      method: 'POST',
      path: `/rest/Employee(${1 + below(random, EMPLOYEES)})/raise`,
      body: '[5]',
    }),
  ({ client, random }) =>
    client.ask({
      method: 'POST',
      path: '/rest/$upload?$rawPict=image/png',
      headers: { 'content-type': 'image/png' },
      body: Buffer.concat([PNG, Buffer.alloc(below(random, 9000))]),
    }),
]

const batch = json(Array.from({ length: 500 }, () => ({ lastName: 'cut' })))
/** @type {readonly import('./client.mjs').Request[]} */
const BAD = [
  { path: '/rest/NoSuch' },
  { path: '/rest/Employee(0)' },
  { path: '/rest/%E0%A4%A' },
  { path: `/rest/Employee?$filter="${quoted('('.repeat(500))}"` },
  { path: `/rest/Employee?$filter="${quoted('nosuch = 1')}"` },
  { path: `/rest/Employee?x=${'a'.repeat(15_000)}` },
  { path: '/rest/Employee?$params=[[[[' },
  { path: '/rest/Employee', headers: { cookie: '4DSID_soak=forged' } },
  { path: '/rest/Employee/$entityset/nosuch' },
  { method: 'POST', path: '/rest/Employee', body: '['.repeat(100_000) },
  { method: 'POST', path: '/rest/Employee', body: '{"__proto__":{"polluted":1}}' },
  { method: 'POST', path: '/rest/Employee', body: '{"lastName":"\\ud800"}' },
  {
    method: 'POST',
    path: '/rest/Employee',
    body: '{"lastName":"x"}',
    headers: { 'sec-fetch-site': 'cross-site' },
  },
  { method: 'POST', path: '/rest/Employee', body: 'x'.repeat(1_100_000) },
  { method: 'POST', path: '/rest/$directory/login', body: '["ada","wrong"]' },
  { method: 'DELETE', path: '/rest/Employee' },
  { method: 'PATCH', path: '/rest/Employee(1)' },
  { method: 'POST', path: '/rest/Employee', body: batch, cutAfter: 2000 },
]

/** Of 100 acts, 80 read, 15 write, and 5 create server state or are invalid. @type {Act} */
export function act(world) {
  const share = world.random()
  const acts = share < 0.8 ? READ_ACTS : share < 0.95 ? WRITE_ACTS : STATE_ACTS
  return oneOf(world.random, acts)(world)
}

/** A read without a cookie, which must not create a session. @type {Act} */
export function anonymousRead({ client, random }) {
  return client.ask({
    path: `/rest/Employee(${1 + below(random, EMPLOYEES)})?$attributes=lastName`,
  })
}
