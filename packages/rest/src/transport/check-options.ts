import { type AnyDataStore, EntiaError } from '@entia/core'
import { DEFAULT_LIMITS } from '../request/limits.ts'

interface Rule {
  readonly expected: string
  readonly isMet: (value: unknown) => boolean
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** Every option of the handler. */
const RULES: ReadonlyMap<string, Rule> = new Map([
  ['basePath', { expected: 'text such as "/rest"', isMet: isText }],
  [
    'dateOnlyFormat',
    { expected: '"!!yyyy-mm-dd!!" or "d!m!yyyy"', isMet: (v: unknown) => v === '!!yyyy-mm-dd!!' || v === 'd!m!yyyy' },
  ],
  [
    'limits',
    { expected: 'an object', isMet: (v: unknown) => typeof v === 'object' && v !== null && !Array.isArray(v) },
  ],
  ['allowedOrigins', { expected: 'an array of texts', isMet: (v: unknown) => Array.isArray(v) && v.every(isText) }],
  ['onError', { expected: 'a function', isMet: (v: unknown) => typeof v === 'function' }],
])

const LIMITS: ReadonlyMap<string, Rule> = new Map(
  Object.keys(DEFAULT_LIMITS).map((name) => [
    name,
    { expected: 'a whole number from 0', isMet: (v: unknown) => Number.isSafeInteger(v) && Number(v) >= 0 },
  ]),
)

/** Refuses what is no option, or not of its kind: a misspelt one would silently do nothing. Throws argumentInvalid. */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) throw refused('The options', 'an object', options)
  checkEach('', options, RULES)
  const limits = new Map<string, unknown>(Object.entries(options)).get('limits')
  if (limits !== undefined) checkEach('limits.', limits as object, LIMITS)
}

/** Throws argumentInvalid for what is no store. */
export function checkStore(store: unknown): asserts store is AnyDataStore {
  const members = ['catalog', 'dataClass', 'transact', 'globalStamp']
  if (typeof store === 'object' && store !== null && members.every((name) => name in store)) return
  throw refused('The store', 'a store made by createDataStore', store)
}

function checkEach(prefix: string, given: object, rules: ReadonlyMap<string, Rule>): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = rules.get(name)
    const argument = `The option "${prefix}${name}"`
    if (rule === undefined)
      throw new EntiaError('argumentInvalid', {
        argument,
        expected: `one of ${[...rules.keys()].join(', ')}`,
        found: 'an unknown one',
      })
    if (value !== undefined && !rule.isMet(value)) throw refused(argument, rule.expected, value)
  }
}

function refused(argument: string, expected: string, found: unknown): EntiaError {
  return new EntiaError('argumentInvalid', { argument, expected, found: describe(found) })
}

function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value)
  if (typeof value === 'string') return `"${value.slice(0, 40)}"`
  if (value instanceof Promise) return 'a promise'
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
}
