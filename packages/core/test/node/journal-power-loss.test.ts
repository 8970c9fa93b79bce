import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Journal } from '../../src/persistence/journal/store-journal.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { fraction } from '../fraction.ts'
import { patience, runs } from '../runs.ts'
import { byHand, type League, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

type Step =
  | { readonly kind: 'write'; readonly choice: number; readonly value: number }
  | { readonly kind: 'flush' | 'compact' | 'flushLater' | 'compactLater' | 'reopen' }

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        choice: fc.nat(6),
        value: fc.nat(5),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom<'flush' | 'compact' | 'flushLater' | 'compactLater' | 'reopen'>(
          'flush',
          'compact',
          'flushLater',
          'compactLater',
          'reopen',
        ),
      }),
    },
  ),
  { maxLength: 25 },
)

/** One commit, or none where it is refused. */
function write(
  store: League,
  { choice, value }: { choice: number; value: number },
  snapshots: ReturnType<League['snapshot']>[],
): void {
  const player = store.Player.all().toArray()[value % Math.max(1, store.Player.all().count)]
  try {
    if (choice === 0) store.Player.insert({ name: `n${value}`, notes: { value, é: [null, 'x'] } })
    else if (choice === 1 && player !== undefined)
      store.Player.update(player.ID, { name: `m${value}` })
    else if (choice === 2 && player !== undefined) store.Player.remove(player.ID)
    else if (choice === 3) store.Team.insert({ code: `t${value}`, motto: `m${value}` })
    else if (choice === 4)
      store.transact(() => {
        // Unique values change hands within one commit.
        const [a, b] = store.Team.all().toArray()
        store.Team.update(a.code, { motto: 'between' })
        store.Team.update(b.code, { motto: a.motto })
        store.Team.update(a.code, { motto: b.motto })
        store.Player.insert({ name: 'of a', team: a })
      })
    else if (choice === 5) snapshots.push(store.snapshot())
    else if (choice === 6 && snapshots[0] !== undefined) store.restore(snapshots[0])
  } catch {
    // Refused: nothing is committed.
  }
}

/**
 * Runs until the power is lost; answers the states by global stamp, and the last one that was
 * promised.
 */
async function live(
  files: MemoryFiles,
  given: readonly Step[],
): Promise<{ states: Map<number, string>; promised: number }> {
  const states = new Map<number, string>()
  const waiting: Promise<void>[] = []
  let promised = -1
  let store = newLeague()
  let journal: Journal
  try {
    journal = await openJournal(store, 'data', byHand, portsOver(files))
  } catch {
    return { states, promised }
  }
  states.set(store.globalStamp, textOf(store))
  promised = store.globalStamp
  const promise = (kept: Promise<void>): Promise<void> => {
    const stamp = store.globalStamp
    return kept.then(
      () => void (promised = Math.max(promised, stamp)),
      () => undefined,
    )
  }
  let snapshots: ReturnType<League['snapshot']>[] = []
  for (const step of given) {
    if (step.kind === 'write') {
      write(store, step, snapshots)
      states.set(store.globalStamp, textOf(store))
    } else if (step.kind === 'flush') await promise(journal.flush())
    else if (step.kind === 'compact') await promise(journal.compact())
    else if (step.kind === 'reopen') {
      await promise(journal.close())
      store = newLeague()
      snapshots = []
      try {
        journal = await openJournal(store, 'data', byHand, portsOver(files))
      } catch {
        break
      }
    } else waiting.push(promise(step.kind === 'flushLater' ? journal.flush() : journal.compact()))
  }
  await Promise.all(waiting)
  return { states, promised }
}

test(
  'after a power loss at any time the store has an earlier state, and none older than the last flush',
  patience,
  async () => {
    let lossesInside = 0
    let recoveredMore = 0
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.nat(60),
        fc.infiniteStream(fraction),
        async (given, at, stream) => {
          const files = new MemoryFiles()
          files.stepsLeft = at
          const { states, promised } = await live(files, given)
          if (files.stepsLeft <= 0) lossesInside++
          const found = files.afterPowerLoss(() => stream.next().value as number)
          const store = newLeague()
          const journal = await openJournal(store, 'data', byHand, portsOver(found, 2))
          store.verify()
          const state = textOf(store)
          if (store.globalStamp > promised && promised >= 0) recoveredMore++
          if (promised < 0) expect([undefined, state]).toContain(states.get(store.globalStamp))
          else {
            expect(store.globalStamp).toBeGreaterThanOrEqual(promised)
            expect(state).toBe(states.get(store.globalStamp))
          }
          // It goes on, and is found again.
          const before = store.globalStamp
          store.Player.insert({ name: 'after' })
          await journal.close()
          const again = newLeague()
          const second = await openJournal(again, 'data', byHand, portsOver(found, 3))
          expect(again.globalStamp).toBe(before + 1)
          expect(again.dump()).toEqual(store.dump())
          await second.close()
        },
      ),
      // Whatever was written survives, also a commit whose flush the power loss ends.
      {
        ...runs(150, 150),
        examples: Array.from({ length: 15 }, (_, at): [Step[], number, fc.Stream<number>] => [
          [{ kind: 'write', choice: 0, value: 0 }, { kind: 'flush' }],
          20 + at,
          fc.sample(fc.infiniteStream(fc.constant<number>(0.999)), 1)[0]!,
        ]),
      },
    )
    expect(lossesInside).toBeGreaterThan(10)
    expect(recoveredMore).toBeGreaterThan(0)
  },
)
