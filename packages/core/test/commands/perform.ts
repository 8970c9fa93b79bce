import { INDEXABLE } from './club.ts'
import { type Command, WRONG_QUERIES } from './command.ts'
import { isSame, mustEqual } from './divergence.ts'
import { type Mark, outcomeOf, type Pair } from './pair.ts'
import { performCode } from './perform-code.ts'
import { found } from './perform-query.ts'
import { performSet } from './perform-set.ts'
import { performWrite } from './perform-write.ts'
import { keyOf, RELATIONS, Refused } from './plain-model.ts'
import { membersOf } from './plain-reads.ts'
import { pick } from './resolve.ts'
import type { Tally } from './tally.ts'

/** Runs a command on both and counts its outcome. Throws `Divergence` if they differ. */
export function perform(pair: Pair, command: Command, tally: Tally): void {
  const outcome = done(pair, command, tally)
  tally.count(command.kind === 'write' ? command.write.do : command.kind, outcome)
  const { fired } = pair.gates.store
  mustEqual(fired, pair.gates.model.fired)
  if (fired !== null) tally.count('hook', fired)
  pair.gates.store.fired = pair.gates.model.fired = null
  for (const reaction of pair.gates.store.reactions)
    tally.count(
      'reaction',
      `${reaction.split(' ')[0]} ${reaction.endsWith(' ok') ? 'ok' : 'refused'}`,
    )
  pair.check()
  pair.gates.store.reactions.length = pair.gates.model.reactions.length = 0
}

