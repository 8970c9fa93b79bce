/** Finds every address that a server emits, by requesting each of them unchanged. */
import { request } from 'node:http'

/**
 * @typedef {{ readonly status: number, readonly headers: Readonly<Record<string, unknown>>,
 * readonly body: Buffer }} Answer
 * @typedef {(path: string, method?: string, body?: unknown) => Promise<Answer>} Ask
 */

/**
 * Sends requests to a local server. Paths are sent unchanged, without a URL parser.
 * @param {number} port
 * @param {import('node:http').Agent | undefined} [agent]
 * @returns {Ask}
 */
export function asker(port, agent = undefined) {
  return (path, method = 'GET', body = undefined) =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? undefined : JSON.stringify(body)
      const headers = content === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(
        { host: '127.0.0.1', port, path, method, headers, agent },
        (response) => {
          /** @type {Buffer[]} */
          const pieces = []
          response.on('data', (piece) => pieces.push(piece))
          response.on('error', reject)
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(pieces),
            }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(content)
    })
}

/** Members of responses that hold addresses. */
const ADDRESS_MEMBERS = new Set(['uri', 'dataURI', '__ENTITYSET'])
/** The characters of a valid address. */
const EMITTED = /^(?:[\w\-.~!$&'()*+,;=:@/?[\]]|%[\dA-F]{2})+$/

/**
 * Requests every address below the base path once. Returns the responses by address, and the
 * problems.
 * @param {Ask} ask
 * @param {string} basePath
 */
export async function walk(ask, basePath = '/rest') {
  /** @type {Map<string, Answer>} */
  const answers = new Map()
  /** @type {string[]} */
  const problems = []
  const waiting = [`${basePath}/$catalog`, `${basePath}/$catalog/$all`]
  /** @param {Answer} answer */
  const take = ({ headers, body }) => {
    const found = [...addressesIn(headers, body)]
    for (const address of found)
      if (!answers.has(address) && !waiting.includes(address)) waiting.push(address)
  }
  const classes = await dataClassesOf(ask, basePath)
  for (const { dataURI, attributes } of classes) {
    const relations = attributes
      .filter(({ kind }) => kind.startsWith('related'))
      .map(({ name }) => encodeURIComponent(name))
    take(await ask(`${dataURI}?$top=1000&$method=entityset`))
    take(await ask(`${dataURI}?$top=1000&$expand=${relations.join(',')}`))
  }
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    const answer = await ask(address)
    answers.set(address, answer)
    if (answer.status !== 200)
      problems.push(`${address} answers ${answer.status}: ${answer.body.subarray(0, 200)}`)
    if (!EMITTED.test(address))
      problems.push(`${address} contains a character that must be escaped`)
    take(answer)
  }
  return { answers, problems }
}

/**
 * @param {Ask} ask
 * @param {string} basePath
 * @returns {Promise<readonly { readonly dataURI: string, readonly attributes: readonly {
 *   readonly name: string, readonly kind: string }[] }[]>}
 */
async function dataClassesOf(ask, basePath) {
  return JSON.parse((await ask(`${basePath}/$catalog/$all`)).body.toString()).dataClasses
}

/**
 * @param {Answer['headers']} headers
 * @param {Buffer} body
 * @returns {Generator<string>}
 */
function* addressesIn(headers, body) {
  const { 'content-location': location, 'content-type': type } = headers
  if (typeof location === 'string') yield location
  if (String(type).startsWith('application/json'))
    yield* addressesInJson(JSON.parse(body.toString()))
}

/**
 * @param {unknown} value
 * @returns {Generator<string>}
 */
function* addressesInJson(value) {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && ADDRESS_MEMBERS.has(name)) yield inner
    else yield* addressesInJson(inner)
  }
}
