import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createNameRules, DEFAULT_FILTER_LIMITS, ViewFilters } from '@entia/core/internal'
import { Random } from '../../../core/test/differential/random.ts'
import { encode } from '../../src/schema/row-codec.ts'
import { type SqlModel, sqlModelOf } from '../../src/schema/sql-model.ts'
import { joined, type Sql, sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { fromPlace, recordAt, rootPlace } from '../../src/translate/place.ts'
import { predicateSql } from '../../src/translate/predicate-sql.ts'
import type { TestDatabase } from './databases.ts'
import { createTables } from './tables.ts'

/** The same text four times: folded and exact, with an index of its words and without. */
const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true }),
  body: attribute.string({ words: true }),
  plain: attribute.string(),
  exact: attribute.string({ words: true, collation: 'exact' }),
  plainExact: attribute.string({ collation: 'exact' }),
})
const storeOf = () => createDataStore({ name: 'words', dataClasses: [Doc] })
/** An attribute with an index of words, and the one with the same texts and without. */
const PAIRS = [
  ['body', 'plain'],
  ['exact', 'plainExact'],
] as const

/** Letters, digits, marks and signs of several scripts; few, so that words repeat. */
const PIECES = [
  ...['a', 'A', 'b', 'ab', 'ba', 'e\u0301', 'é', 'É', 'ß', 'SS', 'ς', 'Σ', 'σ', 'ǆ', 'ﬁ', 'Ａ'],
  ...['1', '١', '½', '中', '\u{1d400}', 'İ', 'ı', '\u{10400}', '\u{20000}', '가', 'ก', 'à', 'ſ'],
  ...[' ', ' ', ' ', '-', '_', '\u0301', '.', '@', '*', '\n', '\u00a0', '\u{1f600}', '·', '\ue000'],
  ...[
    "'",
    '"',
    '\\',
    ':',
    '&',
    '|',
    '!',
    '%',
    '(',
    '<',
    '\u0001',
    '\u200d',
    '\ufffd',
    '\u{10ffff}',
  ],
]
/** Around the lengths at which words are cut. */
const LENGTHS = [254, 254, 255, 255, 256, 256, 300, 2046, 2047]
const LETTERS = ['a', 'b', 'é', '\u{1d400}']

/** Texts of one round, and the words of one statement. */
const ROWS = 50
const ROUND = 400
const BATCH = 100

export interface WordsRun {
  /** `%` conditions that an index of words may answer, and the same without one. */
  conditions: number
  /** Filters that select some of the texts and not all. */
  parting: number
  readonly differences: string[]
}

