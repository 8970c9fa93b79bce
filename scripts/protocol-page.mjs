/**
 * Generates the replies of docs/reference/protocol.md. An `http` block of the page is a request.
 * The `http` block after it, which starts with `HTTP`, is its reply. This program sends the
 * requests in order to a fresh store of the flights example and replaces the replies.
 *
 * Requests are readable: blanks and quotes in their addresses are encoded before they are sent.
 * `http as=tower` sends a request with the cookies of another user. A body that starts with
 * `base64:` is bytes.
 */

/** The headers of a response that the page shows. */
const SHOWN = [
  'etag',
  'allow',
  'set-cookie',
  'content-location',
  'entia-query-plan',
  'location',
  'content-disposition',
]
const WIDTH = 150

/** The headers of every request. */
const ORIGIN = { host: 'localhost:8080', 'user-agent': 'curl/8' }

/** @typedef {import('@entia/rest').RestHandler} RestHandler */
/** @typedef {import('@entia/rest').RestResponse} RestResponse */
/** @typedef {{ readonly info: string, readonly lines: string[] }} Block */
/** @typedef {Map<string, string>} Cookies by sender */

/**
 * Returns the page with new replies.
 * @param {string} page
 * @param {RestHandler} rest
 */
export async function withReplies(page, rest) {
  /** @type {Cookies} */
  const cookies = new Map()
  /** @type {string[]} */
  const lines = []
  let isReply = false
  /** @type {Block | null} */
  let block = null
  for (const line of page.split('\n')) {
    if (isReply) {
      isReply = line !== '```'
      continue
    }
    if (block === null) {
      if (line.startsWith('```http')) block = { info: line.slice(7).trim(), lines: [] }
      lines.push(line)
      continue
    }
    if (line !== '```') {
      block.lines.push(line)
      // Drop the old reply with its fence.
      if (line.startsWith('HTTP/1.1 ')) {
        lines.splice(lines.length - 1 - (block.lines.length - 1))
        if (lines.at(-1) === '') lines.pop()
        isReply = true
        block = null
      } else lines.push(line)
      continue
    }
    lines.push(line)
    const request = block
    block = null
    lines.push('', '```http', ...(await replyTo(request, rest, cookies)), '```')
  }
  return lines.join('\n')
}

/**
 * @param {Block} block
 * @param {RestHandler} rest
 * @param {Cookies} cookies
 */
async function replyTo({ info, lines }, rest, cookies) {
  const [line = '', ...more] = lines
  const blank = more.indexOf('')
  const head = blank < 0 ? more : more.slice(0, blank)
  const text = blank < 0 ? undefined : more.slice(blank + 1).join('\n')
  const [, method, address] = /^(\w+) (.*)$/.exec(line) ?? []
  if (method === undefined || address === undefined)
    throw new Error(`docs/reference/protocol.md: "${line}" is not a request`)
  /** @type {Record<string, string>} */
  const headers = {
    ...ORIGIN,
    ...Object.fromEntries(head.map((header) => header.split(/:\s*/, 2))),
  }
  const cookie = cookies.get(info)
  if (cookie !== undefined) headers.cookie = cookie
  const body = text?.startsWith('base64:') ? Buffer.from(text.slice(7), 'base64') : text
  const url = encodeURI(address).replaceAll("'", '%27')
  const reply = await rest.handle({ method, url, headers, body, remoteAddress: '127.0.0.1' })
  const setCookie = reply.headers['set-cookie']
  if (setCookie?.includes('Max-Age=0')) cookies.delete(info)
  else if (setCookie !== undefined) cookies.set(info, setCookie.split(';', 1)[0] ?? '')
  const shown = SHOWN.filter((name) => reply.headers[name] !== undefined).map(
    (name) => `${name}: ${reply.headers[name]}`,
  )
  return [`HTTP/1.1 ${reply.status}`, ...shown, ...bodyLines(reply)]
}

/**
 * @param {RestResponse} response
 * @returns {string[]}
 */
function bodyLines({ headers, body }) {
  if (body.length === 0) return []
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('application/json')) return ['', `(${body.length} bytes of ${type})`]
  return ['', ...format(JSON.parse(String(body)), '').split('\n')]
}

/**
 * Formats JSON; a value that fits on a line stays on one line.
 * @param {unknown} value
 * @param {string} indent
 * @returns {string}
 */
function format(value, indent, before = 0) {
  const flat = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + before + flat.length <= WIDTH)
    return flat
  const inner = `${indent}  `
  const isArray = Array.isArray(value)
  const members = Object.entries(value).map(([name, member]) => {
    const head = isArray ? '' : `${JSON.stringify(name)}: `
    return `${inner}${head}${format(member, inner, head.length + 1)}`
  })
  return `${isArray ? '[' : '{'}\n${members.join(',\n')}\n${indent}${isArray ? ']' : '}'}`
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function oneLine(value) {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** A stopped clock and counting ids, so that generating the page twice gives the same text. */
export function stillPorts() {
  let count = 0
  /** @param {number} length */
  const hex = (length) => (++count).toString(16).toUpperCase().padStart(length, '0')
  return {
    clock: { now: () => Date.UTC(2026, 0, 31, 12), monotonic: () => 1000 },
    ids: { uuid: () => `5E75${hex(28)}`, token: () => hex(64).toLowerCase() },
  }
}
