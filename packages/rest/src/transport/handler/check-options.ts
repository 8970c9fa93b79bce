import { type AnyDataStore, EntiaError } from '@entia/core'
import { ENGINE, type Served } from '@entia/engine'
import { DEFAULT_LIMITS } from '../../request/limits.ts'
import { DEFAULT_LIVE_LIMITS } from '../live/live-streams.ts'
import { DEFAULT_REPLICA_LIMITS } from '../live/replica-streams.ts'
import type { RestOptions } from './rest-options.ts'

interface Rule {
  readonly expected: string
  readonly isMet: (value: unknown) => boolean
  /** The rule for the entries of an array. */
  readonly entry?: Rule
}

/** Lower case, and without the scheme's default port: browsers send no others. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/
const USUAL_PORT = /^(?:http:.*:80|https:.*:443)$/
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const FUNCTION: Rule = { expected: 'a function', isMet: (value) => typeof value === 'function' }

const isPath = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:[\w/.~!$&'()*+,;=:@-]|%[0-9a-f]{2})*$/i.test(value)

/** Every option of the handler. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>(
  Object.entries({
    basePath: {
      expected:
        'text such as "/rest", as it stands in addresses: with escapes (%20) for blanks and letters beyond ASCII',
      isMet: isPath,
    },
    dateOnlyFormat: {
      expected: '"!!yyyy-mm-dd!!" or "d!m!yyyy"',
      isMet: (v) => v === '!!yyyy-mm-dd!!' || v === 'd!m!yyyy',
    },
    catalogs: {
      expected: 'an object of stores by name',
      isMet: (v) => typeof v === 'object' && v !== null && Object.values(v).every(isStore),
    },
    plain: {
      expected:
        'a boolean, or { basePath, resources, ids }: text, an object of names or { dataClass, only, others }, and { uuid }',
      isMet: (v) => isBoolean(v) || isPlain(v),
    },
    limits: { expected: 'an object', isMet: isObject },
    allowedOrigins: {
      expected: 'an array of texts',
      isMet: Array.isArray,
      entry: {
        expected:
          '"*" or an origin as browsers send it, scheme://host[:port], such as "https://app.example"',
        isMet: (v) =>
          typeof v === 'string' && (v === '*' || (ORIGIN.test(v) && !USUAL_PORT.test(v))),
      },
    },
    allowedHosts: {
      expected: 'an array of texts',
      isMet: Array.isArray,
      entry: {
        expected:
          'a host as requests name it, with or without a port, such as "db.example" or "localhost:8080"',
        isMet: (v) => typeof v === 'string' && HOST.test(v),
      },
    },
    admit: FUNCTION,
    users: {
      expected: 'an object with "login", or an array of { name, password } with distinct names',
      isMet: (v) => Array.isArray(v) || isDirectory(v),
      entry: {
        expected: '{ name, password } of texts that are not empty, and groups as an array of texts',
        isMet: isUser,
      },
    },
    identify: FUNCTION,
    forceLogin: { expected: 'a boolean', isMet: isBoolean },
    secureCookies: { expected: '"auto" or a boolean', isMet: (v) => v === 'auto' || isBoolean(v) },
    info: {
      expected: '"own", "all" or a function',
      isMet: (v) => v === 'own' || v === 'all' || FUNCTION.isMet(v),
    },
    entitySets: {
      expected: '{ scope: "store" } or { scope: "session" }',
      isMet: (v) =>
        isObject(v) &&
        Object.entries(v).every(
          ([name, value]) =>
            name === 'scope' &&
            [undefined, 'store', 'session'].includes(value as string | undefined),
        ),
    },
    live: {
      expected: `true or false, or an object of whole numbers from 1: ${Object.keys(DEFAULT_LIVE_LIMITS).join(', ')}`,
      isMet: (v) => isBoolean(v) || areNumbers(v, DEFAULT_LIVE_LIMITS),
    },
    replicas: {
      expected: `true or false, or an object of whole numbers from 1: ${Object.keys(DEFAULT_REPLICA_LIMITS).join(', ')}`,
      isMet: (v) => isBoolean(v) || areNumbers(v, DEFAULT_REPLICA_LIMITS),
    },
    openapi: {
      expected:
        'true or false, or { title, version, description, contact, license, servers, securitySchemes }: three texts, two objects of texts, an array of { url, description }, and an object of { type, … }',
      isMet: (v) => isBoolean(v) || isOpenApiInfo(v),
    },
    metrics: {
      expected: 'a boolean or a function',
      isMet: (v) => isBoolean(v) || FUNCTION.isMet(v),
    },
    operator: FUNCTION,
    health: { expected: 'a boolean', isMet: isBoolean },
    slow: { expected: '{ milliseconds, report }: a number from 0, and a function', isMet: isSlow },
    imageConverter: FUNCTION,
    authorize: FUNCTION,
    durable: FUNCTION,
    onError: FUNCTION,
  } satisfies { readonly [O in keyof RestOptions]-?: Rule }),
)

/** True for an object of whole numbers from 1 under known names. */
function areNumbers(given: unknown, known: object): boolean {
  return (
    isObject(given) &&
    Object.entries(given).every(
      ([name, value]) =>
        Object.hasOwn(known, name) &&
        (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)),
    )
  )
}

const LIMITS: ReadonlyMap<string, Rule> = new Map(
  Object.keys(DEFAULT_LIMITS).map((name) => [
    name,
    {
      expected: 'a whole number from 0',
      isMet: (v: unknown) => Number.isSafeInteger(v) && Number(v) >= 0,
    },
  ]),
)

/**
 * Refuses unknown and invalid options: a misspelt one would have no effect. `call` is what they are
 * given to. Throws argumentInvalid.
 */
