import type { AnyDataStore, EntiaError } from '@entia/core'
import { refused } from '@entia/core/internal'
import { ENGINE, type Served } from '@entia/engine'
import { DEFAULT_LIMITS } from '../../request/limits.ts'
import { DEFAULT_LIVE_LIMITS } from '../live/live-streams.ts'
import { DEFAULT_REPLICA_LIMITS } from '../live/replica-streams.ts'
import type { RestOptions } from './rest-options.ts'

type Check = (value: unknown) => boolean

interface Rule {
  readonly expected: string
  readonly isMet: Check
  /** The rule for the entries of an array. */
  readonly entry?: Rule
}

/** Lower case, and without the scheme's default port: browsers send no others. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/
const USUAL_PORT = /^(?:http:.*:80|https:.*:443)$/
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i

const isBoolean: Check = (value) => typeof value === 'boolean'
const isString: Check = (value) => typeof value === 'string'
const isName: Check = (value) => typeof value === 'string' && value !== ''
const isFunction: Check = (value) => typeof value === 'function'
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const FUNCTION: Rule = { expected: 'a function', isMet: isFunction }
const BOOLEAN: Rule = { expected: 'a boolean', isMet: isBoolean }

const isPath: Check = (value) =>
  typeof value === 'string' && /^(?:[\w/.~!$&'()*+,;=:@-]|%[0-9a-f]{2})*$/i.test(value)

/** An object with these members only. A member that is undefined counts as absent. */
function objectOf(
  members: { readonly [name: string]: Check },
  ...needed: readonly string[]
): Check {
  const checks = new Map(Object.entries(members))
  return (value) => {
    if (!isObject(value)) return false
    const given = new Map<string, unknown>(Object.entries(value))
    const isFit = (member: unknown, check: Check | undefined): boolean =>
      check !== undefined && (member === undefined || check(member))
    return (
      needed.every((name) => given.get(name) !== undefined) &&
      [...given].every(([name, member]) => isFit(member, checks.get(name)))
    )
  }
}

const isSlow = objectOf(
  { milliseconds: (v) => typeof v === 'number' && v >= 0, report: isFunction },
  'milliseconds',
)

const isDirectory: Check = (value) => isObject(value) && 'login' in value && isFunction(value.login)

const isResource = objectOf(
  {
    dataClass: isString,
    only: (v) => typeof v === 'string' || typeof v === 'number',
    others: isString,
  },
  'dataClass',
)

const isPlain = objectOf({
  basePath: (v) => isPath(v) && (v === '' || String(v).startsWith('/')),
  resources: (v) =>
    isObject(v) && Object.values(v).every((each) => isString(each) || isResource(each)),
  ids: (v) => isObject(v) && 'uuid' in v && isFunction(v.uuid),
})

const isServer: Check = (value) => {
  const { url, description = '' } = Object(value)
  return isObject(value) && isName(url) && isString(description)
}

const isOpenApiInfo = objectOf({
  title: isName,
  version: isName,
  description: isName,
  contact: objectOf({ name: isName, url: isName, email: isName }),
  license: objectOf({ name: isName, url: isName, identifier: isName }, 'name'),
  servers: (v) => Array.isArray(v) && v.every(isServer),
  securitySchemes: (v) =>
    isObject(v) &&
    Object.entries(v).every(
      ([name, scheme]) => /^[\w.-]+$/.test(name) && isObject(scheme) && isName(Object(scheme).type),
    ),
})

function isUser(value: unknown): boolean {
  const { name, password, groups } = Object(value)
  return isName(name) && isName(password) && areGroups(groups)
}

const areGroups: Check = (groups) =>
  groups === undefined || (Array.isArray(groups) && groups.every(isString))

/** An option that is a boolean or an object of some of these numbers. */
function switchOrNumbers(defaults: object): Rule {
  const names = Object.keys(defaults)
  const isCount: Check = (v) => Number.isSafeInteger(v) && Number(v) > 0
  const areNumbers = objectOf(Object.fromEntries(names.map((name) => [name, isCount])))
  return {
    expected: `true or false, or an object of whole numbers from 1: ${names.join(', ')}`,
    isMet: (v) => isBoolean(v) || areNumbers(v),
  }
}

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
    forceLogin: BOOLEAN,
    secureCookies: { expected: '"auto" or a boolean', isMet: (v) => v === 'auto' || isBoolean(v) },
    info: {
      expected: '"own", "all" or a function',
      isMet: (v) => v === 'own' || v === 'all' || FUNCTION.isMet(v),
    },
    entitySets: {
      expected: '{ scope: "store" } or { scope: "session" }',
      isMet: objectOf({ scope: (v) => v === 'store' || v === 'session' }),
    },
    live: switchOrNumbers(DEFAULT_LIVE_LIMITS),
    replicas: switchOrNumbers(DEFAULT_REPLICA_LIMITS),
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
    health: BOOLEAN,
    slow: { expected: '{ milliseconds, report }: a number from 0, and a function', isMet: isSlow },
    imageConverter: FUNCTION,
    authorize: FUNCTION,
    durable: FUNCTION,
    onError: FUNCTION,
  } satisfies { readonly [O in keyof RestOptions]-?: Rule }),
)

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
 * Refuses unknown and invalid options: a misspelt one would have no effect. Throws argumentInvalid.
 */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw wrong('The options', 'an object', options)
  checkEach('', options, RULES)
  const given = new Map<string, unknown>(Object.entries(options))
  const limits = given.get('limits')
  if (limits !== undefined) checkEach('limits.', limits as object, LIMITS)
  refuseSameNames(given.get('users'))
  if (given.get('users') !== undefined && given.get('identify') !== undefined)
    throw refused(
      'The option "identify"',
      'given without "users": sessions prove the users who log in',
      'both',
    )
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
  checkEach('', { days: null, ...given }, EXPIRY)
  return given as { readonly days: number }
}

/** Throws argumentInvalid for a value that is not a store. */
export function checkStore(store: unknown): asserts store is AnyDataStore | Served {
  if (isStore(store)) return
  throw wrong(
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

function checkEach(prefix: string, given: object, rules: ReadonlyMap<string, Rule>): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = rules.get(name)
    const argument = `The option "${prefix}${name}"`
    if (rule === undefined)
      throw refused(
        `The name of an option${prefix === '' ? '' : ` of ${prefix.slice(0, -1)}`}`,
        `one of ${[...rules.keys()].join(', ')}`,
        `"${name}"`,
      )
    if (value === undefined) continue
    if (!rule.isMet(value)) throw wrong(argument, rule.expected, value)
    if (rule.entry !== undefined && Array.isArray(value)) checkEntries(argument, value, rule.entry)
  }
}

function checkEntries(argument: string, entries: readonly unknown[], rule: Rule): void {
  for (const [at, entry] of entries.entries())
    if (!rule.isMet(entry)) throw wrong(`${argument}[${at}]`, rule.expected, entry)
}

const wrong = (argument: string, expected: string, value: unknown): EntiaError =>
  refused(argument, expected, describe(value))

function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value)
  if (typeof value === 'string') return `"${value.slice(0, 40)}"`
  if (value instanceof Promise) return 'a promise'
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
}

/** Refuses duplicate names in a list of valid users. */
function refuseSameNames(users: unknown): void {
  if (!Array.isArray(users)) return
  const names = new Set<unknown>()
  for (const [at, { name }] of users.entries()) {
    if (names.has(name))
      throw wrong(`The option "users"[${at}].name`, 'one that no other user has', name)
    names.add(name)
  }
}
