import { type ClassModel, type ConditionNode, isEntiaError } from '@entia/core'
import {
  type Awaitable,
  type Caller,
  type ComputeAnswer,
  type ComputeQuery,
  classOf,
  type DistinctAnswer,
  type DistinctQuery,
  type Engine,
  type EntityAnswer,
  type EntityQuery,
  type FilterAnswer,
  type GroupQuery,
  type GroupResult,
  type Keeping,
  type PageAnswer,
  type PageQuery,
  type PlannedQuery,
  type SelectionPlan,
  type SelectionQuery,
  type WorkingStore,
} from '@entia/engine'
import type { Window } from '../server-state/set-pieces.ts'
import { statementOf } from '../sql-builder/statement.ts'
import type { Question } from '../translate/aggregate-sql.ts'
import { askAll } from './ask-all.ts'
import { type AskedSet, askedBy, type SetContext } from './asked-set.ts'
import { askedEntities, type EntityQuerySql, type TranslatedQuery } from './entity-query-sql.ts'
import { explainAnswer, explainEntities } from './explain-answer.ts'
import { conditionAnswer, filterAnswer } from './filter-answer.ts'
import { type KeptPage, keepAgain, keepSet, keepWith } from './keep-set.ts'
import { ownerExists } from './owner-sql.ts'
import { type PageRows, pageRows } from './page-rows.ts'
import { readEntity } from './read-entity.ts'
import { groupQuestion } from './read-groups.ts'
import { type PageSql, pageSql, readPage } from './read-page.ts'
import { aggregateQuestion, distinctQuestion } from './read-values.ts'

/**
 * Answers a read by core's own code, over the entities that it turns out to need: for what has no
 * SQL, such as computed attributes.
 */
export type ReadLocally = <R>(
  caller: Caller,
  query: EntityQuery | SelectionQuery | null,
  body: (local: Reads, as: Caller, run: LocalRun) => Awaitable<R>,
  first?: PageRows,
) => Promise<R>
/** One run of such a read. */
export interface LocalRun {
  readonly working: WorkingStore
  /** How the run keeps an entity set; it is stored once the read has succeeded. */
  keeping(keep: Keeping | null): Keeping | null
}
export type Reads = Pick<Engine, 'readEntity' | 'readSelection' | 'compute' | 'distinct' | 'group'>

type QuestionsOf<A> = (asked: TranslatedQuery) => readonly (Question<A> | null)[]

interface Asked<A> {
  readonly globalStamp: number
  readonly answers: readonly A[]
  readonly plans: FilterAnswer
}

/** How a page is read, and the set that was kept with it. */
interface PageParts {
  readonly page: PageSql | null
  readonly rows: PageRows | null
  readonly kept: KeptPage | null
}

/** The reads of a store over PostgreSQL: one statement each where that is possible. */
export class SqlReader {
  readonly #context: SetContext
  readonly #readLocally: ReadLocally

  constructor(context: SetContext, readLocally: ReadLocally) {
    this.#context = context
    this.#readLocally = readLocally
  }