function done(pair: Pair, command: Command, tally: Tally): string {
  const { club, sides, clocks } = pair
  switch (command.kind) {
    case 'write':
    case 'batch':
    case 'updateAll':
    case 'load':
    case 'removeFound':
      return performWrite(pair, command, tally)
    case 'react':
    case 'getter':
      return performCode(pair, command)
    case 'keepSet':
    case 'combineSets':
    case 'cleanSet':
    case 'readSet':
    case 'peekSet':
    case 'releaseSet':
      return performSet(pair, command)
    case 'query': {
      const { query, skip, top } = command
      return pair.both(
        () => {
          const members = membersOf(club, query.className, query.filter, query.order).map(keyOf)
          return [members.length, members, members.slice(skip, skip + top)]
        },
        () => {
          const all = found(pair.store, query)
          const page = found(pair.store, query).page(skip, top)
          return [all.count, all.keys(), page.keys()]
        },
      )
    }
    case 'wrongQuery':
      return pair.both(
        () => {
          throw new Refused(WRONG_QUERIES[command.text])
        },
        () => pair.store.dataClass('Player').query(command.text).count,
      )
    case 'related': {
      const { owner, name, key, target } = RELATIONS[command.relation]
      const inverse = {
        team: 'players',
        captain: 'mates',
        holder: 'passes',
        sponsor: 'passes',
        lead: null,
      }[name]
      const one = pick(club, target, command.at)
      const many = pick(club, owner, command.at)
      return pair.both(
        () => [
          inverse == null || one.record === undefined
            ? []
            : club
                .living(owner)
                .flatMap((record) => (record.row[key] === one.key ? [keyOf(record)] : [])),
          many.record?.row[key] ?? null,
        ],
        () => {
          const entity = pair.store.dataClass(target).get(one.key)
          const players =
            inverse == null ? undefined : (entity?.[inverse] as { keys(): unknown } | undefined)
          const related = pair.store.dataClass(owner).get(many.key)?.[name] as
            | { key: unknown }
            | null
            | undefined
          return [players?.keys() ?? [], related?.key ?? null]
        },
      )
    }
    case 'listSides':
      return pair.both(
        () => [
          sides.sessions.map(({ id }) => id),
          sides.locks.length,
          sides.sets.length,
          sides.list(),
        ],
        () => {
          const { sessions, locks, entitySets } = pair.store
          const sets = entitySets.list()
          return [
            sessions.list().map(({ id }) => id),
            locks.size,
            entitySets.size,
            sets.map(({ id, dataClass, size, expires, owner }) => ({
              id,
              dataClass,
              size,
              expires,
              owner,
            })),
          ]
        },
      )
    case 'advance': {
      const { ends } = sides
      if (ends.length === 0) return 'nothing ends'
      const by = ends[command.toEnd % ends.length] + command.off - clocks.monotonic
      if (by <= 0) return 'past'
      clocks.monotonic += by
      clocks.wall += by
      sides.sweep()
      return `${command.off}`
    }
    case 'advanceBy':
      clocks.monotonic += command.milliseconds
      clocks.wall += command.milliseconds
      sides.sweep()
      return 'ok'
    case 'wallJump':
      clocks.wall += command.milliseconds
      return command.milliseconds < 0 ? 'back' : 'forward'
    case 'openSession': {
      const known = pair.sessions[command.session]
      if (known !== null && outcomeOf(() => sides.mustBeOpen(known.id)).code === 'ok')
        return `touched ${pair.both(
          () => sides.touch(known.id),
          () => pair.store.sessions.touch(known.token) !== undefined,
        )}`
      const gone = known === null ? 'new' : `ended ${pair.store.sessions.touch(known.token) ?? ''}`
      const lifetimeSeconds = command.seconds ?? undefined
      const opened = pair.store.sessions.open(
        lifetimeSeconds === undefined ? {} : { lifetimeSeconds },
      )
      pair.sessions[command.session] = opened
      sides.open(opened.id, lifetimeSeconds)
      return gone.trim()
    }
    case 'closeSession': {
      const known = pair.sessions[command.session]
      if (known === null) return 'never opened'
      return pair.both(
        () => sides.close(known.id) || 'ended before',
        () => pair.store.sessions.close(known.token) || 'ended before',
      )
    }
    case 'lock': {
      const session = pair.sessions[command.session]
      if (session === null) return 'never opened'
      const { key, record } = pick(club, command.className, command.at)
      const stamp =
        command.stamp === 'none'
          ? undefined
          : (record?.stamp ?? 1) + (command.stamp === 'stale' ? 1 : 0)
      let kind = ''
      const code = pair.both(
        () => {
          kind = sides.lock(record, session.id, stamp)
          return [kind, record === undefined ? null : sides.holderOf(record)]
        },
        () => [
          pair.store.locks.lock(
            command.className,
            key,
            session,
            stamp === undefined ? {} : { stamp },
          ).kind,
          pair.store.locks.holder(command.className, key)?.id ?? null,
        ],
      )
      return code === 'ok' ? kind : code
    }
    case 'unlock': {
      const session = pair.sessions[command.session]
      if (session === null) return 'never opened'
      const { key, record } = pick(club, command.className, command.at)
      let kind = ''
      const code = pair.both(
        () => (kind = sides.unlock(record, session.id)),
        () => pair.store.locks.unlock(command.className, key, session).kind,
      )
      return code === 'ok' ? kind : code
    }
    case 'releaseLocks': {
      const session = pair.sessions[command.session]
      if (session === null) return 'never opened'
      return pair.both(
        () => sides.releaseAll(session.id),
        () => pair.store.locks.releaseAll(session),
      )
    }
    case 'createIndex':
    case 'dropIndex': {
      const [className, attribute] = INDEXABLE[command.index % INDEXABLE.length]
      return pair.both(
        () => null,
        () => pair.store.dataClass(className)[command.kind](attribute) ?? null,
      )
    }
    case 'snapshot':
      if (pair.snapshots.length === 3) pair.snapshots.shift()?.store.dispose()
      pair.snapshots.push(mark(pair))
      return 'ok'
    case 'restore': {
      const snapshot = pair.snapshots[command.snapshot % Math.max(1, pair.snapshots.length)]
      return snapshot === undefined ? 'none' : restore(pair, snapshot)
    }
    case 'seed':
      if (pair.seed !== null) return `restored ${restore(pair, pair.seed)}`
      pair.seed = mark(pair)
      return 'made'
    case 'dispose': {
      const snapshot = pair.snapshots[command.snapshot]
      if (snapshot === undefined) return 'none'
      snapshot.store.dispose()
      snapshot.isGone = true
      return 'ok'
    }
    case 'reopen': {
      const bytes = pair.store.dump()
      pair.goOnWith(pair.make(bytes))
      mustEqual(isSame(pair.store.dump(), bytes), true)
      return 'ok'
    }
    case 'replay':
      pair.goOnWith(pair.witness.replayInto(pair.make()))
      return 'ok'
    case 'failHook':
      pair.gates.store.arm(command.call, command.how)
      pair.gates.model.arm(command.call, command.how)
      return command.how
  }
}

function mark({ store, club, sides }: Pair): Mark {
  return { store: store.snapshot(), model: club.snapshot(), made: sides.made, isGone: false }
}

function restore(pair: Pair, { store, model, made, isGone }: Mark): string {
  const { club, sides } = pair
  return pair.both(
    () => {
      if (isGone) throw new Refused('snapshotForeign')
      const areSequencesThere = JSON.stringify(model.sequences) === JSON.stringify(club.sequences)
      const isThere = areSequencesThere && club.isAs(model)
      club.goBack(model)
      sides.dropAfter(made)
      if (!isThere) club.commit()
    },
    () => pair.store.restore(store),
  )
}
