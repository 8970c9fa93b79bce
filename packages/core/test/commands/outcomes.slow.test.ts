import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../runs.ts'
import { commandLists } from './draw-commands.ts'
import { ALL_OUTCOMES, OUTCOMES } from './outcomes.ts'
import { runCommands } from './run-commands.ts'
import { Tally } from './tally.ts'

test('the commands cover every kind and every outcome', () => {
  const tally = new Tally()
  // A fixed seed, so that the outcomes do not depend on luck. Some come once in fifty runs.
  const { failed, errorInstance } = fc.check(
    fc.property(commandLists, (commands) => runCommands(commands, tally)),
    { seed: 6, ...runs(100, 100), endOnFailure: true },
  )
  expect(failed, String(errorInstance)).toBe(false)
  const came = [...tally.counts.keys()]
  expect(came.filter((name) => !ALL_OUTCOMES.includes(name))).toEqual([])
  const kinds = Object.keys(OUTCOMES)
  expect(kinds.filter((kind) => !came.some((name) => name.startsWith(`${kind}: `)))).toEqual([])
  const codeOf = (name: string) => name.split(' ').at(-1)
  const codes = new Set(came.map(codeOf))
  // So few commands seldom fill a dataclass.
  expect(
    new Set(ALL_OUTCOMES.map(codeOf).filter((code) => code !== 'many' && !codes.has(code))),
  ).toEqual(new Set())
})