/** Compares `%` in memory with its SQL, with an index of words and without, over many texts. */
export async function runWords(
  database: TestDatabase,
  options: { readonly conditions: number; readonly seed: number; readonly schema: string },
): Promise<WordsRun> {
  const { conditions, seed, schema } = options
  const model = sqlModelOf(storeOf().catalog, { schema })
  const run: WordsRun = { conditions: 0, parting: 0, differences: [] }
  await database.run(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  for (const text of createTables(model)) await database.run(text)
  // The tables are small: without this, the database would read them.
  await database.run('SET enable_seqscan = off')
  try {
    for (let round = 0; run.conditions < conditions && run.differences.length < 3; round++)
      await wordsRound(database, model, new Random(seed, round), run, `--seed ${seed}`)
  } finally {
    await database.run('RESET enable_seqscan')
    await database.run(`DROP SCHEMA "${schema}" CASCADE`)
  }
  return run
}

async function wordsRound(
  database: TestDatabase,
  model: SqlModel,
  random: Random,
  run: WordsRun,
  again: string,
): Promise<void> {
  const store = storeOf()
  const texts = Array.from({ length: ROWS }, () => textOf(random, true))
  store.Doc.load(texts.map((text, at) => ({ ID: at, ...docOf(text) })))
  const table = model.tables[0]!
  const rows = texts.map((text, at) => {
    const cells = table.columns.flatMap((column, i) => encode(column, i === 0 ? at : text))
    return sql`(${joined([at, ...cells], sql`, `)})`
  })
  const fill = [
    sql`TRUNCATE ${table.name}`,
    sql`INSERT INTO ${table.name} VALUES ${joined(rows, sql`, `)}`,
  ]
  await database.rows(fill.map(statementOf))
  const filters = new ViewFilters(createNameRules(DEFAULT_FILTER_LIMITS), model.catalog, {})
  const dataClass = model.catalog.classes[0]!
  const at = rootPlace(model, dataClass)
  const selectOf = (text: string, words: readonly string[], place: number): Sql => {
    const { predicate } = filters.bindFilter(dataClass, text, words)
    return sql`SELECT ${place}::integer, array(SELECT ${recordAt(at)}::integer FROM ${fromPlace(at)} WHERE ${predicateSql(model, predicate, at)} ORDER BY 1)::text`
  }
  for (let done = 0; done < ROUND; done += BATCH) {
    const asked = Array.from({ length: BATCH }, () => askedOf(random))
    const filled = asked.flatMap(({ filter, words }) =>
      PAIRS.flatMap(([indexed, plain]) => {
        const keys = store.Doc.query(filter.replaceAll('$', indexed), words).keys() as number[]
        if (keys.length > 0 && keys.length < ROWS) run.parting++
        const expected = `{${keys.join(',')}}`
        return [indexed, plain].map((name) => ({
          filter: filter.replaceAll('$', name),
          conditions: words.length,
          words,
          expected,
        }))
      }),
    )
    const selects = filled.map(({ filter, words }, place) => selectOf(filter, words, place))
    const [found] = await database.rows([statementOf(joined(selects, sql` UNION ALL `))])
    for (const [place, answer] of found!) {
      const { filter, words, conditions, expected } = filled[Number(place)]!
      run.conditions += conditions
      if (answer === expected) continue
      const keys = new Set(`${expected},${String(answer)}`.match(/\d+/g))
      const shown = [...keys]
        .slice(0, 5)
        .map((key) => `${key}: ${JSON.stringify(texts[Number(key)])}`)
      run.differences.push(
        `${filter} ${JSON.stringify(words)}\nfound:    ${String(answer)}\nexpected: ${expected}\n${shown.join('\n')}\nAgain: ${again}`,
      )
    }
  }
  store.close()
}

const docOf = (text: string | null) => ({ body: text, plain: text, exact: text, plainExact: text })

/** Null, a few pieces, or words whose lengths are around those at which the index cuts. */
function textOf(random: Random, mayBeNull: false): string
function textOf(random: Random, mayBeNull: boolean): string | null
function textOf(random: Random, mayBeNull: boolean): string | null {
  if (mayBeNull && random.chance(0.03)) return null
  const pieces = Array.from({ length: random.below(12) }, () => random.pick(PIECES))
  if (random.chance(0.02)) {
    const letter = random.pick(LETTERS).repeat(random.pick(LENGTHS))
    pieces.splice(random.below(pieces.length + 1), 0, random.chance(0.5) ? ` ${letter} ` : letter)
  }
  return pieces.join('')
}

/** A filter whose attribute is `$`, and the values of its parameters. */
function askedOf(random: Random): { filter: string; words: readonly string[] } {
  const words = [wordsOf(random), wordsOf(random)]
  const [one, both] = [[words[0]!], words]
  switch (random.below(5)) {
    case 0:
      return { filter: 'not ($ % :1)', words: one }
    case 1:
      return { filter: '$ % :1 and $ % :2', words: both }
    case 2:
      return { filter: '$ % :1 or not ($ % :2)', words: both }
    default:
      return { filter: '$ % :1', words: one }
  }
}

const wordsOf = (random: Random): string =>
  random.chance(0.3)
    ? textOf(random, false)
    : Array.from({ length: 1 + random.below(3) }, () => {
        const word = Array.from({ length: 1 + random.below(2) }, () => random.pick(PIECES)).join('')
        return random.chance(0.4) ? `${word}@` : word
      }).join(' ')
