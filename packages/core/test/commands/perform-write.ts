import type { ClubStore } from './club.ts'
import { type Command, NOWHERE, type Step, type Update, type Write } from './command.ts'
import { mustEqual, outcomeOf, type Pair, Thrown, textOfEntity, textOfRecord } from './pair.ts'
import { found } from './perform-query.ts'
import {
  type ClassName,
  type Input,
  type Key,
  keyOf,
  type PlainClub,
  type PlainRecord,
  RELATIONS,
  Refused,
  type Row,
} from './plain-club.ts'
import { membersOf } from './plain-reads.ts'
import type { Tally } from './tally.ts'

type WriteCommand = Extract<Command, { kind: 'write' | 'batch' | 'updateAll' | 'load' | 'removeFound' }>
/** A step with what `at` picked put in. */
type Resolved =
  | { readonly do: 'insert'; readonly className: ClassName; readonly input: Row }
  | {
      readonly do: 'update'
      readonly className: ClassName
      readonly key: Key
      readonly input: Row
      readonly options: { readonly stamp?: number }
      readonly isEdit: boolean
    }
  | {
      readonly do: 'remove'
      readonly className: ClassName
      readonly key: Key
      readonly options: { readonly stamp?: number }
    }
  | Extract<Step, { do: 'look' | 'throw' }>

/** More entities than this of one dataclass are not made. */
const MOST = 10