export function checkOptions(call: string, options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw refused(`The options of ${call}`, 'an object', options)
  checkEach('', options, RULES, call)
  const given = new Map<string, unknown>(Object.entries(options))
  const limits = given.get('limits')
  if (limits !== undefined) checkEach('limits.', limits as object, LIMITS)
  refuseSameNames(given.get('users'))
  if (given.get('users') !== undefined && given.get('identify') !== undefined)
    throw new EntiaError('argumentInvalid', {
      argument: 'The option "identify"',
      expected: 'given without "users": sessions prove the users who log in',
      found: 'both',
    })
}

const EXPIRY: ReadonlyMap<string, Rule> = new Map([
  [
    'days',
    {
      expected:
        'a number of days from 0 to 36500, after which a replica is taken to be lost, such as 400',
      isMet: (days) => typeof days === 'number' && days >= 0 && days <= 36_500,
    },
  ],
])

/** Throws argumentInvalid for anything but a number of days. */
export function checkExpiry(options: unknown): { readonly days: number } {
  const given = isObject(options) ? options : {}
  checkEach('', { days: null, ...given }, EXPIRY, 'expireReplicas')
  return given as { readonly days: number }
}

/** Throws argumentInvalid for a value that is not a store. */
export function checkStore(store: unknown): asserts store is AnyDataStore | Served {
  if (isStore(store)) return
  throw refused(
    'The store',
    'a store made by createDataStore, or one with an engine of its own',
    store,
  )
}

const STORE_MEMBERS = ['catalog', 'dataClass', 'transact', 'globalStamp']
function isStore(value: unknown): boolean {
  if (!isObject(value)) return false
  if (ENGINE in value) return typeof value[ENGINE] === 'function' && 'catalog' in value
  return STORE_MEMBERS.every((name) => name in value)
}

function checkEach(
  prefix: string,
  given: object,
  rules: ReadonlyMap<string, Rule>,
  owner = prefix.slice(0, -1),
): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = rules.get(name)
    const argument = `The option "${prefix}${name}"`
    if (rule === undefined)
      throw new EntiaError('argumentInvalid', {
        argument: `The name of an option of ${owner}`,
        expected: `one of ${[...rules.keys()].join(', ')}`,
        found: `"${name}"`,
      })
    if (value === undefined) continue
    if (!rule.isMet(value)) throw refused(argument, rule.expected, value)
    if (rule.entry !== undefined && Array.isArray(value)) checkEntries(argument, value, rule.entry)
  }
}

function checkEntries(argument: string, entries: readonly unknown[], rule: Rule): void {
  for (const [at, entry] of entries.entries())
    if (!rule.isMet(entry)) throw refused(`${argument}[${at}]`, rule.expected, entry)
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

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''

function isSlow(value: unknown): boolean {
  if (!isObject(value) || !('milliseconds' in value)) return false
  const { milliseconds, ...others } = value
  return (
    typeof milliseconds === 'number' &&
    milliseconds >= 0 &&
    Object.entries(others).every(
      ([name, member]) => name === 'report' && (member === undefined || FUNCTION.isMet(member)),
    )
  )
}

const isDirectory = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'login' in value &&
  typeof value.login === 'function'

function isPlain(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).every(([name, member]) => {
    if (member === undefined) return true
    if (name === 'basePath') return isPath(member) && (member === '' || member.startsWith('/'))
    if (name === 'resources') return isObject(member) && Object.values(member).every(isResource)
    return name === 'ids' && isObject(member) && 'uuid' in member && FUNCTION.isMet(member.uuid)
  })
}

function isResource(value: unknown): boolean {
  if (typeof value === 'string') return true
  if (!isObject(value) || !('dataClass' in value)) return false
  return Object.entries(value).every(([name, member]) => {
    if (name === 'only') return ['string', 'number', 'undefined'].includes(typeof member)
    if (name === 'others' && member === undefined) return true
    return (name === 'dataClass' || name === 'others') && typeof member === 'string'
  })
}

function isOpenApiInfo(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).every(([name, member]) => {
    if (member === undefined) return true
    if (name === 'securitySchemes') return isObject(member) && isEachScheme(member)
    if (name === 'servers') return Array.isArray(member) && member.every(isServer)
    if (name === 'contact') return isOfTexts(member, ['name', 'url', 'email'])
    if (name === 'license')
      return isOfTexts(member, ['name', 'url', 'identifier']) && 'name' in (member as object)
    return (name === 'title' || name === 'version' || name === 'description') && isName(member)
  })
}

const isEachScheme = (schemes: object): boolean =>
  Object.entries(schemes).every(
    ([name, scheme]) => /^[\w.-]+$/.test(name) && isObject(scheme) && isName(Object(scheme).type),
  )

function isOfTexts(value: unknown, names: readonly string[]): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).every(([name, member]) => names.includes(name) && isName(member))
}

function isServer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('url' in value) || !isName(value.url))
    return false
  return !('description' in value) || typeof value.description === 'string'
}

function isUser(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, password, groups } = value as {
    readonly [member in 'name' | 'password' | 'groups']?: unknown
  }
  return isName(name) && isName(password) && areGroups(groups)
}

/** Refuses duplicate names in a list of valid users. */
function refuseSameNames(users: unknown): void {
  if (!Array.isArray(users)) return
  const names = new Set<unknown>()
  for (const [at, { name }] of users.entries()) {
    if (names.has(name))
      throw refused(`The option "users"[${at}].name`, 'one that no other user has', name)
    names.add(name)
  }
}

const areGroups = (groups: unknown): boolean =>
  groups === undefined ||
  (Array.isArray(groups) && groups.every((group) => typeof group === 'string'))
