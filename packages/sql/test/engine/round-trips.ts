import type { HostRequest } from '../../../testing/src/conformance/index.ts'
import type { SendListener, Statement } from '../../src/connect/port.ts'

/** Counts the round trips of requests, which follow each other. */
export class RoundTrips {
  #sends: (readonly Statement[])[] = []

  readonly onSend: SendListener = (statements) => void this.#sends.push(statements)

  /** Round trips since the last call; those that only read or write sessions are not counted. */
  take(): number {
    return this.takeStatements().length
  }
  /** The number of statements in each of them. */
  takeStatements(): readonly number[] {
    const sends = this.#sends
    this.#sends = []
    return sends
      .filter((statements) => !isOfSessions(statements))
      .map((statements) => statements.length)
  }
}

/** True for statements about sessions only, which serving processes cache for a second. */
function isOfSessions(statements: readonly Statement[]): boolean {
  const others = statements.filter(({ text }) => !/^(?:BEGIN|COMMIT)$/.test(text))
  return others.length > 0 && others.every(({ text }) => ofSessions.test(text))
}
const ofSessions = /^\s*(?:UPDATE|INSERT INTO|DELETE FROM) "\w+"\."entia_session"/

/** Levels of related entities that computed attributes of the model read: one round trip each. */
const REPLAYS = 2

/** The most round trips that a request may take. */
export function mostRoundTrips({ method, url }: HostRequest): number {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const sets = (url.match(/[0-9A-F]{32}/gi) ?? []).length
  const action = searchParams.get('$method') ?? ''
  const isKept = /entityset$/i.test(action)
  const isMade = searchParams.has('$savedfilter') ? 3 : 0
  const isWrite = method !== 'GET' && method !== 'HEAD'
  if (searchParams.has('$lock')) return 3
  // A function may read step by step, name a set in its body, and keep its result as a set.
  const isSet = /^\/rest\/[^/]+\/\$entityset\/[^/]+\/?$/.test(pathname)
  const isCall = pathname.split('/').length > 3 && !isSet
  if (isCall) return 5 + 2 * sets
  if (isWrite) return 3 + 2 * sets
  return 1 + sets + (isKept ? 1 : 0) + isMade + REPLAYS
}
