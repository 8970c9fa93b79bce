import type { StoreError } from '@entia/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import { runs } from '../runs.ts'
import { command, everything, type State } from './async-commands.ts'
import { type AsyncWay, createLeague, type Way } from './league.ts'

/**
 * A value without what differs by design: where media are, who holds a lock, inner errors, and what
 * a message says of a read-only attribute and of the form that a value is sent in.
 */
async function plain(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value
  if ('bytes' in value && typeof value.bytes === 'function')
    return [...((await value.bytes()) as Uint8Array)]
  if (Object.isFrozen(value)) return { frozen: await plain(structuredClone(value)) }
  if (Array.isArray(value)) return Promise.all(value.map(plain))
  const entries = Object.entries(value)
    .filter(([name]) => name !== 'holder' && name !== 'errors')
    .map(
      async ([name, each]) => [name, name === 'message' ? begin(each) : await plain(each)] as const,
    )
  return Object.fromEntries(await Promise.all(entries))
}

const begin = (message: unknown): string =>
  String(message).replace(/(?<= is read-only| takes ).*/, '')

const MISUSE = /^A selection has no entities|^Without a filter, remove/

/** The result, or the error with its code. */
async function outcomeOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await plain(await run())
  } catch (error) {
    const { errCode, errors, name } = error as StoreError
    if (error instanceof TypeError && MISUSE.test(error.message)) return { thrown: error.message }
    if (errCode === undefined) throw error
    expect(name).toMatch(/^(EntiaError|RemoteError)$/)
    return { thrown: errCode, deepest: errors[0]?.errCode }
  }
}

/**
 * Random commands have the same outcomes for two ways to reach a store, and leave the same
 * entities. Copies of values are frozen in both or in none.
 */
export async function expectSameOutcomes(
  ways: readonly [Way | AsyncWay, Way | AsyncWay],
  usualRuns: number,
  sameRecords = true,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 30 }), async (commands) => {
      const sides: { readonly advance: () => void; readonly state: State }[] = []
      for (const way of ways) {
        const { store, advance } = createLeague()
        const open = await way(store)
        sides.push({ advance, state: { users: [open(), open()], copies: new Map(), sameRecords } })
      }
      for (const run of [...commands, everything]) {
        const outcomes: unknown[] = []
        for (const { advance, state } of sides) {
          advance()
          outcomes.push(await outcomeOf(() => run(state)))
        }
        expect(outcomes[0]).toEqual(outcomes[1])
      }
    }),
    runs(usualRuns),
  )
}
