import { createNameRules, DEFAULT_FILTER_LIMITS, ViewFilters } from '@entia/core/internal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../../../core/test/differential/random.ts'
import { newStore, randomWorld, type Store } from '../../../core/test/differential/world.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { AskedSelection, type Reading } from './asked.ts'
import type { TestDatabase } from './databases.ts'
import { createTables, differentialModel, fillTables } from './tables.ts'

const model = differentialModel('unusual')

const TEXTS = ['a', 'ab', 'A b', 'É', 'b', '', 'a\u0001', '\ud7ff', '\ue000', '\u{10ffff}', 'ǆ']

const NUL = ['a\0', '\0', 'a\0b', '\0a', 'ab\0']
const COMPARATORS = ['=', '===', '!=', '!==', '<', '<=', '>', '>=', 'begin', 'end', '%']
const PROPERTIES = ['0', '1', '01', '-1', ' 1', '+1', 'length', '4294967295', '99999999999', 'a\0']

/** Values and names that a database reads otherwise than JavaScript does. */
export function describeUnusual(databaseOf: () => TestDatabase): void {
  describe('unusual values and names', () => {
    let store: Store
    let reading: Reading

    beforeAll(async () => {
      const database = databaseOf()
      for (const text of createTables(model)) await database.run(text)
      const random = new Random(3, 1)
      const drawn = randomWorld(random)
      // Names that PostgreSQL would read as places in a list, and lists to read them in.
      const notes = [
        { tags: ['a', 1, 'É'], list: [{ k: 1 }, 2], length: 'a' },
        { tags: { 0: 'a', '01': 'b', '-1': 'c', ' 1': 'd', '+1': 'e', length: 2 }, length: 7 },
        { tags: 'a', list: [[1, 2], []] },
        [5, 'x', null],
        [],
      ]
      const Item = Array.from({ length: 12 }, (_, at) => ({
        position: at,
        row: {
          ID: at + 1,
          text: TEXTS[at] ?? null,
          exactText: TEXTS[at] ?? null,
          notes: notes[at] ?? null,
        },
      }))
      const world = { ...drawn, rows: { Place: [], Owner: [], Item } }
      store = newStore()
      store.dataClass('Item').load(Item.map(({ row }) => row))
      await database.rows(fillTables(model, world).map(statementOf))
      const filters = new ViewFilters(createNameRules(DEFAULT_FILTER_LIMITS), model.catalog, {})
      reading = { random, world, model, filters, table: (name) => store.dataClass(name) }
    })
    afterAll(async () => {
      store.close()
      await databaseOf().run('DROP SCHEMA unusual CASCADE')
    })

    test.each(COMPARATORS)(
      'text with U+0000 next to %s finds the same entities as in memory',
      async (sign) => {
        for (const path of ['text', 'exactText', 'notes.tags', 'notes.tags[]'])
          for (const text of [...NUL, ...NUL.map((each) => `${each}@`)]) {
            await same(`${path} ${sign} :1`, [text])
            await same(`not (${path} ${sign} :1)`, [text])
            if (sign === '=') await same(`${path} in :1`, [[text, 'a', `b${text}@`]])
          }
      },
    )

    test('property names that look like numbers are followed as in memory', async () => {
      for (const name of PROPERTIES)
        for (const [sign, value] of [
          ['=', 'a'],
          ['=', 1],
          ['!=', 'a'],
          ['>', 0],
        ])
          for (const path of [
            ['notes', name],
            ['notes', 'tags', name],
            ['notes', 'list', '0', name],
          ])
            await same(`:path ${sign} :value`, { path, value })
    })

    test('lengths, null and empty collections are compared as in memory', async () => {
      for (const path of [
        'notes.length',
        'notes.tags.length',
        'notes.list[].length',
        'notes[].length',
      ])
        for (const condition of [
          '= null',
          '!= null',
          '= 2',
          '!= 2',
          '> 1',
          '= 7',
          "= 'a'",
          'in [0, 3]',
        ])
          for (const text of [`${path} ${condition}`, `not ${path} ${condition}`])
            await same(text, [])
    })

    test('numbers beyond a column select all or nothing', async () => {
      for (const path of ['long', 'long64', 'ID', 'dayIndexed', 'instant'])
        for (const sign of ['=', '!=', '<', '<=', '>', '>=', 'in'])
          for (const value of [1e300, -1e300, 2 ** 53, -(2 ** 31) - 1, 2 ** 31, 0.5, -0.5, 3]) {
            const isDate = path === 'dayIndexed' || path === 'instant'
            if (isDate && (!Number.isInteger(value) || Math.abs(value) > 8e15)) continue
            await same(`${path} ${sign} :1`, [sign === 'in' ? [value, 1] : value])
            await same(`not (${path} ${sign} :1)`, [sign === 'in' ? [value, 1] : value])
          }
    })

    async function same(text: string, parameters: object): Promise<void> {
      const asked = new AskedSelection(reading, { root: 'Item' } as never, {
        text,
        parameters: parameters as never,
      })
      const { question, expected, isSuperset } = asked.members()
      expect(isSuperset).toBe(false)
      const [rows] = await databaseOf().rows([statementOf(question.select)])
      const found = question.answer(rows!)
      expect({ text, parameters, found }).toEqual({ text, parameters, found: expected })
    }
  })
}
