import type { EntitySetInfo, SessionInfo } from '@entia/core'
import type { Answer } from '../endpoints/context/answer.ts'

type InfoAnswer = Extract<Answer, { kind: 'info' }>

/** Renders `$info` or one part of it. Sessions are shown without their tokens. */
export function renderInfo({ part, info }: InfoAnswer): object {
  const { cacheSize, usedCache, entitySetCount } = info
  const parts = {
    cacheInfo: { cacheSize, usedCache },
    entitySet: { entitySetCount, entitySet: info.entitySets.map(entitySet) },
    // No operation outlives its request.
    progressInfo: { ProgressInfo: [] },
    sessionInfo: { sessionInfo: info.sessions.map(session) },
  }
  return part === null ? Object.assign({}, ...Object.values(parts)) : parts[part]
}

function entitySet({ id, dataClass, size, sorted, refreshed, expires }: EntitySetInfo): object {
  return {
    id,
    tableName: dataClass,
    selectionSize: size,
    sorted,
    refreshed: toSeconds(refreshed),
    expires: toSeconds(expires),
  }
}

/** Sessions without a user have no name. */
function session({ id, user, lifetimeSeconds, expires }: SessionInfo): object {
  return {
    sessionID: id,
    userID: user?.ID ?? '',
    userName: user?.userName ?? '',
    lifeTime: lifetimeSeconds,
    expiration: toSeconds(expires),
  }
}

/** A time in ISO 8601, truncated to seconds. */
function toSeconds(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`
}

type LockAnswer = Extract<Answer, { kind: 'lock' }>

/** The part of a lock's holder that is shown. */
type Holder = Pick<SessionInfo, 'host' | 'ipAddress' | 'userAgent'>

/** Renders a lock or its refusal. The HTTP status is always 200; `result` tells which. */
export function renderLock({ outcome }: LockAnswer): object {
  switch (outcome.kind) {
    case 'locked':
    case 'unlocked':
      return { result: true, __STATUS: { success: true } }
    case 'stampChanged':
      return refusal(2, 'Stamp has changed')
    case 'alreadyLocked':
      return refusal(3, 'Already locked', lockMembers(outcome.holder, outcome.recordNumber))
    case 'failed':
      return refusal(4, 'Other error')
    case 'absent':
      return refusal(5, 'Entity does not exist')
  }
}

const refusal = (status: number, statusText: string, more: object = {}): object => ({
  result: false,
  __STATUS: { status, statusText, ...more },
})

/** The holder of a lock in `__STATUS`. All of it was reported by the holder's client. */
export function lockMembers({ host, ipAddress, userAgent }: Holder, recordNumber: number): object {
  return {
    lockKind: 7,
    lockKindText: 'Locked by session',
    lockInfo: { host, IPAddr: ipAddress, recordNumber, userAgent },
  }
}
