import { isDeepStrictEqual } from 'node:util'
import { isEntiaError, type RowFilter } from '@entia/core'
import {
  createNameRules,
  DEFAULT_FILTER_LIMITS,
  type JsonMatch,
  type Predicate,
  type Test,
  ViewFilters,
} from '@entia/core/internal'
import { CELLS, Counts } from '../../../core/test/differential/cells.ts'
import { randomQuestion } from '../../../core/test/differential/generate.ts'
import { printFilter } from '../../../core/test/differential/print.ts'
import { Random } from '../../../core/test/differential/random.ts'
import { CLASS_NAMES } from '../../../core/test/differential/schema.ts'
import { type Comparison, comparisonsOf } from '../../../core/test/differential/tree.ts'
import {
  describeWorld,
  newStore,
  randomWorld,
  type Store,
} from '../../../core/test/differential/world.ts'
import type { SqlModel } from '../../src/schema/sql-model.ts'
import { joined, sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { type Asked, AskedSelection, type Reading } from './asked.ts'
import type { Rows, TestDatabase } from './databases.ts'
import { createTables, differentialModel, fillTables } from './tables.ts'

/** The number of filters that run over one set of tables. */
const FILTERS = 200
/** How rules compare texts. */
const TREATMENTS = [{}, { wildcards: true }, { wildcards: true, collation: 'folded' }] as const
/** Filters of one statement. */
const BATCH = 50
/** Share of filters of which an order, aggregates, distinct values or groups are compared too. */
const FURTHER = 0.9

export interface RunOptions {
  readonly pairs: number
  readonly seed: number
  readonly schema: string
  /** Runs this one alone: where a difference was found. */
  readonly onlyRound: number | null
  /** Differences after which the run ends. */
  readonly maxDifferences: number
}

/** Compares core with the SQL of its predicates, over many small worlds. */
export async function runDifferential(database: TestDatabase, options: RunOptions): Promise<Run> {
  const { pairs, seed, schema, onlyRound, maxDifferences } = options
  const model = differentialModel(schema)
  await database.run(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  for (const text of createTables(model)) await database.run(text)
  const run = new Run(database, model, seed)
  const first = onlyRound ?? 0
  const end = onlyRound === null ? Math.ceil(pairs / FILTERS) : onlyRound + 1
  try {
    for (let round = first; round < end && run.differences.length < maxDifferences; round++)
      await run.round(round)
  } finally {
    await database.run(`DROP SCHEMA "${schema}" CASCADE`)
  }
  return run
}

export class Run {
  /** How often each kind of answer was compared. */
  readonly compared = {
    filters: 0,
    /** Filters that select some and not all. */
    parting: 0,
    /** Filters of which a part was left to this process; of some, it was not tested. */
    leftOver: 0,
    orders: 0,
    aggregates: 0,
    distinct: 0,
    groups: 0,
  }
  readonly counts = new Counts()
  /** Kinds of nodes and tests of the predicates. */
  readonly kinds = new Map<string, number>()
  readonly differences: string[] = []
  readonly #database: TestDatabase
  readonly #model: SqlModel
  readonly #seed: number
  readonly #rules = createNameRules(DEFAULT_FILTER_LIMITS)
  #cells: readonly (typeof CELLS)[number][] = []

  constructor(database: TestDatabase, model: SqlModel, seed: number) {
    this.#database = database
    this.#model = model
    this.#seed = seed
  }

  /** Each round depends on the seed and its number alone, but for the order of cells. */
  async round(round: number): Promise<void> {
    const random = new Random(this.#seed, round)
    const world = randomWorld(random)
    const store = newStore()
    world.fill(store)
    await this.#database.rows(fillTables(this.#model, world).map(statementOf))
    const reading = this.#reading(random, store, world)
    const describeRound = (): string =>
      `${describeWorld(world, '')}\n\nAgain: --seed ${this.#seed} --round ${round}`
    for (let at = 0; at < FILTERS; at += BATCH) {
      const asked = Array.from({ length: BATCH }, () => this.#asked(reading)).flat()
      const filters = asked.filter(({ kind }) => kind === 'filters')
      await this.#compareFilters(filters, describeRound)
      await this.#compareFurther(
        asked.filter(({ kind }) => kind !== 'filters'),
        describeRound,
      )
    }
    store.close()
  }

  /** Some readers do not see all entities. */
  #reading(random: Random, store: Store, world: Reading['world']): Reading {
    const rows = new Map<string, RowFilter>()
    if (random.chance(0.3))
      for (const root of CLASS_NAMES) {
        if (random.chance(0.5)) continue
        const own = randomQuestion(random, random.pick(CELLS))
        const isComputed = ({ label }: Comparison): boolean => label.startsWith('computed')
        if (comparisonsOf(own.condition).some(isComputed)) continue
        const { text: filter, parameters = [] } = printFilter(random, own.condition)
        rows.set(
          own.root,
          this.#rule(random, own.root, { filter, parameters: parameters as never }),
        )
        if (own.root !== root) rows.delete(root)
      }
    const filters = new ViewFilters(this.#rules, this.#model.catalog, { rows } as object)
    const view = rows.size === 0 ? store : (store as Store & Viewed).view({ rows })
    return { random, world, model: this.#model, filters, table: (name) => view.dataClass(name) }
  }

  /** A rule in one of the treatments of texts; with patterns if the filter needs them. */
  #rule(random: Random, root: string, rule: Extract<RowFilter, { filter: unknown }>): RowFilter {
    const treated = { ...rule, ...random.pick(TREATMENTS) }
    try {
      new ViewFilters(this.#rules, this.#model.catalog, { rows: new Map([[root, treated]]) })
      return treated
    } catch (error) {
      if (!isEntiaError(error)) throw error
      return { ...rule, wildcards: true }
    }
  }

  #asked(reading: Reading): readonly Asked[] {
    const { random } = reading
    if (this.#cells.length === 0) this.#cells = random.shuffled(CELLS)
    const [cell, ...cells] = this.#cells
    this.#cells = cells
    const question = randomQuestion(random, cell!)
    for (const comparison of comparisonsOf(question.condition)) {
      const operator = comparison.form === 'alone' ? ('alone' as const) : comparison.operator
      this.counts.add({ label: comparison.label, operator, form: comparison.form }, comparison, 1)
    }
    const selection = new AskedSelection(reading, question, printFilter(random, question.condition))
    for (const kind of kindsOf(selection.predicate))
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
    if (selection.isParting) this.compared.parting++
    const members = selection.members()
    if (members.isSuperset) this.compared.leftOver++
    const further = random.chance(FURTHER) ? selection.further() : null
    return further === null ? [members] : [members, further]
  }

  /** Many at once: the time of a round trip and of a statement is that of several filters. */
  async #compareFilters(asked: readonly Asked[], describeRound: () => string): Promise<void> {
    const selects = asked.map(
      ({ question }, at) => sql`SELECT ${at}::integer, * FROM (${question.select}) AS members`,
    )
    const found = asked.map((): unknown[][] => [])
    try {
      const [rows] = await this.#database.rows([statementOf(joined(selects, sql` UNION ALL `))])
      for (const [at, record] of rows!) found[Number(at)]!.push([record])
    } catch {
      // One of them is refused.
      for (const each of asked) await this.#compare(each, describeRound)
      return
    }
    for (const [at, each] of asked.entries()) {
      const records = found[at]!.sort(([a], [b]) => Number(a) - Number(b))
      this.#note(each, each.question.answer(records), describeRound)
    }
  }

  async #compareFurther(asked: readonly Asked[], describeRound: () => string): Promise<void> {
    let found: readonly Rows[]
    try {
      found = await this.#database.rows(asked.map(({ question }) => statementOf(question.select)))
    } catch {
      // One of them is refused.
      for (const each of asked) await this.#compare(each, describeRound)
      return
    }
    for (const [at, each] of asked.entries())
      this.#note(each, each.question.answer(found[at]!), describeRound)
  }

  async #compare(asked: Asked, describeRound: () => string): Promise<void> {
    let found: unknown
    try {
      const [rows] = await this.#database.rows([statementOf(asked.question.select)])
      found = asked.question.answer(rows!)
    } catch (error) {
      found = String(error)
    }
    this.#note(asked, found, describeRound)
  }

  #note(
    { kind, text, question, expected, isSuperset }: Asked,
    found: unknown,
    describeRound: () => string,
  ) {
    this.compared[kind]++
    const isSame = isSuperset ? holdsAll(found, expected) : isDeepStrictEqual(found, expected)
    if (isSame) return
    const { text: statement, values } = statementOf(question.select)
    this.differences.push(
      [
        text,
        statement,
        JSON.stringify(values),
        `found:    ${JSON.stringify(found)}`,
        `expected: ${JSON.stringify(expected)}`,
        describeRound(),
      ].join('\n'),
    )
  }
}

