import fc from 'fast-check'
import { test } from 'vitest'
import { patience, runs } from '../runs.ts'
import { commandLists } from './draw-commands.ts'
import { runCommands } from './run-commands.ts'

// `npm run test:long -- commands` runs a million of these commands.

test('a store equals plain arrays after any sequence of commands', patience, () => {
  fc.assert(
    fc.property(commandLists, (commands) => runCommands(commands)),
    runs(40),
  )
})