export function performWrite(pair: Pair, command: WriteCommand, tally: Tally): string {
  const { club } = pair
  switch (command.kind) {
    case 'write': {
      const session = command.session === null ? null : pair.sessions[command.session]
      const done: Resolved[] = []
      if (isTooMany(club, command.write)) return 'too many'
      return pair.both(
        () => pair.as(session, () => club.transact(() => doPlain(pair, command.write, done))),
        () => pair.store.as(session, () => doStored(pair.store, done[0] ?? resolved(pair, command.write))),
      )
    }
    case 'batch':
      return batch(pair, command, tally)
    case 'updateAll':
      return updateAll(pair, command.className, command.changes)
    case 'load': {
      const { className, rows, isEmptied } = command
      if (club.living(className).length + rows.length > MOST) return 'too many'
      const inputs = rows.map(({ values, wrong }) => ({ values: resolvedRow(club, className, values), wrong }))
      const options = isEmptied ? ({ relations: 'null' } as const) : {}
      return pair.both(
        () => loadPlain(club, className, inputs, isEmptied),
        () =>
          pair.store.dataClass(className).load(
            inputs.map(({ values, wrong }) => withWrong(className, values, wrong)),
            options,
          ).count,
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

/** The model goes first, and tells which entities are meant: the n-th living one may be one that the batch itself made. */
function batch(pair: Pair, { mode, steps, session: who }: Extract<Command, { kind: 'batch' }>, tally: Tally): string {
  const { club } = pair
  const session = who === null ? null : pair.sessions[who]
  const done: Resolved[] = []
  const plain = () =>
    steps.flatMap((step) => {
      if (step.do === 'insert' && isTooMany(club, step)) return []
      // A query inside a transaction is not asked while a relation leads nowhere.
      if (step.do === 'look' && club.isDangling) return []
      if (mode === 'atomic') return [doPlain(pair, step, done)]
      const outcome = outcomeOf(() => club.transact(() => doPlain(pair, step, done)))
      if (outcome.code === 'thrown') throw new Thrown()
      tally.count(`${mode} ${step.do}`, outcome.code)
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
    return `${mode} ${code}`
  }
  // Each step is a transaction of its own: what was committed before one that throws stays.
  const expected = outcomeOf(() => pair.as(session, plain))
  mustEqual(
    outcomeOf(() => pair.store.as(session, stored)),
    expected,
  )
  return `${mode} ${expected.code}`
}

function doPlain(pair: Pair, step: Step, done: Resolved[]): unknown {
  const { club } = pair
  const what = resolved(pair, step)
  done.push(what)
  switch (step.do) {
    case 'throw':
      throw new Thrown()
    case 'look':
      return membersOf(club, step.query.className, step.query.filter, step.query.order).map(keyOf)
    case 'insert': {
      const values = resolvedRow(club, step.className, step.values)
      return textOfRecord(club.insert(step.className, { values, wrong: step.wrong ?? null }))
    }
    case 'update': {
      const { className, key, options } = what as Extract<Resolved, { do: 'update' }>
      const values = resolvedRow(club, className, step.values)
      return textOfRecord(club.update(className, key, { values, wrong: step.wrong ?? null }, options.stamp))
    }
    case 'remove': {
      const { className, key, options } = what as Extract<Resolved, { do: 'remove' }>
      club.remove(className, key, options.stamp)
      return null
    }
  }
}

function doStored(store: ClubStore, step: Resolved): unknown {
  switch (step.do) {
    case 'throw':
      throw new Thrown()
    case 'look':
      return found(store, step.query).keys()
    case 'insert':
      return textOfEntity(step.className, store.dataClass(step.className).insert(step.input))
    case 'update': {
      const { className, key, input, options, isEdit } = step
      const change = isEdit ? (draft: Record<string, unknown>) => void Object.assign(draft, input) : input
      return textOfEntity(className, store.dataClass(className).update(key, change, options))
    }
    case 'remove':
      return store.dataClass(step.className).remove(step.key, step.options) ?? null
  }
}

/** The number of updates; a batch that is refused may name the first that is stale rather than the first that is wrong. */
function updateAll(pair: Pair, className: ClassName, changes: readonly Update[]): string {
  const { club } = pair
  const given = changes.map((change) => resolved(pair, change) as Extract<Resolved, { do: 'update' }>)
  const expected = outcomeOf(() =>
    club.transact(() => {
      for (const [i, { key, options }] of given.entries()) {
        const values = resolvedRow(club, className, changes[i].values)
        club.update(className, key, { values, wrong: changes[i].wrong ?? null }, options.stamp)
      }
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
            .updateAll(given.map(({ key, input, options }) => ({ key, patch: input, ...options }))).count,
      )
      if (answer.code === 'ok') return answer.value
      throw new Refused(answer.code === stale[0] && expected.code !== 'ok' ? expected.code : answer.code)
    },
  )
}

/** Rows may refer to each other; whatever refuses one refuses the load. */
function loadPlain(club: PlainClub, className: ClassName, inputs: readonly Input[], isEmptied: boolean): number {
  const loaded = outcomeOf(() =>
    club.transact(() => {
      const records: PlainRecord[] = []
      for (const input of inputs) records.push(club.insert(className, input))
      for (const { owner, key, target } of RELATIONS)
        for (const record of records)
          if (isEmptied && owner === className && club.find(target, record.row[key]) === undefined)
            record.row = { ...record.row, [key]: null }
      return records.length
    }),
  )
  if (loaded.code !== 'ok') throw new Refused('loadRefused')
  return inputs.length
}

/** The n-th living entity and its key, or a key that leads nowhere. */
export function pick(club: PlainClub, className: ClassName, at: number): { key: Key; record: PlainRecord | undefined } {
  const living = club.living(className)
  if (at >= NOWHERE || living.length === 0) return { key: className === 'Pass' ? 'none' : 99, record: undefined }
  const record = living[at % living.length]
  return { key: keyOf(record), record }
}

/** A row with keys where relations have numbers of entities. */
export function resolvedRow(club: PlainClub, className: ClassName, values: Row): Row {
  const row: { [name: string]: Row[string] } = { ...values }
  for (const { owner, key, target } of RELATIONS) {
    const link = row[key]
    if (owner !== className || typeof link !== 'number') continue
    const { key: picked, record } = pick(club, target, link)
    row[key] = record === undefined && link < NOWHERE ? null : picked
  }
  return row
}

const isTooMany = (club: PlainClub, write: Write): boolean =>
  write.do === 'insert' && club.living(write.className).length >= MOST

/** As the store is given it. */
function withWrong(className: ClassName, values: Row, wrong: Input['wrong']): Row {
  const row = values
  if (wrong === 'type')
    return { ...row, [className === 'Player' ? 'score' : className === 'Team' ? 'lead' : 'holder']: 'x' }
  if (wrong === 'name') return { ...row, nothing: 1 }
  if (wrong === 'key') return { ...row, [className === 'Pass' ? 'code' : 'ID']: className === 'Pass' ? 'other' : 77 }
  return row
}

function resolved({ club }: Pair, step: Step): Resolved {
  if (step.do === 'look' || step.do === 'throw') return step
  const { className } = step
  if (step.do === 'insert')
    return {
      do: 'insert',
      className,
      input: withWrong(className, resolvedRow(club, className, step.values), step.wrong),
    }
  const { key, record } = pick(club, className, step.at)
  const options = step.stamp === 'none' ? {} : { stamp: (record?.stamp ?? 1) + (step.stamp === 'stale' ? 1 : 0) }
  if (step.do === 'remove') return { do: 'remove', className, key, options }
  const input = withWrong(className, resolvedRow(club, className, step.values), step.wrong)
  return { do: 'update', className, key, input, options, isEdit: step.isEdit === true }
}
