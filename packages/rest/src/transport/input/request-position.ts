import type { Engine, FollowedSince } from '@entia/engine'
import { invalidParameter } from '../../request/parameter-values.ts'
import type { HeaderLookup } from './rest-input.ts'

/** The header that tells what a client has seen, in answers and in its next requests. */
const NAME = 'entia-position'

/**
 * What a client has seen or written: `<global stamp>-<dataset>`. Null without the header. Throws
 * parameterInvalid.
 */
export function positionIn(header: HeaderLookup): FollowedSince | null {
  const given = header(NAME)
  if (given === null) return null
  const [, globalStamp, instanceId] = /^(\d{1,15})-([0-9A-F]{32})$/i.exec(given) ?? []
  if (globalStamp !== undefined && instanceId !== undefined)
    return { instanceId: instanceId.toUpperCase(), globalStamp: Number(globalStamp) }
  throw invalidParameter(
    'Entia-Position',
    'the value of this header in an earlier answer',
    given.slice(0, 80),
  )
}

/** The header of an answer. */
export function positionHeader(position: NonNullable<Engine['position']>): {
  readonly [name: string]: string
} {
  const { instanceId, globalStamp } = position()
  return { [NAME]: `${globalStamp}-${instanceId}` }
}
