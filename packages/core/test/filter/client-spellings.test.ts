import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { createDataStore } from '../../src/store/create-store.ts'
import { runs } from '../runs.ts'

const Team = defineDataClass('Team', {
  code: attribute.string({ key: true }),
  name: attribute.string(),
  players: attribute.relatedEntities('Player', 'team'),
})
const Player = defineDataClass('Player', {
  number: attribute.long({ key: true }),
  isActive: attribute.bool({ indexed: true }),
  isGuest: attribute.bool(),
  facts: attribute.object(),
  team: attribute.relatedEntity('Team'),
})

function createLeague() {
  const store = createDataStore({ name: 'league', dataClasses: [Team, Player] })
  for (const code of ['a', 'B', 'c']) store.Team.insert({ code, name: `Team ${code}` })
  for (let number = 1; number <= 12; number++)
    store.Player.insert({
      number,
      isActive: number % 3 === 0 ? null : number % 2 === 0,
      isGuest: number % 5 === 0,
      facts: { late: number % 4 === 0, word: number % 4 === 0 ? 'True' : 'no' },
      team: ['a', 'B', 'c', null][number % 4],
    })
  return store
}

const store = createLeague()
const outcome = (ask: () => unknown): unknown => {
  try {
    return ask()
  } catch (error) {
    if (isEntiaError(error)) return error.code
    throw error
  }
}
const spelt = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((capitals) =>
      [...word].map((letter, at) => (capitals[at] ? letter.toUpperCase() : letter)).join(''),
    )

describe('spellings that clients send', () => {
  test('booleans and null in any case are the same values, in every place', () => {
    const word = fc.constantFrom('true', 'false', 'null')
    const cased = word.chain((plain) => spelt(plain).map((written) => ({ plain, written })))
    const shape = fc.constantFrom<(word: string) => [filter: string, params?: unknown[]]>(
      (word) => [`isActive = ${word}`],
      (word) => [`isGuest != ${word}`],
      (word) => [`facts.late = ${word}`],
      (word) => [`team.players.isActive = ${word}`],
      (word) => [`isActive is ${word} and isGuest = false`],
      (word) => [`isActive in [${word}]`],
      (word) => [`isActive = '${word}'`],
      (word) => [`isActive = :1`, [word]],
      (word) => [`isGuest in :1`, [[word]]],
    )
    fc.assert(
      fc.property(cased, shape, ({ plain, written }, ask) => {
        const keys = (text: string) =>
          outcome(() => store.Player.query(...(ask(text) as [string])).keys())
        expect(keys(written)).toEqual(keys(plain))
      }),
    )
  })

  test('a text in quotes beside a property stays a text', () => {
    expect(store.Player.query("facts.word = 'true'").keys()).toEqual([4, 8, 12])
    expect(store.Player.query("facts.late = 'True'").count).toBe(0)
    expect(store.Player.query('facts.late = True').keys()).toEqual([4, 8, 12])
  })

  test('__KEY is the key attribute wherever a path can stand', () => {
    const pair = fc.constantFrom<[string, string, unknown[]?]>(
      ['__KEY = 3', 'number = 3'],
      ["__KEY = '3'", 'number = 3'],
      ['__KEY in :1', 'number in :1', [[2, 5, 99]]],
      ['__KEY in :1', 'number in :1', [['2', '5', '99']]],
      ['__KEY > :1 order by __KEY desc', 'number > :1 order by number desc', [4]],
      ['team.__KEY = b', 'team.code = b'],
      ['team.__KEY = null', 'team.code = null'],
      ['team.__KEY in [a, c] order by team.__KEY', 'team.code in [a, c] order by team.code'],
      ['not __KEY <= 4', 'not number <= 4'],
      ['team.players.__KEY = 7', 'team.players.number = 7'],
      ["__KEY = 'x'", "number = 'x'"],
    )
    fc.assert(
      fc.property(pair, ([written, plain, params]) => {
        const ask = (text: string) =>
          outcome(() => {
            const { root, condition } = store.Player.explain(text, params as unknown[])
            return { keys: store.Player.query(text, params as unknown[]).keys(), root, condition }
          })
        expect(ask(written)).toEqual(ask(plain))
      }),
      runs(60),
    )
    expect(store.Player.all().distinct('__KEY' as never)).toEqual(
      store.Player.all().distinct('number'),
    )
    expect(
      store.Player.all()
        .orderBy('__KEY desc' as never)
        .first()?.number,
    ).toBe(12)
    expect(store.Team.query("__KEY = 'b'").count).toBe(0)
    expect(store.Player.query('number = 3').select('__KEY,team.__KEY' as never)).toEqual([
      { __KEY: 3, team: null },
    ])
  })

  test('__KEY is unknown to a reader from whom the key attribute is hidden', () => {
    const view = store.view({ hides: ({ name }) => name === 'number' })
    expect(outcome(() => view.dataClass('Player').query('__KEY = 3'))).toBe(
      'filterCannotBeAnalysed',
    )
  })
})
