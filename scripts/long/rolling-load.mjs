// The load of rolling restarts: reads, writes and live queries until `stop`.
import { Client } from './client.mjs'

const READERS = 4
const WRITERS = 3
const STREAMS = 2

/**
 * @param {number} port
 * @param {string} prefix of the names that it writes
 */
export function startLoad(port, prefix) {
  const keeping = new Client(port, Number.POSITIVE_INFINITY)
  const fresh = new Client(port, 0)
  /** @type {string[]} */
  const problems = []
  /** @type {Set<string>} */
  const saved = new Set()
  /** @type {Set<string>[]} */
  const seen = []
  const counts = { reads: 0, writes: 0, streams: 0, again: 0 }
  let isOver = false
  const ending = new AbortController()
  const written = `$filter=${encodeURIComponent(`"name=${prefix}.@"`)}`

  /**
   * @param {string} what
   * @param {import('./client.mjs').Answer} answer
   */
  const isOk = (what, { status, text }) => {
    if (status !== 200) problems.push(`${what}: ${status} ${text.slice(0, 200)}`)
    return status === 200
  }

  const reader = async () => {
    const request = { path: '/rest/Company?$top=10&$orderby=ID%20desc' }
    for (; !isOver; counts.reads++) {
      let answer = await keeping.ask(request)
      // A connection that nginx has closed meanwhile: browsers send the read again.
      if (answer.status < 0 && answer.isReused) {
        counts.again++
        answer = await fresh.ask(request)
      }
      isOk('read', answer)
    }
  }

  /** @param {number} which */
  const writer = async (which) => {
    for (let at = 0; !isOver; at++) {
      const name = `${prefix}.${which}.${at}`
      const body = JSON.stringify({ name })
      const answer = await fresh.ask({ method: 'POST', path: '/rest/Company', body })
      if (isOk('write', answer)) saved.add(name)
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
        const address = `http://127.0.0.1:${port}/rest/Company?${written}&$live=true`
        const response = await fetch(address, {
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
      const { text } = await fresh.ask({ path: `/rest/Company/name?${written}&$compute=count` })
      if (Number(text) !== saved.size)
        problems.push(`${saved.size} writes were acknowledged, ${text} are stored`)
      for (const names of seen) {
        const missing = [...saved].filter((name) => !names.has(name))
        if (missing.length > 0) problems.push(`a live query has missed ${missing.length} writes`)
      }
      keeping.rest()
      return {
        problems,
        text: `${counts.reads} reads (${counts.again} sent again), ${counts.writes} writes, ${counts.streams} streams`,
      }
    },
  }
}
