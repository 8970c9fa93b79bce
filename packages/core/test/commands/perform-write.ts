import type { ClubStore } from './club.ts'
import type { Command, Step, Update } from './command.ts'
import { mustEqual, Thrown } from './divergence.ts'
import { outcomeOf, type Pair, textOfEntity, textOfRecord } from './pair.ts'
import { found } from './perform-query.ts'
import type { PlainClub } from './plain-club.ts'
import { type ClassName, keyOf, Refused } from './plain-model.ts'
import { membersOf } from './plain-reads.ts'
import { isTooMany, type Resolved, resolved } from './resolve.ts'
import type { Tally } from './tally.ts'

type WriteCommand = Extract<
  Command,
  { kind: 'write' | 'batch' | 'updateAll' | 'load' | 'removeFound' }
>
export function performWrite(pair: Pair, command: WriteCommand, tally: Tally): string {
  const { club } = pair
  switch (command.kind) {
    case 'write': {
      const session = command.session === null ? null : pair.sessions[command.session]
      const done: Resolved[] = []
      if (isTooMany(club, command.write)) return 'too many'
      return pair.both(
        () => pair.as(session, () => club.transact(() => doPlain(pair, command.write, done))),
        () =>
          pair.store.as(session, () =>
            doStored(pair.store, done[0] ?? resolved(pair, command.write)),
          ),
      )
    }
    case 'batch':
      return batch(pair, command, tally)
    case 'updateAll':
      return updateAll(pair, command.className, command.changes)
    case 'load': {
      const step = resolved(pair, { ...command, do: 'load' })
      if (isTooMany(club, { ...command, do: 'load' })) return 'too many'
      return pair.both(
        () => club.transact(() => doResolved(club, step)),
        () => doStored(pair.store, step),
      )
    }
    case 'removeFound': {
      const { query } = command
      const session = command.session === null ? null : pair.sessions[command.session]
      return pair.both(
        () =>
          pair.as(session, () =>
            club.transact(() => {
              let removed = 0
              for (const record of membersOf(club, query.className, query.filter, query.order)) {
                if (!club.isLiving(record)) continue
                club.remove(query.className, keyOf(record))
                removed++
              }
              return removed
            }),
          ),
        () => pair.store.as(session, () => found(pair.store, query).remove()),
      )
    }
  }
}

/**
 * A lenient batch has another outcome if a write failed after its hooks had written: then it fails
 * with that error.
 */
const LENIENT_ENDS = [
  'ok',
  'argumentInvalid',
  'relationTargetMissing',
  'removeRestricted',
  'thrown',
]

/**
 * The model runs first and selects the entities: the n-th living one may be one that the batch
 * itself inserted.
 */
function batch(
  pair: Pair,
  { mode, steps, session: who }: Extract<Command, { kind: 'batch' }>,
  tally: Tally,
): string {
  const { club } = pair
  const session = who === null ? null : pair.sessions[who]
  const done: Resolved[] = []
  const plain = () =>
    steps.flatMap((step) => {
      if (isTooMany(club, step)) return []
      // After a failure a transaction stores nothing. The keys that it still assigns are undefined,
      // and so are the entities that later writes find.
      if (club.isFailed && step.do !== 'look' && step.do !== 'throw') return []
      if (step.do === 'look' && club.isDangling) tally.count('dangling', 'look')
      if (mode === 'atomic') return [doPlain(pair, step, done)]
      const outcome = outcomeOf(() => club.transact(() => doPlain(pair, step, done)))
      if (outcome.code === 'thrown') throw new Thrown()
      tally.count(
        `${mode} ${step.do}`,
        step.do === 'look' && outcome.code !== 'ok' ? 'hopeless' : outcome.code,
      )
      if (mode === 'separate') pair.sides.afterCommit()
      return [outcome]
    })
  const stored = () =>
    done.map((step) => {
      if (mode === 'atomic') return doStored(pair.store, step)
      const outcome = outcomeOf(() => doStored(pair.store, step))
      if (outcome.code === 'thrown') throw new Thrown()
      return outcome
    })
  if (mode !== 'separate') {
    const code = pair.both(
      () => pair.as(session, () => club.transact(plain)),
      () => pair.store.as(session, () => pair.store.transact(stored)),
    )
    return `${mode} ${mode === 'lenient' && !LENIENT_ENDS.includes(code) ? 'hopeless' : code}`
  }
  // Each step is a separate transaction: commits before a step that throws stay.
  const expected = outcomeOf(() => pair.as(session, plain))
  mustEqual(
    outcomeOf(() => pair.store.as(session, stored)),
    expected,
  )
  return `${mode} ${expected.code}`
}

