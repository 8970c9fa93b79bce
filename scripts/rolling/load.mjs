// The load of `npm run test:rolling:sql`: reads, writes and live queries until `stop`.
import { Agent, request } from 'node:http'

const READERS = 4
const WRITERS = 3
const STREAMS = 2

/** @typedef {{ status: number, text: string }} Reply */

/**
 * @param {string} origin
 * @param {string} prefix
 */
export function startLoad(origin, prefix) {
  const keeping = new Agent({ keepAlive: true })
  /** @type {string[]} */
  const problems = []
  /** @type {Set<string>} */
  const saved = new Set()
  /** @type {Set<string>[]} */
  const seen = []
  const counts = { reads: 0, writes: 0, streams: 0, again: 0 }
  let isOver = false
  const ending = new AbortController()

  /**
   * @param {'GET' | 'POST'} method
   * @param {string} path
   * @param {object | null} body
   * @param {Agent | false} agent
   * @returns {Promise<Reply>}
   */
  const once = (method, path, body, agent) =>
    new Promise((resolve, reject) => {
      const sent = request(`${origin}/${path}`, { method, agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      sent.on('error', (error) => reject(Object.assign(error, { isReused: sent.reusedSocket })))
      sent.end(body === null ? undefined : JSON.stringify(body))
    })

  /**
   * A read on a connection that nginx has closed meanwhile is sent again, as browsers do.
   * @param {string} path
   */
  const read = async (path) => {
    try {
      return await once('GET', path, null, keeping)
    } catch (error) {
      if (!(error instanceof Error && 'isReused' in error && error.isReused)) throw error
      counts.again++
      return once('GET', path, null, false)
    }
  }

  /**
   * @param {string} what
   * @param {() => Promise<Reply>} send
   */
  const expectOk = async (what, send) => {
    try {
      const { status, text } = await send()
      if (status === 200) return text
      problems.push(`${what}: ${status} ${text.slice(0, 200)}`)
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    }
    return null
  }

  const reader = async () => {
    while (!isOver) {
      await expectOk('read', () => read('Company?$top=10&$orderby=ID%20desc'))
      counts.reads++
    }
  }

  /** @param {number} which */
  const writer = async (which) => {
    for (let at = 0; !isOver; at++) {
      const name = `${prefix}.${which}.${at}`
      const text = await expectOk('write', () => once('POST', 'Company', { name }, false))
      if (text !== null) saved.add(name)
      counts.writes++
    }
  }

  /** Follows the companies as an EventSource does: it reconnects with the id of the last event. */
  const follower = async () => {
    /** @type {Set<string>} */
    const names = new Set()
    seen.push(names)
    let id = ''
    while (!isOver) {
      counts.streams++
      try {
        const filter = encodeURIComponent(`"name=${prefix}.@"`)
        const response = await fetch(`${origin}/Company?$filter=${filter}&$live=true`, {
          headers: id === '' ? {} : { 'last-event-id': id },
          signal: ending.signal,
        })
        if (response.status !== 200) problems.push(`stream: ${response.status}`)
        let text = ''
        for await (const part of response.body ?? []) {
          text += Buffer.from(part).toString()
          for (const [, last] of text.matchAll(/^id: (.+)$/gm)) id = last ?? id
          for (const [, name] of text.matchAll(/"name":"([^"]+)"/g)) names.add(name ?? '')
          text = text.slice(text.lastIndexOf('\n\n') + 2)
        }
      } catch (error) {
        if (!isOver) problems.push(`stream: ${error instanceof Error ? error.message : error}`)
      }
    }
  }

  const followers = Array.from({ length: STREAMS }, follower)
  const running = [
    ...Array.from({ length: READERS }, reader),
    ...Array.from({ length: WRITERS }, (_, which) => writer(which)),
  ]
  return {
    async stop() {
      isOver = true
      await Promise.all(running)
      // Streams show the last commits soon.
      for (let more = 0; more < 200 && seen.some((names) => names.size < saved.size); more++)
        await new Promise((resolve) => setTimeout(resolve, 50))
      ending.abort()
      await Promise.all(followers)
      const filter = encodeURIComponent(`"name=${prefix}.@"`)
      const path = `Company/name?$filter=${filter}&$compute=count`
      const { text } = await once('GET', path, null, false)
      if (Number(text) !== saved.size)
        problems.push(`${saved.size} writes were acknowledged, ${text} are stored`)
      for (const names of seen) {
        const missing = [...saved].filter((name) => !names.has(name))
        if (missing.length > 0) problems.push(`a live query has missed ${missing.length} writes`)
      }
      keeping.destroy()
      return {
        problems,
        text: `${counts.reads} reads (${counts.again} sent again), ${counts.writes} writes, ${counts.streams} streams`,
      }
    },
  }
}
