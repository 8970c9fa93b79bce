import { keyOf as keyOfEntity } from '../../src/index.ts'
import type { Selection } from '../engine/office-store.ts'
import type { SessionHandle } from './club.ts'
import type { Command, Keeping, Query } from './command.ts'
import type { Pair } from './pair.ts'
import { found, orderText } from './perform-query.ts'
import { type ClassName, keyOf, type PlainRecord, Refused } from './plain-model.ts'
import { membersOf, type Order } from './plain-reads.ts'
import type { PlainSet } from './plain-sides.ts'

type SetCommand = Extract<
  Command,
  { kind: 'keepSet' | 'combineSets' | 'cleanSet' | 'readSet' | 'peekSet' | 'releaseSet' }
>
type Members = Pick<PlainSet, 'className' | 'members'>

export function performSet(pair: Pair, command: SetCommand): string {
  const { club, sides } = pair
  if (command.kind === 'keepSet') {
    const { query, how } = command
    const members = membersOf(club, query.className, query.filter, query.order)
    return keep(
      pair,
      how,
      () => ({ className: query.className, members }),
      () => found(pair.store, query),
    )
  }
  const session = command.session === null ? null : pair.sessions[command.session]
  const who = session?.id ?? null
  const { entitySets } = pair.store
  switch (command.kind) {
    case 'combineSets': {
      const { word, how } = command
      const [left, right] = [pair.sets[command.left], pair.sets[command.right]]
      const plain = () =>
        combined(pair, sides.existing(left, who), word, () => sides.existing(right, who))
      const stored = () => entitySets.combine(left, word, right, session)
      if (how !== null && word !== 'INTERSECT')
        return keep(pair, how, plain as () => Members, stored as () => Selection)
      return `read ${pair.both(
        () => answerOf(plain()),
        () => keysOf(stored()),
      )}`
    }
    case 'cleanSet': {
      const id = pair.sets[command.set]
      const plain = () => {
        const { className, members } = sides.existing(id, who)
        return { className, members: members.filter((record) => club.isLiving(record)) }
      }
      const stored = () => entitySets.clean(id, session)
      if (command.how !== null) return keep(pair, command.how, plain, stored)
      return `read ${pair.both(
        () => answerOf(plain()),
        () => keysOf(stored()),
      )}`
    }
    case 'readSet': {
      const id = pair.sets[command.set]
      return read(
        pair,
        () => sides.get(id, who),
        () => entitySets.get(id, session),
        command.order,
      )
    }
    case 'peekSet': {
      const id = pair.sets[command.set]
      return read(
        pair,
        () => sides.peek(id, who),
        () => entitySets.peek(id, session),
        [],
      )
    }
    case 'releaseSet': {
      const id = pair.sets[command.set]
      let isThere = false
      const code = pair.both(
        () => (isThere = sides.release(id, who)),
        () => entitySets.release(id, session),
      )
      return isThere ? code : 'absent'
    }
  }
}

/** Stores the selections of both under an id that the store chooses, or under the old id again. */
function keep(pair: Pair, how: Keeping, plain: () => Members, stored: () => Selection): string {
  const owner: SessionHandle | null = how.owner === null ? null : pair.sessions[how.owner]
  const old = pair.sets[how.handle]
  const given = {
    ...(how.seconds === null ? {} : { lifetimeSeconds: how.seconds }),
    ...(owner === null ? {} : { owner }),
    ...(how.isAnew ? { id: old } : {}),
  }
  let kept: Members | null = null
  const seconds = how.seconds ?? 7200
  // The store chooses the id of a new set, so the model uses a temporary name until then.
  const code = pair.both(
    () => {
      kept = plain()
      pair.sides.keep(how.isAnew ? old : 'new', kept, seconds, owner?.id ?? null)
    },
    () => {
      const id = pair.store.entitySets.create(stored(), given)
      if (how.isAnew) return
      pair.sets[how.handle] = id
      pair.sides.rename('new', id)
    },
  )
  return `keep ${code}`
}

function combined(
  { club }: Pair,
  left: Members,
  word: 'AND' | 'OR' | 'EXCEPT' | 'INTERSECT',
  other: () => Members,
): Members | boolean {
  const right = other()
  if (left.className !== right.className) throw new Refused('selectionMismatch')
  const living = left.members.filter((record) => club.isLiving(record))
  const others = right.members.filter((record) => club.isLiving(record))
  const both = living.filter((record) => others.includes(record))
  if (word === 'INTERSECT') return both.length > 0
  const { className } = left
  if (word === 'AND') return { className, members: both }
  if (word === 'EXCEPT')
    return { className, members: living.filter((record) => !others.includes(record)) }
  return { className, members: [...living, ...others.filter((record) => !living.includes(record))] }
}

const answerOf = (made: Members | boolean): unknown =>
  typeof made === 'boolean' ? made : made.members.map(keyOf)
const keysOf = (made: Selection | boolean): unknown =>
  typeof made === 'boolean' ? made : made.keys()

/**
 * Members in their places, removed ones as null. In an order of a dataclass with the attributes,
 * removed members come last.
 */
function read(
  pair: Pair,
  plain: () => PlainSet | undefined,
  stored: () => Selection | undefined,
  order: readonly Order[],
): string {
  const { club } = pair
  let isThere = false
  let by: readonly Order[] = []
  const code = pair.both(
    () => {
      const set = plain()
      isThere = set !== undefined
      if (set === undefined) return null
      if (set.className === 'Player') by = order
      return tell(club.isLiving.bind(club), inOrder(pair, set.className, set.members, by))
    },
    () => {
      const kept = stored()
      if (kept === undefined) return null
      const selection = by.length === 0 ? kept : kept.orderBy(orderText(by))
      return [
        selection.count,
        selection.members().map((entity) => (entity === undefined ? null : keyOfEntity(entity))),
        selection.keys(),
      ]
    },
  )
  return isThere ? code : 'absent'
}

function tell(
  isLiving: (record: PlainRecord) => boolean,
  members: readonly PlainRecord[],
): unknown {
  const keys = members.map((record) => (isLiving(record) ? keyOf(record) : null))
  return [members.length, keys, keys.filter((key) => key !== null)]
}

function inOrder(
  { club }: Pair,
  className: ClassName,
  members: readonly PlainRecord[],
  order: readonly Order[],
) {
  if (order.length === 0) return members
  const query: Query = { className, filter: null, order }
  const living = membersOf(club, className, query.filter, query.order).filter((record) =>
    members.includes(record),
  )
  return [...living, ...members.filter((record) => !club.isLiving(record))]
}
