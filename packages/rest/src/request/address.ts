import type { EntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { readKeyText } from './key-text.ts'
import { type OperatorAddress, operatorAddress } from './operator-endpoints.ts'
import { parsePathCall, splitSegments } from './path-segments.ts'
import { decodePercent, unquote } from './percent.ts'

/**
 * How a path names one entity: `Employee(7)`, `Employee[7]`, or `Employee:email(a@b.c)`. Texts are
 * decoded and unquoted.
 */
export type EntitySelector =
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'attribute'; readonly attribute: string; readonly text: string }

/**
 * A part after the dataclass: a comma list of names (attributes, or one function), or an entity
 * set.
 */
export type PathPart =
  | {
      readonly kind: 'names'
      readonly names: readonly string[]
      /** The arguments in parentheses after the name of a function; absent if there are none. */
      readonly sent?: readonly unknown[]
    }
  | { readonly kind: 'entitySet'; readonly id: string }

export interface DataAddress {
  readonly kind: 'data'
  readonly dataClass: string
  readonly selector: EntitySelector | null
  readonly parts: readonly PathPart[]
}

/** `names` is null for the short catalog, `'all'` for `$catalog/$all`. */
export interface CatalogAddress {
  readonly kind: 'catalog'
  readonly names: readonly string[] | 'all' | null
  /** As in a path part. */
  readonly sent?: readonly unknown[]
}

const DIRECTORY_COMMANDS = ['login', 'logout', 'currentUser', 'currentUserBelongsTo'] as const
export type DirectoryCommand = (typeof DIRECTORY_COMMANDS)[number]
const INFO_PARTS = ['cacheInfo', 'entitySet', 'progressInfo', 'sessionInfo', 'privileges'] as const
export type InfoPart = (typeof INFO_PARTS)[number]

/** The addresses other than catalog and data. */
export type ServiceAddress =
  | { readonly kind: 'directory'; readonly command: DirectoryCommand }
  /** `part` is null for all parts. */
  | { readonly kind: 'info'; readonly part: InfoPart | null }
  | {
      readonly kind: 'singleton'
      readonly singleton: string
      readonly functionName: string
      readonly sent?: readonly unknown[]
    }
  | { readonly kind: 'upload' }
  /** `$entityset/$release`: many entity sets at once. */
  | { readonly kind: 'releaseSets' }
  /** `$live/<id>/<number>`: one query of a shared event stream. */
  | { readonly kind: 'liveQuery'; readonly id: string; readonly query: number }
  /** Whether this process is alive, or ready for requests. */
  | { readonly kind: 'health'; readonly of: 'live' | 'ready' }
  | { readonly kind: Exclude<OptionalService, 'health' | 'replica' | 'operator'> }
  | OperatorAddress
  /** `$replica` and `$replica/batches`: what a replica is sent, and what it sends. */
  | { readonly kind: 'replica'; readonly part: 'stream' | 'batches' }

/** Addresses that exist only if the host enables them. */
const OPTIONAL_SERVICES = ['openapi', 'metrics', 'health', 'replica', 'operator'] as const
export type OptionalService = (typeof OPTIONAL_SERVICES)[number]
export type OptionalServices = ReadonlySet<OptionalService>

export type Address = DataAddress | CatalogAddress | ServiceAddress
export type AddressOf<K extends Address['kind']> = Extract<Address, { readonly kind: K }>

/**
 * Reads the path of a request.
 *
 * Takes `path`: undecoded, from the first `/`, without parameters; `basePath`: `/rest`, or '' for
 * none. Throws resourceNotFound outside `basePath`, questionMarkMissing where `&` or a parameter
 * stands for the `?`, urlMalformed.
 */
