// Every endpoint that the parser knows is described in the OpenAPI document, with its verbs, or is
// in a list with the reason why it is not.
import { expect, test } from 'vitest'
import { openApiOf } from '../../src/index.ts'
import { type Address, parseAddress } from '../../src/request/address.ts'
import { OPERATOR_ENDPOINTS, operatorVerbs } from '../../src/request/operator-endpoints.ts'
import { allowedVerbs } from '../../src/request/request.ts'
import { createHr } from '../http/models.ts'

/** Endpoints that the document leaves out. */
const UNDESCRIBED: { readonly [kind in Address['kind']]?: string } = {
  replica: 'A stream of lines and its batches, which docs/reference/replica-protocol.md describes.',
}

const operatorPaths = OPERATOR_ENDPOINTS.map(
  ({ path }) =>
    `/$operator${path.replace('{id}', '7').replace(/\{dataClass\}.*/, 'Employee/salary')}`,
)

/** Addresses of every kind; the compiler keeps the table complete. */
const ADDRESSES: { readonly [kind in Address['kind']]: readonly string[] } = {
  catalog: ['/$catalog', '/$catalog/$all', '/$catalog/Employee,Company', '/$catalog/ping'],
  data: ['/Employee', '/Employee(1)', '/Employee(1)/employer', '/Employee/$entityset/AB'],
  directory: ['login', 'logout', 'currentUser', 'currentUserBelongsTo'].map(
    (command) => `/$directory/${command}`,
  ),
  info: ['/$info', '/$info/privileges', '/$info/entitySet', '/$info/sessionInfo'],
  singleton: ['/$singleton/VehicleFactory/buildVehicle'],
  upload: ['/$upload'],
  releaseSets: ['/$entityset/$release'],
  liveQuery: ['/$live/abcdefghijklmnopqrstuvwxyz/1'],
  openapi: ['/$openapi'],
  metrics: ['/$metrics'],
  health: ['/$health/live', '/$health/ready'],
  operator: operatorPaths,
  replica: ['/$replica', '/$replica/batches'],
}

const { paths } = openApiOf(createHr(), {
  openapi: true,
  metrics: () => true,
  health: true,
  operator: () => true,
  replicas: true,
  live: true,
  users: [],
}) as { readonly paths: { readonly [path: string]: { readonly [verb: string]: object } } }

/** The path of the document for an address: the one with the fewest parameters. */
function described(address: string): string | undefined {
  const segments = address.split('/')
  return Object.keys(paths)
    .filter((path) => {
      const known = path.split('/')
      return (
        known.length === segments.length &&
        known.every((each, at) => {
          const segment = segments[at]!
          return each.startsWith('{') || each.replace('({key})', '(1)') === segment
        })
      )
    })
    .sort((one, other) => one.split('{').length - other.split('{').length)[0]
}

const services = new Set(['openapi', 'metrics', 'health', 'replica', 'operator'] as const)
const addressOf = (path: string): Address => parseAddress(`/rest${path}`, '/rest', services)

/** The verbs of a service besides HEAD and OPTIONS, which documents do not describe. */
function verbsOf(path: string): readonly string[] {
  const address = addressOf(path)
  const verbs =
    address.kind === 'operator'
      ? operatorVerbs(address)
      : address.kind === 'metrics'
        ? ['GET']
        : allowedVerbs(address)
  return verbs.filter((verb) => verb !== 'HEAD' && verb !== 'OPTIONS')
}

test('every endpoint is in the document, or left out with a reason', () => {
  for (const [kind, addresses] of Object.entries(ADDRESSES))
    for (const path of addresses) {
      expect([path, addressOf(path).kind]).toEqual([path, kind])
      const isLeftOut = UNDESCRIBED[kind as Address['kind']] !== undefined
      expect([path, described(path) === undefined]).toEqual([path, isLeftOut])
    }
})

test('the verbs of each service are those of the document', () => {
  for (const kind of [
    'upload',
    'releaseSets',
    'liveQuery',
    'openapi',
    'metrics',
    'health',
  ] as const)
    for (const path of ADDRESSES[kind]) expectVerbs(path)
  for (const path of operatorPaths) expectVerbs(path)
})

function expectVerbs(path: string): void {
  const { parameters: _, ...operations } = paths[described(path)!]!
  const verbs = Object.keys(operations).map((verb) => verb.toUpperCase())
  expect([path, verbs.sort()]).toEqual([path, [...verbsOf(path)].sort()])
}

test('optional endpoints are described only where they are served', () => {
  const { paths: without } = openApiOf(createHr(), {}) as { readonly paths: object }
  const optional = Object.keys(paths).filter((path) => /^\/\$(?:op|metrics|health)/.test(path))
  expect(optional).toHaveLength(OPERATOR_ENDPOINTS.length + 4)
  expect(Object.keys(without).filter((path) => optional.includes(path))).toEqual([])
})
