import type { Step } from '../../../testing/src/conformance/case.ts'
import { differenceOf } from '../../../testing/src/conformance/check.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import type { Call } from './club-callers.ts'
import { IN_PROCESS } from './club-host.ts'
import { CLUB_KEYS } from './model.ts'

/**
 * The texts of the log. Over SQL the after-hooks of a function run when it has ended, and in memory
 * after each of its writes: what both log can have each other's keys.
 */
const LOG_TEXTS = 'GET /rest/Log?$orderby=text&$top=10000&$attributes=text'

/** Requests that show everything that a club holds. */
export const CONTENTS: readonly Step[] = Object.entries(CLUB_KEYS).map(([name, key]) => ({
  send: name === 'Log' ? LOG_TEXTS : `GET /rest/${name}?$orderby=${key}&$top=10000&$attributes=*`,
}))

/**
 * Compares the replies of two clubs without what may differ: how long parts of a filter took,
 * whether an index answered them and so their order, which in memory depends on how many entities
 * they find, record numbers, and the global stamp of replies to writes: in memory after-hooks have
 * then committed, too.
 */
export class Comparison {
  /** Whether a program in the process takes the place of a client, whose errors have a status. */
  readonly isInProcess: boolean
  #hasStamps = true

  constructor(isInProcess: boolean) {
    this.isInProcess = isInProcess
  }

  /** From now on the clubs can have other global stamps: one of them has made attempts. */
  forgetStamps(): void {
    this.#hasStamps = false
  }

  /** The difference between the reply to a step and that of the reference; null without one. */
  differenceOf(found: HostReply, wanted: HostReply, step: Step): string | null {
    const [is, should] = [found, wanted].map((reply) => this.#comparable(reply, step))
    const problem = differenceOf(is!, should!, { mayDiffer: MAY_DIFFER })
    if (problem === null || found.status === wanted.status) return problem
    return [problem, ...[found, wanted].map(({ body }) => String(body).slice(0, 500))].join('\n')
  }

  #comparable({ status, headers, body }: HostReply, step: Step): HostReply {
    const isText = typeof body === 'string'
    if (
      isText &&
      step.send.startsWith('CLIENT ') &&
      IN_PROCESS.has(step.as ?? '') &&
      this.isInProcess
    )
      return { status, headers, body: status < 400 ? ofProgram(body) : codesOf(body, step) }
    return {
      status,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#text(value, step)]),
      ),
      body: isText ? this.#text(body, step) : body,
    }
  }

  #text(body: string, { send }: Step): string {
    const text = comparableText(body, send)
    if (send === LOG_TEXTS) return withoutStamps(text.replace(/"__KEY":"\d+"/g, '"__KEY":"0"'))
    const comparable = this.isInProcess || !this.#hasStamps ? text.replace(LOCKED_BY, '') : text
    return this.#hasStamps ? comparable : withoutStamps(comparable)
  }
}

/** A body without what never has to be the same. */
export function comparableText(body: string, send: string): string {
  const text = withoutNumbers(body)
  if (!send.startsWith('GET ')) return withoutStamps(text)
  return text.includes('"__queryP') ? JSON.stringify(withPartsInOrder(JSON.parse(text))) : text
}

/**
 * Where the holder of a lock is: a program in the process has no host, and of requests at the same
 * time any may open the session.
 */
const LOCKED_BY = /"(?:lockInfo|holder)":\{[^}]*\},?/g

/** Lives of keys have other numbers, and guests at the same time get each other's sessions. */
const MAY_DIFFER = { etag: 'lives have other numbers', 'set-cookie': 'guests have other sessions' }

const withoutStamps = (text: string): string =>
  text.replace(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0')

/**
 * The result of a program. Copies of a store list relations where the dataclass has them, what is
 * refused has fewer errors, and who holds a lock is known by another name.
 */
const ofProgram = (body: string): string =>
  JSON.stringify(JSON.parse(body), (name, value) => {
    if (name === 'holder') return null
    if (name === 'errors') return value[0]?.errCode
    // Codes are compared: clients do not see what code of the application throws.
    if (name === 'message') return null
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  })

/** Of an error of a client: its code and the first of its causes, as a store has them. */
function codesOf(body: string, step: Step): string {
  const { errCode, errors, message } = JSON.parse(body)
  const { filter, select, orderBy } = step.body as Call
  // Of several wrong parts any may be found first.
  if ([filter, select, orderBy].filter((part) => part !== undefined).length > 1) return 'refused'
  return errCode === undefined ? message : `${errCode} ${errors?.[0]?.errCode}`
}

/**
 * A plan or path whose parts of each AND are in the order of their texts. Of a path that found
 * nothing they are left out: the ones behind the first part without entities did not run.
 */
function withPartsInOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPartsInOrder)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withPartsInOrder(member)])
  const node = Object.fromEntries(members)
  if (node.And !== undefined) return { And: inOrder(node.And) }
  if (node.logicOper === 'And')
    return { ...node, parts: node.foundRecords === 0 ? [] : inOrder(node.parts) }
  if (node.description === 'AND')
    return { ...node, steps: node.recordsfounds === 0 ? [] : inOrder(node.steps) }
  return node
}

const inOrder = (parts: readonly unknown[]): readonly unknown[] =>
  [...parts].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const withoutNumbers = (text: string): string =>
  text
    .replace(/"time":[\d.e-]+/g, '"time":0')
    .replace(/\[index : ([\w.]+) \]/g, '$1')
    .replaceAll('"IndexNode"', '"SeqNode"')
    .replace(/,"index":"[\w.]+"/g, '')
    .replace(/record(#?) \d+/g, 'record$1')
    .replace(/"recordNumber":\d+/g, '"recordNumber":0')