export function parseAddress(
  path: string,
  basePath: string,
  optional: OptionalServices = NO_SERVICES,
): Address {
  if (path !== basePath && !path.startsWith(`${basePath}/`))
    throw restError('resourceNotFound', { basePath })
  const below = path.slice(basePath.length)
  const [, plain, key] = PLAIN_ENTITY.exec(below) ?? []
  if (plain !== undefined && key !== undefined)
    return { kind: 'data', dataClass: plain, selector: { kind: 'key', text: key }, parts: NO_PARTS }
  const segments = splitSegments(below)
  const head = segments[0]
  // The base path alone shows the catalog.
  if (head === undefined) return catalogAddress([])
  const name = decodePercent(head)
  if (name === '$catalog') return catalogAddress(segments.slice(1))
  if (name === '$singleton' && segments.length === 3)
    return singletonAddress(segments[1]!, segments[2]!)
  if (name.startsWith('$'))
    return serviceAddress(name, segments.slice(1).map(decodePercent), basePath, optional)
  const { dataClass, selector } = parseDataClassSegment(head)
  const parts = segments.length === 1 ? NO_PARTS : parseParts(segments, 1)
  return { kind: 'data', dataClass, selector, parts }
}

/** One entity by a number, as most are addressed: it has nothing to decode. */
const PLAIN_ENTITY = /^\/([A-Za-z]\w*)\((\d{1,15})\)$/

/** The most paths that are cached, and the length of each. */
const MAX_KNOWN = 128
const MAX_KNOWN_CHARACTERS = 256

/**
 * Reads paths by `parseAddress`, and caches those of whole dataclasses: the keys of entities are
 * too many. Cost: one lookup for a known path.
 */
export function addressReader(
  basePath: string,
  optional: OptionalServices,
): (path: string) => Address {
  const byPath = new Map<string, Address>()
  return (path) => {
    const known = byPath.get(path)
    if (known !== undefined) return known
    const address = parseAddress(path, basePath, optional)
    const isWhole =
      address.kind === 'data' && address.selector === null && address.parts.length === 0
    if (isWhole && path.length <= MAX_KNOWN_CHARACTERS) {
      if (byPath.size >= MAX_KNOWN) byPath.clear()
      byPath.set(path, address)
    }
    return address
  }
}

function catalogAddress([part, ...more]: readonly string[]): CatalogAddress {
  if (more.length > 0)
    throw restError('urlMalformed', { problem: '$catalog takes one list of names' })
  if (part === undefined) return { kind: 'catalog', names: null }
  const list = decodePercent(part)
  refuseParameterInPath(list)
  const call = parsePathCall(part)
  if (call !== null) return { kind: 'catalog', names: [call.name], sent: call.sent }
  return { kind: 'catalog', names: list === '$all' ? 'all' : splitNames(list) }
}

function singletonAddress(singleton: string, part: string): ServiceAddress {
  refuseParameterInPath(decodePercent(part))
  const call = parsePathCall(part)
  const found = { kind: 'singleton', singleton: decodePercent(singleton) } as const
  if (call === null) return { ...found, functionName: decodePercent(part) }
  return { ...found, functionName: call.name, sent: call.sent }
}

/** Addresses of services without keys, ids and names. */
const SERVICE_ADDRESSES: ReadonlyMap<string, ServiceAddress> = new Map<string, ServiceAddress>([
  ...DIRECTORY_COMMANDS.map(
    (command) => [`$directory/${command}`, { kind: 'directory', command }] as const,
  ),
  ['$info', { kind: 'info', part: null }],
  ...INFO_PARTS.map((part) => [`$info/${part}`, { kind: 'info', part }] as const),
  ['$upload', { kind: 'upload' }],
  ['$entityset/$release', { kind: 'releaseSets' }],
  ['$openapi', { kind: 'openapi' }],
  ['$metrics', { kind: 'metrics' }],
  ['$replica', { kind: 'replica', part: 'stream' }],
  ['$replica/batches', { kind: 'replica', part: 'batches' }],
  ['$health/live', { kind: 'health', of: 'live' }],
  ['$health/ready', { kind: 'health', of: 'ready' }],
])

function serviceAddress(
  name: string,
  rest: readonly string[],
  basePath: string,
  optional: OptionalServices,
): ServiceAddress {
  for (const part of rest) refuseParameterInPath(part)
  if (name === '$replica' && !optional.has('replica'))
    throw restError('resourceNotFound', { basePath, missingOption: 'replicas' })
  if (name === '$live' && rest.length === 2 && /^\d{1,9}$/.test(rest[1]!))
    return { kind: 'liveQuery', id: rest[0]!, query: Number(rest[1]) }
  const segments = [name, ...rest]
  // An escaped slash is a part of its segment.
  const isKnown = !segments.some((segment) => segment.includes('/'))
  const fixed = isKnown ? SERVICE_ADDRESSES.get(segments.join('/')) : undefined
  const found = name === '$operator' ? operatorAddress(rest) : fixed
  if (found && (!isOptional(found.kind) || optional.has(found.kind))) return found
  throw unknownService(name, basePath)
}

