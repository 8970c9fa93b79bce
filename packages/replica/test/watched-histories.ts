import fc from 'fast-check'
import { expect } from 'vitest'
import { type Replica, replicate } from '../src/index.ts'
import { sentShapes as requested } from '../src/shapes.ts'
import { PAUSES } from './office.ts'
import {
  createWatched,
  heldBy,
  NAMES,
  type Name,
  type Permissions,
  seenBy,
  sentShapes,
  shown,
  WATCHED,
  WatchedCaller,
  type WatchedShapes,
  type World,
  worldOf,
} from './watched-office.ts'

const nat = fc.nat(3)
const maybe = <T>(each: fc.Arbitrary<T>) => fc.option(each, { freq: 2, nil: null })
export const permissions: fc.Arbitrary<Permissions> = fc.record({
  rows: fc.record({ Company: maybe(fc.nat(3)), Employee: maybe(fc.nat(5)), Access: maybe(nat) }),
  hidden: fc.subarray(['Company.revenue', 'Employee.name']),
})
const shape = fc.record({ filter: maybe(fc.nat(5)), paths: fc.array(nat, { maxLength: 2 }) })
export const shapes: fc.Arbitrary<WatchedShapes> = fc
  .record({ Company: shape, Employee: shape, Access: shape }, { requiredKeys: [] })
  .filter((each) => Object.keys(each).length > 0)
export const change = fc.record({
  name: fc.constantFrom<Name>('Company', 'Employee', 'Employee', 'Access'),
  key: fc.nat(4),
  isRemoval: fc.nat(5).map((at) => at === 0),
  /** An update of a value alone leaves relations as they are. */
  isPart: fc.boolean(),
  value: nat,
  one: fc.nat(2),
  other: fc.nat(4),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never
const commit = fc.array(change, { minLength: 1, maxLength: 8 })
const of = fc.nat(1)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('commit' as const), commit }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('grant' as const), of, permissions }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: nat }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wire' as const), of }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reshape' as const), of, shapes }) },
)

export const watchedHistories = fc.record({
  commits: fc.constantFrom(0, 2, 100),
  before: fc.array(change, { minLength: 8, maxLength: 20 }),
  callers: fc.tuple(fc.record({ permissions, shapes }), fc.record({ permissions, shapes })),
  steps: fc.array(step, { minLength: 4, maxLength: 16 }),
})
type History = typeof watchedHistories extends fc.Arbitrary<infer T> ? T : never

type Store = ReturnType<typeof createWatched>['store']

