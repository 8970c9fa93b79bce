import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyDataStore, openDump } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createShop, opened, SHOP } from './shop.ts'
import { until } from './waiting.ts'

const WIRE = ['connect', 'cut', 'reload', 'lose'] as const
type ServerStep = 'server' | 'restart' | 'backup' | 'restore'
type Step =
  | { readonly kind: 'add'; readonly replica: number; readonly count: number }
  | { readonly kind: 'wire'; readonly does: (typeof WIRE)[number]; readonly replica: number }
  | { readonly kind: ServerStep }
  | { readonly kind: 'wait'; readonly turns: number }

const number = fc.nat(2)
const server = (kind: ServerStep): fc.Arbitrary<Step> => fc.constant({ kind })

/** Steps of three replicas and a server; with `restores`, it is put back to a backup. */
export const histories = (restores: boolean): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 7,
        arbitrary: fc.record({
          kind: fc.constant('add' as const),
          replica: number,
          count: fc.integer({ min: 1, max: 3 }),
        }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('wire' as const),
          does: fc.constantFrom(...WIRE),
          replica: number,
        }),
      },
      { weight: 1, arbitrary: server('server') },
      { weight: 1, arbitrary: server('restart') },
      ...(restores
        ? [
            { weight: 1, arbitrary: server('backup') },
            { weight: 2, arbitrary: server('restore') },
          ]
        : []),
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.nat(8) }),
      },
    ),
    { maxLength: 30 },
  )

/** How many keys each replica leases at a time. */
export const sizes = fc.tuple(
  fc.integer({ min: 1, max: 5 }),
  fc.integer({ min: 1, max: 5 }),
  fc.constant(50),
)

interface Given {
  readonly key: number
  readonly text: string
  /** 0 for the server. */
  readonly number: number
  readonly replica: number
  /** How often the server had been restored when it leased or confirmed the key. */
  readonly restores: number
}

/**
 * Runs a history and checks that each insertion is at the server under the key that was given for
 * it, or a problem, or was lost with a server that was put back; and that replicas work again.
 */
export async function runHistory(steps: readonly Step[], sizes: readonly number[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'entia-leases-'))
  let { store, rest } = createShop()
  let backup = store.dump()
  let restores = 0
  /** Requests that a server reads when its process ends are not answered. */
  let ended = 0
  const fetch = async (request: Request): Promise<Response> => {
    const process = ended
    const server = rest
    const response = await server.fetch(request)
    // The answers of a server that was put back may be late; its streams have ended.
    const isStream = request.url.endsWith('$replica')
    if (process !== ended || (isStream && server !== rest))
      throw new TypeError('The process has ended.')
    return response
  }
  const start = (dump: typeof backup): void => {
    rest.endStreams()
    store = openDump(dump, SHOP)
    restoresOf.set(store.id, restores)
    rest = createRestHandler(store, { replicas: true })
  }
  // One replica is kept on its device: opening journals takes most of the time.
  const open = (at: number, isUp: boolean) =>
    opened({ rest: { fetch } as never }, sizes[at]!, {
      isUp,
      ...(at === 0 && {
        keep: async (store: AnyDataStore) => {
          const journal = await openJournal(store, join(folder, `${at}`))
          // The next start reads a dump of the store in place of commits.
          await journal.compact()
          return journal
        },
      }),
    })
  const all = await Promise.all(sizes.map((_, at) => open(at, true)))
  const errors: unknown[] = []
  const given: Given[] = []
  let count = 0
  /** How often the server had been restored when an instance began. */
  const restoresOf = new Map([[store.id, 0]])
  const note = (each: Given): void => {
    // A server that is put back gives keys again that it no longer knows.
    if (restores === 0) expect(given.map(({ key }) => key)).not.toContain(each.key)
    given.push(each)
  }
  const add = async (replica: number, size: number): Promise<boolean> => {
    const texts = Array.from({ length: size }, () => `${++count}`)
    try {
      let instance = ''
      const { store: own, transact } = all[replica]!.replica
      const { result, number } = await transact((tx) => {
        instance = placeOf(own).keys?.Order?.instance ?? ''
        return texts.map((text) => tx.Order.insert({ text }).ID)
      })
      const known = restoresOf.get(instance)!
      for (const [at, key] of result.entries())
        note({ key, text: texts[at]!, number, replica, restores: known })
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'keysUsedUp' })
      return false
    }
  }
  for (const each of steps) {
    if (each.kind === 'wait') for (let at = 0; at < each.turns; at++) await turn()
    else if (each.kind === 'server') {
      const text = `${++count}`
      note({ key: store.Order.insert({ text }).ID, text, number: 0, replica: -1, restores })
    } else if (each.kind === 'backup') backup = store.dump()
    else if (each.kind === 'restart') {
      ended++
      start(store.dump())
    } else if (each.kind === 'restore') {
      restores++
      // The former server still answers what it has begun to read: its answers arrive late.
      start(backup)
    } else if (each.kind === 'add') await add(each.replica, each.count)
    else if (each.kind === 'wire') {
      const one = all[each.replica]!
      if (each.does === 'connect') one.connect()
      else if (each.does === 'cut') one.cut()
      else if (each.does === 'lose') one.wire.lost++
      else if (each.replica === 0) {
        await one.replica.close()
        errors.push(...one.errors)
        all[0] = await open(0, one.wire.isUp)
      }
    }
  }
  for (const { connect } of all) connect()
  for (const { replica } of all) await until(() => placeOf(replica.store).at.instance === store.id)
  for (const { replica } of all) await replica.current()
  // Whatever was before: keys of a replica that is current are good.
  for (const [at, { replica }] of all.entries()) {
    const before = replica.problems.count
    expect(await add(at, 1)).toBe(true)
    await replica.current()
    expect(replica.problems.count).toBe(before)
  }
  for (const one of all) errors.push(...one.errors)
  expect(errors).toEqual([])
  const stored = new Map([...store.Order.all()].map(({ ID, text }) => [text, ID]))
  expect(stored.size).toBe(store.Order.all().count)
  for (const { key, text, number, replica, restores: known } of given) {
    const problem = number === 0 ? undefined : all[replica]!.replica.problem(number)
    if (problem !== undefined) {
      expect(known).toBeLessThan(restores)
      expect(['keyNotLeased', 'keyNotUnique']).toContain(problem.errors.at(-1)?.code)
      expect(stored.has(text)).toBe(false)
    } else if (stored.has(text) || known === restores) expect(stored.get(text)).toBe(key)
    stored.delete(text)
  }
  expect(stored.size).toBe(0)
  store.verify()
  for (const { replica } of all) {
    const keys = store.Order.all().orderBy('ID').keys()
    await until(() => replica.store.Order.all().count === keys.length)
    expect(replica.store.Order.all().orderBy('ID').keys()).toEqual(keys)
    replica.store.verify()
    await replica.close()
  }
  await rm(folder, { recursive: true })
}

const placeOf = (store: AnyDataStore) =>
  store.dataClass('ReplicaPlace').get('place') as unknown as {
    readonly at: { readonly instance: string }
    readonly keys: null | { readonly Order?: { readonly instance: string } }
  }

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
