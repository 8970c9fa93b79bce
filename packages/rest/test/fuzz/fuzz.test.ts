import { expect, test } from 'vitest'
import { DEFAULT_FILTER_LIMITS } from '../../../core/src/filter/filter-errors.ts'
import { parse } from '../../../core/src/filter/parser.generated.ts'
import { splitQuery } from '../../src/request/query-string.ts'
import { Chance } from './chance.ts'
import { FILTER_SHAPES, REQUEST_SHAPES } from './growth.ts'
import { PARSERS } from './parsers.ts'
import { anyRequest, Target } from './requests.ts'
import { fuzzParsers, fuzzRequests, replay } from './run.ts'
import { inputOf, replayLine, tryInput } from './try-input.ts'

// A small part of `npm run test:long -- fuzz`; ENTIA_RUNS enlarges it.
const RUNS = Number(process.env.ENTIA_RUNS ?? 1)
const SEED = 20_260

test('every input is read consistently or refused with an expected code', async () => {
  const reports = []
  for await (const report of fuzzParsers(SEED, 4000 * RUNS)) reports.push(report)
  expect(reports.flatMap(({ findings }) => findings)).toEqual([])
  expect(reports.map(({ name }) => name)).toEqual(PARSERS.map(({ name }) => name))
  for (const { name, inputs, outcomes } of reports) {
    // Equal outcomes for all inputs would prove nothing.
    const read = outcomes.get('read') ?? 0
    const never = ['value', 'header']
    expect([name, read > 0, read < inputs || never.includes(name)]).toEqual([name, true, true])
  }
})

test('every request gets a valid response below 500, and a refused one changes nothing', async () => {
  const { findings, outcomes } = await fuzzRequests(SEED, 500 * RUNS)
  expect(findings).toEqual([])
  expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['200', '400', '404', '405']))
})

test('a replay line repeats an input, including lone surrogates', async () => {
  const line = replayLine('filter', "age = 1 and lastName = '\ud800'")
  const [, name = '', input = ''] = /--replay (\w+):([\w-]+)$/.exec(line) ?? []
  expect(inputOf(input)).toBe("age = 1 and lastName = '\ud800'")
  expect(await replay(name, inputOf(input))).toBe('filterCannotBeAnalysed')
  const chance = new Chance(SEED)
  const requests = Array.from({ length: 3 }, () => anyRequest(chance, [], 0))
  expect(await replay('requests', JSON.stringify(requests))).toMatch(/^answered \d{3} \d{3} \d{3}$/)
})

test('an unexpected error or an unexpected code is a finding', async () => {
  const [filter] = PARSERS
  const read = (text: string) => filter?.read(text)
  const strict = { ...filter!, refusals: new Set<never>() }
  expect(await tryInput(strict, 'age =')).toMatchObject({ kind: 'finding' })
  const failing = { ...filter!, read: () => JSON.parse('[') }
  expect(await tryInput(failing, '')).toMatchObject({
    kind: 'finding',
    what: expect.stringContaining('SyntaxError'),
  })
  expect(() => read('age = 1')).not.toThrow()
})

test('a response of 500 is a finding', async () => {
  const target = new Target()
  const url = '/rest/Employee(1)/greet'
  await expect(
    target.ask({ method: 'POST', url, headers: {}, body: '[{"toString":1}]', session: -1 }),
  ).rejects.toThrow()
})

/** The number of times that a reader accesses a text, independent of the machine's speed. */
function stepsOf(text: string, read: (text: string) => unknown): number {
  let count = 0
  const counted = new Proxy(Object(text) as object, {
    get: (target, name) => {
      count++
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(text) : member
    },
  }) as unknown as string
  try {
    read(counted)
  } catch {
    // A refusal also ends the count.
  }
  return count
}

test('the number of accesses grows linearly with the length', () => {
  const limits = { ...DEFAULT_FILTER_LIMITS, maxPathSegments: 1e6, maxListItems: 1e6 }
  const readers = [
    ...FILTER_SHAPES.map((shape) => ({
      ...shape,
      read: (text: string) =>
        parse(text, {
          startRule: 'Filter',
          depth: 0,
          limits,
          quotes: null,
          readInQuotes: () => ({ kind: 'or', parts: [] }),
        }),
    })),
    ...REQUEST_SHAPES.map((shape) => ({ ...shape, read: (text: string) => [...splitQuery(text)] })),
  ]
  const grown = readers.map(({ name, text, read }) => {
    const exponent = Math.log2(stepsOf(text(2000), read) / stepsOf(text(500), read)) / 2
    return { name, exponent, isLinear: exponent < 1.2 }
  })
  expect(grown.filter(({ isLinear }) => !isLinear)).toEqual([])
  // Longer texts do cause more accesses.
  expect(grown.filter(({ exponent }) => exponent > 0.8).length).toBeGreaterThan(25)
})