export function write(
  tx: Store,
  { name, key, isRemoval, isPart, value, one, other }: Change,
): void {
  const table = tx.dataClass(name) as {
    get(key: string): object | undefined
    remove(key: string): void
    insert(values: object): void
    update(key: string, values: object): void
  }
  const keyOf = (of: Name, at: number): string | null =>
    (tx.dataClass(of) as typeof table).get(`${of[0]}${at}`) === undefined ? null : `${of[0]}${at}`
  const ID = `${name[0]}${key}`
  const exists = table.get(ID) !== undefined
  if (isRemoval) {
    if (exists) table.remove(ID)
    return
  }
  const values =
    name === 'Company'
      ? { city: ['Paris', 'Rome', null, 'Paris'][value], revenue: one }
      : name === 'Employee'
        ? {
            name: `n${other}`,
            salary: value,
            employer: keyOf('Company', one),
            manager: keyOf('Employee', other),
          }
        : { user: ['ann', 'bob', null, 'ann'][value], company: keyOf('Company', one) }
  if (exists && isPart) table.update(ID, name === 'Employee' ? { salary: value } : values)
  else if (exists) table.update(ID, values)
  else table.insert({ ID, ...values })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What was met in many histories. */
export interface Met {
  moments: number
  characters: number
}

/**
 * Two callers with permissions of their own, which change, follow one store. What leaves the server
 * is what the caller may see at that time; and each moment of a replica is one of the store.
 */
export async function runWatched(history: History, met: Met): Promise<void> {
  const { store } = createWatched(history.commits)
  const commitOf = (changes: readonly Change[]): void =>
    store.transact((tx) => {
      for (const each of changes) write(tx as never, each)
    })
  commitOf(history.before)
  /** The store at each commit. */
  const worlds = new Map<number, World>([[store.globalStamp, worldOf(store)]])
  store.on('commit', () => worlds.set(store.globalStamp, worldOf(store)))
  const all = await Promise.all(
    history.callers.map((given) =>
      openWatched(store, worlds, given.permissions, given.shapes, met),
    ),
  )
  for (const each of history.steps)
    switch (each.kind) {
      case 'commit':
        commitOf(each.commit)
        break
      case 'grant':
        all[each.of]!.caller.change(each.permissions)
        break
      case 'wait':
        for (let at = 0; at < each.turns; at++) await turn()
        break
      case 'wire': {
        const { caller } = all[each.of]!
        if (caller.isUp) caller.cut()
        else caller.isUp = true
        break
      }
      case 'reshape':
        await all[each.of]!.reshape(each.shapes)
    }
  for (const one of all) await one.end()
  for (const { caller } of all) {
    met.characters += caller.lines
    expect(caller.leaks).toEqual([])
    caller.rest.endStreams()
  }
  store.close()
}

async function openWatched(
  store: Store,
  worlds: ReadonlyMap<number, World>,
  permissions: Permissions,
  given: WatchedShapes,
  met: Met,
) {
  const caller = new WatchedCaller(store, permissions)
  const errors: unknown[] = []
  let asked = given
  const replica: Replica = (await replicate(caller.db, {
    dataClasses: WATCHED,
    shapes: sentShapes(given),
    partial: true,
    pauses: PAUSES,
    onError: (error) => errors.push(error),
  })) as never
  const place = () => replica.store.dataClass('ReplicaPlace').get('place') as never as PlaceEntity
  let last = ''
  const check = (): void => {
    const { at, contents } = place()
    const moment = JSON.stringify([at.globalStamp, contents.shapes, at.fingerprint])
    if (moment === last) return
    last = moment
    met.moments++
    // The shapes of a stream are those of its request.
    const shapes = [asked, ...former].find(
      (each) => textOf(requested(sentShapes(each))) === textOf(contents.shapes),
    )
    const wanted = heldBy(shapes!, seenBy(caller.opened, worlds.get(at.globalStamp)!))
    try {
      expect(shown(worldOf(replica.store), () => true)).toEqual(wanted)
      replica.store.verify()
    } catch (error) {
      errors.push(error)
    }
  }
  const former: WatchedShapes[] = []
  check()
  const stop = replica.subscribe(check)
  return {
    caller,
    async reshape(shapes: WatchedShapes): Promise<void> {
      former.push(asked)
      asked = shapes
      const next = {
        ...Object.fromEntries(NAMES.map((name) => [name, null])),
        ...sentShapes(shapes),
      }
      if (caller.isUp) await replica.reshape(next as never)
      else void replica.reshape(next as never).catch((error: unknown) => errors.push(error))
    },
    async end(): Promise<void> {
      caller.isUp = true
      const isSame = (): boolean => {
        const wanted = heldBy(asked, seenBy(caller.permissions, worldOf(store)))
        return JSON.stringify(shown(worldOf(replica.store), () => true)) === JSON.stringify(wanted)
      }
      for (let patience = 2000; !isSame() && errors.length === 0; patience--) {
        if (patience === 0)
          expect(shown(worldOf(replica.store), () => true)).toEqual(
            heldBy(asked, seenBy(caller.permissions, worldOf(store))),
          )
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      expect(errors).toEqual([])
      stop()
      await replica.close()
    },
  }
}

interface PlaceEntity {
  readonly at: { readonly globalStamp: number; readonly fingerprint: string }
  readonly contents: { readonly shapes: { readonly [name: string]: unknown } }
}

const textOf = (shapes: { readonly [name: string]: unknown }): string =>
  JSON.stringify(NAMES.map((name) => shapes[name] ?? null))