  async readEntity(query: EntityQuery, caller: Caller): Promise<EntityAnswer | null> {
    const filters = this.#context.filtersOf(caller)
    if (query.content === 'address') {
      const found = await readEntity(this.#context, filters, query)
      if (found === null) return null
      if (found !== undefined) {
        const { dataClass } = query.projection
        const none: FilterAnswer = { condition: null, trace: null }
        const plans =
          query.filter === null || found.record === null
            ? none
            : await filterAnswer(
                this.#context,
                { dataClass, filters, bound: filters.bind(dataClass, query.filter), isOfOne: true },
                query,
              )
        if (plans !== undefined) return { ...found, text: null, ...plans }
      }
    }
    const { dataClass } = query.projection
    return this.#locally(caller, query, dataClass, (local, as) => local.readEntity(query, as))
  }

  readSelection(query: PageQuery, caller: Caller): Promise<PageAnswer | null> {
    return this.#ofOwner(query, caller, () => this.#page(query, caller))
  }

  async #page(query: PageQuery, caller: Caller): Promise<PageAnswer | null> {
    const whole = await this.#asked(query, caller, query)
    const { asked } = whole
    const page = pageSql(this.#context, asked, query)
    const rows = page === null ? pageRows(this.#context, asked, query) : null
    if (page === null && rows === null) return this.#pageLocally(query, caller)
    const { keep, source } = query
    // No id is given, and no session begins, for what does not exist.
    if (keep !== null && source.kind === 'related') {
      const filters = this.#context.filtersOf(caller)
      if (!(await ownerExists(this.#context, filters, source.owner))) return null
    }
    const reading = statementOf((page ?? rows!).select)
    const kept = await keepWith(this.#context, whole, query, reading)
    let answer: PageAnswer | null = null
    try {
      answer = await this.#answered(query, caller, whole, { page, rows, kept })
      return answer
    } finally {
      // A request that fails keeps nothing.
      if (kept !== null && answer === null)
        await this.#context.sets.release(kept.id, caller.session)
    }
  }

  async #answered(
    query: PageQuery,
    caller: Caller,
    whole: AskedSet,
    { page, rows, kept }: PageParts,
  ): Promise<PageAnswer | null> {
    const { asked } = whole
    if (page === null && kept !== null) rows!.pin(kept.read)
    const found =
      page === null
        ? await this.#readLocally(
            caller,
            null,
            (_, as, { working }) => rows!.shown(working, as, query),
            rows!,
          )
        : kept === null
          ? await readPage(this.#context, page)
          : page.read(kept.read.rows)
    if (found == null) return null
    const plans = await filterAnswer(this.#context, asked, query)
    if (plans === undefined) return this.#pageLocally(query, caller)
    const { filter, withExplain, keep } = query
    const explain = withExplain
      ? await explainAnswer(this.#context, asked, filter?.text ?? null, query, found.count)
      : null
    const isKept = keep !== null && kept !== null && whole.entitySetId === null
    if (kept === null || isKept) await keepAgain(this.#context, whole, query)
    const entitySetId = isKept
      ? kept.id
      : keep && (await keepSet(this.#context, whole, keep, caller.session))
    return { ...found, ...plans, entitySetId, explain }
  }

  /** How the database would find a selection; null for what it cannot tell. One round trip. */
  async planOf(query: PlannedQuery, caller: Caller): Promise<SelectionPlan | null> {
    const asked = this.#planned(query, caller)
    return asked && explainEntities(this.#context, asked, query.page)
  }

  /** The structure of a filter; null without one. Throws the errors of the filter. */
  conditionOf(query: PlannedQuery, caller: Caller): ConditionNode | null {
    const asked = query.filter && this.#planned(query, caller)
    return asked && conditionAnswer(this.#context, asked)
  }

  #planned({ source, filter, orderBy }: PlannedQuery, caller: Caller): EntityQuerySql | null {
    if (source.kind === 'entitySet') return null
    const filters = this.#context.filtersOf(caller)
    return askedEntities(this.#context.model, filters, { source, filter, orderBy, saved: null })
  }

  #pageLocally(query: PageQuery, caller: Caller): Promise<PageAnswer | null> {
    return this.#locally(caller, query, classOf(query.source), (local, as, run) =>
      local.readSelection({ ...keptBy(run, query), keep: run.keeping(query.keep) }, as),
    )
  }

  async compute(query: ComputeQuery, caller: Caller): Promise<ComputeAnswer | null> {
    const found = await this.#ask(query, caller, (asked) =>
      query.paths.map(({ path }) => aggregateQuestion(this.#context, asked, path, query)),
    )
    if (found === null) return null
    if (found === undefined)
      return this.#locally(caller, query, classOf(query.source), (local, as, run) =>
        local.compute(keptBy(run, query), as),
      )
    return { aggregates: found.answers, ...found.plans }
  }

  async distinct(query: DistinctQuery, caller: Caller): Promise<DistinctAnswer | null> {
    const found = await this.#ask(query, caller, (asked) => [
      distinctQuestion(this.#context, asked, query.path.path, query),
    ])
    if (found === null) return null
    if (found === undefined)
      return this.#locally(caller, query, classOf(query.source), (local, as, run) =>
        local.distinct(keptBy(run, query), as),
      )
    return { values: found.answers[0]!, ...found.plans }
  }

  async group(query: GroupQuery, caller: Caller): Promise<(GroupResult & FilterAnswer) | null> {
    const found = await this.#ask(query, caller, (asked) => [
      groupQuestion(this.#context, asked, query),
    ])
    if (found === null) return null
    if (found === undefined || query.withExplain)
      return this.#locally(caller, query, classOf(query.source), (local, as, run) =>
        local.group(keptBy(run, query), as),
      )
    const { globalStamp, answers, plans } = found
    return { globalStamp, ...answers[0]!, ...plans, explain: null }
  }

  /** An answer of core. The plan of a filter is that of the model, as in the other answers. */
  async #locally<A extends FilterAnswer>(
    caller: Caller,
    query: (EntityQuery | SelectionQuery) & Pick<PageQuery, 'filter' | 'withPlan'>,
    dataClass: ClassModel,
    body: (local: Reads, as: Caller, run: LocalRun) => Awaitable<A | null>,
  ): Promise<A | null> {
    const found = await this.#readLocally(caller, query, body)
    const { filter, withPlan } = query
    if (found === null || filter === null || !withPlan) return found
    const filters = this.#context.filtersOf(caller)
    const isOfOne = 'reference' in query
    const asked = { dataClass, filters, bound: filters.bind(dataClass, filter), isOfOne }
    return { ...found, condition: conditionAnswer(this.#context, asked) }
  }

  /** That an owner does not exist comes before what is wrong with a query of its relation. */
  async #ofOwner<A>(
    { source }: SelectionQuery,
    caller: Caller,
    body: () => Promise<A | null>,
  ): Promise<A | null> {
    try {
      return await body()
    } catch (error) {
      if (source.kind !== 'related' || !isEntiaError(error)) throw error
      const filters = this.#context.filtersOf(caller)
      if (await ownerExists(this.#context, filters, source.owner)) throw error
      return null
    }
  }

  /** `wanted`: as of `askedBy`. */
  #asked(query: SelectionQuery, caller: Caller, wanted: Window | null): Awaitable<AskedSet> {
    const filters = this.#context.filtersOf(caller)
    return askedBy(this.#context, filters, caller.session, query, wanted)
  }

  /** Null if the entity whose relation is read does not exist; undefined for what has no SQL. */
  #ask<A>(
    query: SelectionQuery,
    caller: Caller,
    questionsOf: QuestionsOf<A>,
  ): Promise<Asked<A> | null | undefined> {
    return this.#ofOwner(query, caller, () => this.#askNow(query, caller, questionsOf))
  }

  async #askNow<A>(
    query: SelectionQuery,
    caller: Caller,
    questionsOf: QuestionsOf<A>,
    isAgain = false,
  ): Promise<Asked<A> | null | undefined> {
    const whole = await this.#asked({ ...query, orderBy: null }, caller, null)
    const { asked } = whole
    if (asked.where === null) return undefined
    const questions = questionsOf({ ...asked, where: asked.where })
    if (!questions.every((question) => question !== null)) return undefined
    if (whole.remade !== null && !isAgain) {
      // The values are those of the set that is created now.
      await keepAgain(this.#context, whole, query)
      return this.#askNow(query, caller, questionsOf, true)
    }
    const { globalStamp, owner, answers } = await askAll(this.#context, questions, asked.owner)
    if (owner === null) return null
    const plans = await filterAnswer(this.#context, asked, query)
    return plans && { globalStamp, answers, plans }
  }
}

/** A query whose expired entity set is created again within a run. */
const keptBy = <Q extends SelectionQuery>(run: LocalRun, query: Q): Q =>
  query.saved === null
    ? query
    : { ...query, saved: { ...query.saved, keep: run.keeping(query.saved.keep) } }