export function doPlain(pair: Pair, step: Step, done: Resolved[]): unknown {
  const what = resolved(pair, step)
  done.push(what)
  return doResolved(pair.club, what)
}

export function doResolved(club: PlainClub, step: Resolved): unknown {
  switch (step.do) {
    case 'throw':
      throw new Thrown()
    case 'look':
      club.beforeQuery()
      return membersOf(club, step.query.className, step.query.filter, step.query.order).map(keyOf)
    case 'insert':
      return textOfRecord(club.part(() => club.insert(step.className, step.plain)))
    case 'update': {
      const { className, key, plain, options } = step
      return textOfRecord(club.part(() => club.update(className, key, plain, options.stamp)))
    }
    case 'remove':
      club.part(() => club.remove(step.className, step.key, step.options.stamp))
      return null
    case 'load':
      return club.load(step.className, step.plains, step.isEmptied)
    case 'updateNone':
      return 0
  }
}

export function doStored(store: ClubStore, step: Resolved): unknown {
  switch (step.do) {
    case 'throw':
      throw new Thrown()
    case 'look':
      return found(store, step.query).keys()
    case 'insert':
      return textOfEntity(step.className, store.dataClass(step.className).insert(step.input))
    case 'update': {
      const { className, key, input, options, isEdit } = step
      const change = isEdit
        ? (draft: Record<string, unknown>) => void Object.assign(draft, input)
        : input
      return textOfEntity(className, store.dataClass(className).update(key, change, options))
    }
    case 'remove':
      return store.dataClass(step.className).remove(step.key, step.options) ?? null
    case 'load': {
      const options = step.isEmptied ? ({ relations: 'null' } as const) : {}
      return store.dataClass(step.className).load(step.inputs, options).count
    }
    case 'updateNone':
      return store.dataClass(step.className).updateAll([]).count
  }
}

/**
 * The number of updates. A refused batch may name its first stale update instead of its first
 * invalid one.
 */
function updateAll(pair: Pair, className: ClassName, changes: readonly Update[]): string {
  const { club } = pair
  const given = changes.map(
    (change) => resolved(pair, change) as Extract<Resolved, { do: 'update' }>,
  )
  const expected = outcomeOf(() =>
    club.transact(() => {
      club.part(() => {
        for (const { key, plain, options } of given)
          club.update(className, key, plain, options.stamp)
      })
      return changes.length
    }),
  )
  const stale = given.flatMap(({ key, options }) => {
    const record = club.find(className, key)
    if (record === undefined) return ['entityNotFound']
    return options.stamp !== undefined && options.stamp !== record.stamp ? ['stampChanged'] : []
  })
  return pair.both(
    () => {
      if (expected.code !== 'ok') throw new Refused(expected.code)
      return expected.value
    },
    () => {
      const answer = outcomeOf(
        () =>
          pair.store
            .dataClass(className)
            .updateAll(given.map(({ key, input, options }) => ({ key, patch: input, ...options })))
            .count,
      )
      if (answer.code === 'ok') return answer.value
      throw new Refused(
        answer.code === stale[0] && expected.code !== 'ok' ? expected.code : answer.code,
      )
    },
  )
}
