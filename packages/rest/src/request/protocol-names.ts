import { EntiaError } from '@entia/core'

type MemberType = 'any' | 'array' | 'boolean' | 'number' | 'object' | 'string'

/**
 * Every name with `__` that answers hold beside attributes, with the type of its value: clients send entities back as they read
 * them. `__ISNEW` is what clients keep of an entity themselves. `any` is looked at elsewhere, or by no one.
 */
const PROTOCOL_MEMBERS: ReadonlyMap<string, MemberType> = new Map<string, MemberType>([
  ['__KEY', 'any'],
  ['__STAMP', 'any'],
  ['__ISNEW', 'any'],
  ['__TIMESTAMP', 'string'],
  ['__DATACLASS', 'string'],
  ['__entityModel', 'string'],
  ['__STATUS', 'object'],
  ['__ERROR', 'array'],
  ['__ENTITY', 'boolean'],
  ['__ENTITIES', 'any'],
  ['__ENTITYSET', 'string'],
  ['__GlobalStamp', 'number'],
  ['__COUNT', 'number'],
  ['__FIRST', 'number'],
  ['__SENT', 'number'],
  ['__deferred', 'any'],
  ['__queryPlan', 'any'],
  ['__queryPath', 'any'],
  ['__extendedQueryPlan', 'any'],
  ['__extendedQueryPath', 'any'],
  ['__explain', 'any'],
])

/**
 * Refuses a name that begins with `__` and is none of the protocol's, and a value of another type than the protocol's: a
 * misspelt `__STAMP` would let a change through unchecked. Null stands for absent. Throws bodyMalformed.
 */
export function checkProtocolMembers(members: Iterable<readonly [string, unknown]>): void {
  for (const [name, value] of members) {
    if (!name.startsWith('__')) continue
    const type = PROTOCOL_MEMBERS.get(name)
    if (type === undefined) throw malformed(`"${name.slice(0, 100)}" is no name of the protocol`)
    if (type !== 'any' && value !== null && type !== typeOfJson(value))
      throw malformed(`"${name}" must be ${type === 'array' || type === 'object' ? `an ${type}` : `a ${type}`}`)
  }
}

const typeOfJson = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

const malformed = (problem: string): EntiaError => new EntiaError('bodyMalformed', { problem })
