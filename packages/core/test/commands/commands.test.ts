import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../arbitraries.ts'
import { commandLists } from './draw-commands.ts'
import { ALL_OUTCOMES, OUTCOMES } from './outcomes.ts'
import { runCommands } from './run-commands.ts'
import { Tally } from './tally.ts'

// A share of what `npm run test:long` does by the million.

test(
  'a store does what plain arrays do, whatever is done to it in whatever order',
  patience,
  () => {
    fc.assert(
      fc.property(commandLists, (commands) => runCommands(commands)),
      runs(40),
    )
  },
)

test('the commands are of every kind, and end in every way', patience, () => {
  const tally = new Tally()
  // Always the same ones: what they come to is no matter of luck.
  const { failed, errorInstance } = fc.check(
    fc.property(commandLists, (commands) => runCommands(commands, tally)),
    { seed: 6, numRuns: 100, endOnFailure: true },
  )
  expect(failed, String(errorInstance)).toBe(false)
  const came = [...tally.counts.keys()]
  expect(came.filter((name) => !ALL_OUTCOMES.includes(name))).toEqual([])
  const kinds = Object.keys(OUTCOMES)
  expect(kinds.filter((kind) => !came.some((name) => name.startsWith(`${kind}: `)))).toEqual([])
  const codeOf = (name: string) => name.split(' ').at(-1)
  const codes = new Set(came.map(codeOf))
  // A dataclass is seldom full in so few commands.
  expect(
    new Set(ALL_OUTCOMES.map(codeOf).filter((code) => code !== 'many' && !codes.has(code))),
  ).toEqual(new Set())
})
