import type { EntitySetInfo, SessionInfo } from '@entia/core'
import type { InfoPart } from '../../request/address.ts'
import type { Answer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'
import { privilegesOf } from '../permission/privileges.ts'

/** Answers `$info`. */
export async function answerInfo(part: InfoPart | null, context: HandleContext): Promise<Answer> {
  const { engine, caller, session } = context
  if (part === 'privileges') return { kind: 'privileges', privileges: privilegesOf(caller) }
  const isAll = await showsAll(context)
  const { entitySets, sessions, ...cache } = await engine.info(caller)
  const known = entitySets.filter(
    ({ dataClass }) => caller.names.findDataClass(dataClass) !== undefined,
  )
  const own = session.current?.id ?? null
  const isShown = {
    set: ({ owner }: EntitySetInfo) => isAll || (own !== null && owner === own),
    session: ({ id }: SessionInfo) => isAll || id === own,
  }
  return {
    kind: 'info',
    part,
    info: {
      ...cache,
      entitySetCount: known.length,
      entitySets: known.filter(isShown.set),
      sessions: sessions.filter(isShown.session),
    },
  }
}

/** A rule that throws counts as "no" and is reported to the host. */
async function showsAll({ rules: { infoRule, report }, session }: HandleContext): Promise<boolean> {
  if (typeof infoRule === 'string') return infoRule === 'all'
  try {
    return (await infoRule(session.current)) === true
  } catch (error) {
    report(error)
    return false
  }
}
