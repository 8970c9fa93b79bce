import type { EntitySetInfo, SessionInfo } from '@entia/core'
import type { Answer } from '../handle/context/answer.ts'

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