interface Viewed {
  view(options: object): Pick<Store, 'dataClass'>
}

const holdsAll = (found: unknown, expected: unknown): boolean =>
  Array.isArray(found) && Array.isArray(expected) && expected.every((each) => found.includes(each))

function kindsOf(predicate: Predicate): readonly string[] {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return [predicate.kind, ...predicate.parts.flatMap(kindsOf)]
    case 'not':
      return [predicate.kind, ...kindsOf(predicate.part)]
    case 'related': {
      const { relation, whenMissing, part } = predicate
      return [`${relation.kind}${whenMissing ? ' or missing' : ''}`, ...kindsOf(part)]
    }
    case 'compare':
      return [`${predicate.attribute.type} ${opOf(predicate.test)}`]
    case 'property':
      return matchKinds(predicate.match)
    default:
      return [predicate.kind]
  }
}

const matchKinds = (match: JsonMatch): readonly string[] =>
  match.kind === 'some' || match.kind === 'none'
    ? [`object ${match.kind}`, ...match.all.flatMap(matchKinds)]
    : [`object ${match.kind} ${opOf(match.test)}`]

/** The kind of a test, or the operator that has its pattern by its meaning. */
const opOf = (test: Test): string => (test.op === 'like' ? test.written : undefined) ?? test.op
