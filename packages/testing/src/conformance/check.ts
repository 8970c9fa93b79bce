import type { Step } from './case.ts'
import { aNumber, aText, type Fill, only, problemOf } from './expect.ts'
import type { ConformanceHost, HostReply } from './host.ts'
import { bytesOf, isJson, textOf } from './message.ts'

/** The first difference between a reply and the expectations of its step; null if there is none. */
export function replyProblem(
  step: Step,
  reply: HostReply,
  json: unknown,
  fill: Fill,
): string | null {
  const { status = 200, errors, keys, names, exactly, replyHeaders } = step
  if (reply.status !== status)
    return `the status should be ${status}, but is ${reply.status}: ${shortText(reply)}`
  const found = readReply(json)
  return (
    (status >= 400 && !step.send.startsWith('HEAD ') ? errorsProblem(json) : null) ??
    (errors === undefined ? null : problemOf(errors, found.errors, '__ERROR', fill)) ??
    (keys === undefined ? null : problemOf(keys, found.keys, 'the keys', fill)) ??
    (names === undefined ? null : problemOf(names, found.names, 'the members', fill)) ??
    (exactly === undefined ? null : contentProblem(exactly, reply, fill)) ??
    (replyHeaders === undefined ? null : problemOf(replyHeaders, reply.headers, 'header', fill)) ??
    ('reply' in step ? problemOf(step.reply, json, '', fill) : null)
  )
}

const REFUSAL = only({ message: aText, componentSignature: aText, errCode: aNumber })

/** Every refusal has this shape, in addition to the expectations of the step. */
function errorsProblem(json: unknown): string | null {
  const entries = memberOf(json, '__ERROR')
  if (!Array.isArray(entries) || entries.length === 0)
    return 'a refusal should have an array __ERROR'
  for (const entry of entries) {
    const problem = problemOf(REFUSAL, entry, '__ERROR', (text) => text)
    if (problem !== null) return problem
  }
  return null
}

function readReply(json: unknown) {
  const errors = memberOf(json, '__ERROR')
  const entities = memberOf(json, '__ENTITIES')
  return {
    errors: Array.isArray(errors) ? errors.map((each) => memberOf(each, 'errCode')) : [],
    keys: Array.isArray(entities)
      ? entities.map((each) => memberOf(each, '__KEY') ?? null)
      : undefined,
    names: typeof json === 'object' && json !== null ? Object.keys(json) : undefined,
  }
}

function contentProblem(
  expected: string | Uint8Array,
  reply: HostReply,
  fill: Fill,
): string | null {
  if (typeof expected === 'string') return problemOf(expected, textOf(reply), 'the text', fill)
  return isSameBytes(expected, bytesOf(reply)) ? null : `the bytes differ: ${shortText(reply)}`
}

/** An own member of an object; undefined if there is none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as { readonly [name: string]: unknown })[name]
}

/** A host must not add these headers to those of the reference: clients act on them. */
const MEANINGFUL = ['allow', 'content-location', 'content-type', 'etag', 'location', 'set-cookie']

/** The difference to the reference's reply: in the status, a header or any byte of the body. */
export function differenceOf(
  reply: HostReply,
  reference: HostReply,
  { mayDiffer = {}, comparable }: Pick<ConformanceHost, 'mayDiffer' | 'comparable'> = {},
): string | null {
  if (reply.status !== reference.status)
    return `the status is ${reply.status}, the reference has ${reference.status}`
  const names = new Set([...Object.keys(reference.headers), ...MEANINGFUL])
  for (const name of names) {
    const [theirs, ours] = [reply.headers[name], reference.headers[name]]
    if (theirs !== ours && !Object.hasOwn(mayDiffer, name))
      return `the header ${name} is ${theirs ?? 'absent'}, the reference has ${ours ?? 'absent'}`
  }
  const [theirs, ours] = [bytesOf(reply), bytesOf(reference)]
  if (isSameBytes(theirs, ours)) return null
  if (comparable !== undefined && comparable(textOf(reply)) === comparable(textOf(reference)))
    return null
  const at = Math.max(0, theirs.findIndex((byte, i) => byte !== ours[i]) - 40)
  const excerpt = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(at, at + 120))
  return `the body of ${theirs.length} bytes differs from the reference body of ${ours.length} bytes:\n  ${excerpt(theirs)}\n  ${excerpt(ours)}`
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function shortText(reply: HostReply): string {
  const text = isJson(reply)
    ? textOf(reply)
    : `${bytesOf(reply).length} bytes of ${reply.headers['content-type']}`
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}
