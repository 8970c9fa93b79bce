/**
 * The endpoints below `$operator`, as one table. The parser, the verbs, the action that the host's
 * rule is asked about, and the OpenAPI document are derived from it.
 */

/** See running requests, sizes and streams; stop a request; add an index until the process ends. */
export const OPERATOR_ACTIONS = ['look', 'stop', 'createIndex'] as const
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number]

interface OperatorEndpoint {
  readonly part: string | null
  /** The path below `$operator`; a segment in braces is a parameter. */
  readonly path: string
  /** The verbs with the action of each. HEAD is the GET of those that have one. */
  readonly actions: { readonly [verb in 'GET' | 'POST' | 'DELETE']?: OperatorAction }
}

const LOOK = { GET: 'look' } as const

export const OPERATOR_ENDPOINTS = [
  { part: null, path: '', actions: LOOK },
  { part: 'requests', path: '/requests', actions: LOOK },
  { part: 'request', path: '/requests/{id}', actions: { GET: 'look', DELETE: 'stop' } },
  { part: 'sizes', path: '/sizes', actions: LOOK },
  { part: 'indexes', path: '/indexes', actions: LOOK },
  {
    part: 'index',
    path: '/indexes/{dataClass}/{attribute}',
    actions: { POST: 'createIndex' },
  },
  { part: 'streams', path: '/streams', actions: LOOK },
  { part: 'storage', path: '/storage', actions: LOOK },
] as const satisfies readonly OperatorEndpoint[]

/** `null` for what the caller may do there. */
export type OperatorPart = (typeof OPERATOR_ENDPOINTS)[number]['part']

/** `$operator` or what is below it, with the values of the path's parameters. */
export type OperatorAddress = { readonly kind: 'operator' } & (
  | { readonly part: Exclude<OperatorPart, 'request' | 'index'> }
  /** `$operator/requests/<id>` */
  | { readonly part: 'request'; readonly id: number }
  /** `$operator/indexes/<dataclass>/<attribute>` */
  | { readonly part: 'index'; readonly dataClass: string; readonly attribute: string }
)

const SEGMENTS = OPERATOR_ENDPOINTS.map(
  ({ part, path }) => [part, path.split('/').slice(1)] as const,
)

/** The endpoint of the decoded segments after `$operator`; null if there is none. */
export function operatorAddress(segments: readonly string[]): OperatorAddress | null {
  const kind = 'operator'
  const part = SEGMENTS.find(
    ([, known]) =>
      known.length === segments.length &&
      known.every((each, at) => each.startsWith('{') || each === segments[at]),
  )?.[0]
  switch (part) {
    case undefined:
      return null
    case 'request': {
      const id = segments[1]!
      return /^\d{1,15}$/.test(id) ? { kind, part, id: Number(id) } : null
    }
    case 'index':
      return { kind, part, dataClass: segments[1]!, attribute: segments[2]! }
    default:
      return { kind, part }
  }
}

const ACTIONS: ReadonlyMap<OperatorPart, OperatorEndpoint['actions']> = new Map(
  OPERATOR_ENDPOINTS.map(({ part, actions }) => [part, actions]),
)

/** The action of a verb on an endpoint. A verb that the endpoint refuses counts as looking. */
export function operatorActionOf({ part }: OperatorAddress, verb: string): OperatorAction {
  const { GET = 'look', POST, DELETE } = ACTIONS.get(part) ?? {}
  return (verb === 'POST' ? POST : verb === 'DELETE' ? DELETE : undefined) ?? GET
}

/** The verbs that an endpoint accepts. */
export const operatorVerbs = ({ part }: OperatorAddress): readonly string[] => [
  ...Object.keys(ACTIONS.get(part) ?? {}).flatMap((verb) =>
    verb === 'GET' ? ['GET', 'HEAD'] : [verb],
  ),
  'OPTIONS',
]
