import { expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { KIND_NAMES } from './draw-commands.ts'
import { SET_KIND_NAMES } from './draw-set-commands.ts'
import { type CommandList, listOf, reduced, runCommands } from './run-commands.ts'
import { overMirrors, overProcesses, overSql } from './sql-targets.ts'
import { TARGETS, type Target } from './targets.ts'

// `npm run test:long -- commands` with `--target slices,async,saved,sql,processes` runs a million.

/**
 * Two lists of each target: about everything behind a proxy, and about entity sets with logins, in
 * both forms of the target.
 */
const NAMES = [...TARGETS.keys(), 'sql', 'processes', 'mirrors']
const seedsOf = (name: string): readonly number[] => {
  const first = 12 * NAMES.indexOf(name)
  return [first + 5, first + 3]
}
const timeout = 600_000

async function expectSameReplies(name: string, target: Target): Promise<void> {
  for (const seed of seedsOf(name)) {
    const found = await runCommands(target, listOf(seed, target))
    if (found === null) continue
    const { commands, problem } = await reduced(target, seed, found)
    const steps = commands.map((command) => JSON.stringify(command)).join('\n')
    expect.fail(
      `${problem}\n${steps}\nAgain: npm run test:long -- commands --target ${name} --seed ${seed} --commands 1`,
    )
  }
}

test('the lists have every kind of command, and requests at the same time', () => {
  const lists: readonly CommandList[] = [...TARGETS].flatMap(([name, target]) =>
    seedsOf(name).map((seed) => listOf(seed, target)),
  )
  const commands = lists.flatMap((list) => list.commands)
  const kinds = new Set(commands.map(({ kind }) => kind))
  const wanted = [...KIND_NAMES, ...SET_KIND_NAMES, 'restart']
  expect(wanted.filter((kind) => !kinds.has(kind))).toEqual([])
  expect(commands.filter(({ others }) => others !== undefined).length).toBeGreaterThan(20)
})

test.each([...TARGETS])(
  '%s replies to every sequence of requests as a store in memory',
  { timeout },
  expectSameReplies,
)

describeDatabases('commands', { on: 'one', connections: 'several' }, (database) => {
  const { pool } = database
  test(
    'two stores over a database reply as a store in memory, also at the same time',
    { timeout },
    () => expectSameReplies('sql', overSql(pool)),
  )

  test('the same holds for stores with mirrors', { timeout }, () =>
    expectSameReplies('mirrors', overMirrors(pool)),
  )

  test('the same holds if the second store is in another process of the operating system', {
    timeout,
  }, async () => {
    const target = overProcesses(pool, database.connectionString!)
    try {
      await expectSameReplies('processes', target)
    } finally {
      await target.end()
    }
  })
})