/** The error for an unknown service. */
export function unknownService(name: string, basePath: string): EntiaError {
  const known = SERVICES.get(name) ?? [...SERVICES.values()].flat()
  return restError('resourceNotFound', { basePath, known })
}

const isOptional = (kind: string): kind is OptionalService =>
  (OPTIONAL_SERVICES as readonly string[]).includes(kind)

const NO_SERVICES: OptionalServices = new Set()

/** The addresses of each service, for messages. */
const SERVICES: ReadonlyMap<string, readonly string[]> = new Map([
  ['$catalog', ['$catalog']],
  ['$directory', DIRECTORY_COMMANDS.map((command) => `$directory/${command}`)],
  ['$info', ['$info', ...INFO_PARTS.map((part) => `$info/${part}`)]],
  ['$singleton', ['$singleton/<name>/<function>']],
  ['$upload', ['$upload']],
  ['$entityset', ['$entityset/$release', '<dataclass>/$entityset/<id>']],
])

const OPENERS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
])

function parseDataClassSegment(raw: string): Pick<DataAddress, 'dataClass' | 'selector'> {
  const open = raw.search(/[([]|%28|%5b/i)
  if (open < 0) {
    const dataClass = decodePercent(raw)
    if (!dataClass.includes(':')) return { dataClass, selector: null }
    throw restError('urlMalformed', { problem: 'Dataclass:attribute needs a (value)' })
  }
  const name = decodePercent(raw.slice(0, open))
  const bracketed = raw.slice(open)
  // Some HTTP libraries and proxies escape brackets, but not the round ones inside a key.
  return bracketed.startsWith('%')
    ? withSelector(name, decodePercent(bracketed), (text) => text)
    : withSelector(name, bracketed, decodePercent)
}

function withSelector(
  name: string,
  bracketed: string,
  decode: (text: string) => string,
): Pick<DataAddress, 'dataClass' | 'selector'> {
  const closer = OPENERS.get(bracketed[0]!)
  const inner = bracketed.slice(1, -1)
  const value = decode(inner)
  const text = unquote(value)
  if (bracketed.at(-1) !== closer || bracketed.length < 2 || (text === value && !isBareKey(inner)))
    throw restError('urlMalformed', {
      problem: `the key lacks its ${closer}, or holds a bracket outside quotes`,
    })
  const colon = name.indexOf(':')
  if (colon < 0) return { dataClass: name, selector: { kind: 'key', text: readKeyText(value) } }
  return {
    dataClass: name.slice(0, colon),
    selector: { kind: 'attribute', attribute: name.slice(colon + 1), text },
  }
}

/**
 * Paired round brackets belong to a bare key, `Place(Rye (old))`. A square one is a mistake such as
 * `[object Object]`.
 */
function isBareKey(text: string): boolean {
  if (/^[\w-]*$/.test(text)) return true
  let depth = 0
  for (const unit of text) {
    if (unit === '[' || unit === ']') return false
    if (unit === '(') depth++
    if (unit === ')' && --depth < 0) return false
  }
  return depth === 0
}

const NO_PARTS: readonly PathPart[] = []

function parseParts(segments: readonly string[], from: number): readonly PathPart[] {
  const parts: PathPart[] = []
  for (let at = from; at < segments.length; at++) {
    const text = decodePercent(segments[at]!)
    if (text === '$entityset') {
      const id = segments[++at]
      if (id === undefined) throw restError('urlMalformed', { problem: '$entityset needs an id' })
      parts.push({ kind: 'entitySet', id: decodePercent(id) })
      continue
    }
    refuseParameterInPath(text)
    const call = parsePathCall(segments[at]!)
    parts.push(
      call === null
        ? { kind: 'names', names: splitNames(text) }
        : { kind: 'names', names: [call.name], sent: call.sent },
    )
  }
  return parts
}

function refuseParameterInPath(text: string): void {
  if (/^\$\w+=/.test(text)) throw restError('questionMarkMissing', { found: '/' })
}

function splitNames(list: string): readonly string[] {
  return list.split(',').map((name) => name.trim())
}
