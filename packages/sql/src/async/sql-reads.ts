import {
  type ClassModel,
  EntiaError,
  type GroupPage,
  type IterateOptions,
  type Page,
  type Session,
  type Untyped,
} from '@entia/core'
import {
  Access,
  checkCallOptions,
  checkIteration,
  checkOwnPath,
  copyOf,
  type Described,
  type DescribedGroups,
  DescribedSelection,
  DescribedSet,
  LocalReads,
  projectionOf,
  type SelectionReads,
  searchText,
  wholeNumber,
  wholeOf,
} from '@entia/core/internal'
import { type FilterParts, textOf } from '@entia/core/query'
import { type Awaitable, FilterText, type SetCombination } from '@entia/engine'
import { inDatabase, withPublicErrors } from '../engine/bounded-calls.ts'
import { releaseSet } from '../engine/entity-set-transfer.ts'
import { askAll } from '../read/ask-all.ts'
import { type AskedSet, askedBy, recordsOf } from '../read/asked-set.ts'
import type { CallerFilters } from '../read/caller-filters.ts'
import type { TranslatedQuery } from '../read/entity-query-sql.ts'
import { keepSet } from '../read/keep-set.ts'
import { pageRows } from '../read/page-rows.ts'
import { groupQuestion } from '../read/read-groups.ts'
import { aggregateQuestion, distinctQuestion } from '../read/read-values.ts'
import { haveCommonEntity, type Members, type Window } from '../server-state/set-pieces.ts'
import { statementOf } from '../sql-builder/statement.ts'
import type { Question } from '../translate/aggregate-sql.ts'
import { type AsyncPort, type AsyncRuns, portOf } from './sql-user.ts'

/** Reads of a described selection over a store in the process: the database has no scores. */
const readsOver = (access: Access): LocalReads => new LocalReads(access, false)

/**
 * Reads of a store over a database. Each runs its query: in the mirror, or as a statement, or else
 * by core's own code, which loads the entities that it needs: at most `maxResidualRows`.
 */
export class SqlReads implements SelectionReads {
  readonly #runs: AsyncRuns

  constructor(runs: AsyncRuns) {
    this.#runs = runs
  }

  /**
   * The database finds the rows of a page; core copies them, over a working store that holds them.
   * Cost: two round trips at most for stored attributes, and the columns of whole entities.
   */
  async page(described: Described, skip: number, top: number): Promise<Page<Untyped>> {
    const window = { skip: wholeNumber('skip', skip), top: wholeNumber('top', top) }
    const local = (reads: LocalReads) => reads.page(described, window.skip, window.top)
    return this.#answered(described, local, async (port) => {
      const { dataClass, paths } = described
      const projection = paths === null ? null : projectionOf(described, paths)
      const { asked } = await this.#asked(port, await this.#runs.session(), described, window)
      const rows = pageRows(port.context, asked, window)
      if (rows === null) return undefined
      return this.#runs.read({ first: rows }, ({ store }) => {
        const { count, keys } = rows.members()
        const table = store.dataClass(dataClass.name)
        const entities: Untyped[] =
          projection === null
            ? keys.map((key) => copyOf(table.get(key)!, dataClass))
            : projection.rows(table.from(keys))
        return { count, skip: window.skip, entities }
      })
    })
  }
  async first(described: Described): Promise<Untyped> {
    return (await this.page(described, 0, 1)).entities[0]
  }
  async all(described: Described): Promise<Untyped[]> {
    return [...(await this.page(described, 0, Number.MAX_SAFE_INTEGER)).entities]
  }
  /** Reads pages of an entity set, which it releases at the end. */
  async *iterate(
    described: Described,
    options: IterateOptions,
  ): AsyncGenerator<Untyped, void, undefined> {
    const { size, signal } = checkIteration(options)
    if (this.#runs.port === null) {
      yield* await this.all(described)
      return
    }
    const { dataClass, paths, filter, search, orderBy, setId } = described
    const isKept = setId !== null && filter === null && search === null && orderBy === null
    const id = isKept ? setId : await this.#keep(described)
    const members = { ...wholeOf(dataClass, id), paths }
    try {
      for (let skip = 0; ; skip += size) {
        signal?.throwIfAborted()
        const { count, entities } = await this.page(members, skip, size)
        yield* entities
        if (skip + size >= count) return
      }
    } finally {
      if (!isKept) await this.release(id)
    }
  }

  aggregate(
    described: Described,
    action: 'sum' | 'average' | 'min' | 'max',
    path: string,
  ): Promise<Untyped> {
    checkOwnPath(described.dataClass, path)
    return this.#computed(
      described,
      (reads) => reads.aggregate(described, action, path),
      ({ context }, members) =>
        aggregateQuestion(context, members, path, { action, distinct: false }),
      (found) => found[action] ?? (action === 'sum' ? 0 : null),
    )
  }
  distinct(described: Described, path: string): Promise<Untyped> {
    checkOwnPath(described.dataClass, path)
    const all = { descending: false, skip: 0, top: Number.MAX_SAFE_INTEGER }
    return this.#computed(
      described,
      (reads) => reads.distinct(described, path),
      ({ context }, members) => distinctQuestion(context, members, path, all),
      (values) => values,
    )
  }
  groups(
    described: Described,
    groups: DescribedGroups,
    skip: number,
    top: number,
  ): Promise<GroupPage<Untyped>> {
    const window = { skip: wholeNumber('skip', skip), top: wholeNumber('top', top) }
    const { attributes, aggregates, condition, orderBy } = groups
    return this.#computed<Pick<GroupPage<Untyped>, 'count'> & { rows: readonly object[] }, Untyped>(
      described,
      (reads) => reads.groups(described, groups, window.skip, window.top),
      ({ context }, members) =>
        groupQuestion(context, members, {
          ...window,
          attributes: [attributes],
          aggregates,
          having: filterText(condition),
          groupOrder: orderBy,
        }),
      ({ count, rows }) => ({ count, skip: window.skip, groups: rows }),
    )
  }

  call(described: Described, name: string, args: readonly unknown[]): Promise<Untyped> {
    const run = (access: Access, given: readonly unknown[]) =>
      readsOver(access).call(described, name, given)
    return this.callOver(name, args, run, setsOf(described))
  }
  /**
   * Calls a function of the application in a decision: it may run several times, until what it
   * reads is loaded. Selections among its arguments become those of the working store; a selection
   * as its result becomes an entity set of the database. `sets` are those of what it works on.
   * Throws what the function throws.
   */
  async callOver(
    name: unknown,
    args: readonly unknown[],
    run: (access: Access, given: readonly unknown[]) => Promise<unknown>,
    sets: readonly string[] = [],
  ): Promise<Untyped> {
    const named = args.flatMap((each) => (isOverDatabase(each) ? setsOf(each.described) : []))
    const facts = { sets: [...sets, ...named] }
    const result = await this.#runs.write(`the function "${String(name)}"`, facts, (access) =>
      run(
        access,
        args.map((each) =>
          isOverDatabase(each) ? new DescribedSelection(readsOver(access), each.described) : each,
        ),
      ),
    )
    if (!(result instanceof DescribedSet)) return result
    const remedy = 'Call it before or after the transaction.'
    portOf(this.#runs, 'A function that returns a selection,', remedy)
    return new DescribedSet(this, result.described.dataClass, result.id)
  }
  async remove(described: Described): Promise<void> {
    const sets = setsOf(described)
    await this.#runs.write('a deletion', { sets }, (access) => readsOver(access).remove(described))
  }

  async keep(
    described: Described,
    options: { readonly lifetimeSeconds?: number },
  ): Promise<string> {
    checkCallOptions(options, ['lifetimeSeconds'])
    // Refuses wrong paths.
    if (described.paths !== null) await this.page(described, 0, 0)
    return this.#keep(described, options.lifetimeSeconds)
  }
  async combine(described: Described, combination: SetCombination | null): Promise<string> {
    const port = this.#setsPort()
    const session = await this.#runs.session()
    const change = combination === null ? ({ clean: true } as const) : { combination }
    const whole = await this.#asked(port, session, described, 'whole', change)
    return kept(port, session, whole, null)
  }
  async intersects({ dataClass, setId }: Described, other: string): Promise<boolean> {
    const { context } = this.#setsPort()
    const session = await this.#runs.session()
    const { sets, model, pool } = context
    const membersOf = async (id: string): Promise<Members> => {
      const found = await sets.get(id, session)
      const members = found?.dataClass === dataClass.name ? sets.members(found) : null
      if (members === null) throw new EntiaError('entitySetNotFound', { id })
      return members
    }
    return inDatabase(async () => {
      const both = [await membersOf(setId!), await membersOf(other)] as const
      const table = model.tables[dataClass.ordinal]!
      const { rows } = await pool.query(statementOf(haveCommonEntity(table, ...both)))
      return rows[0]![0] as boolean
    })
  }
  async release(id: string): Promise<boolean> {
    const { context } = this.#setsPort()
    const session = await this.#runs.session()
    return withPublicErrors(() => releaseSet(null, context.sets, id, session, null))
  }

  #setsPort(): AsyncPort {
    return portOf(this.#runs, 'An entity set', 'Use it before or after the transaction.')
  }

  /**
   * Keeps a selection as an entity set that every caller may use. The members do not leave the
   * database unless a computed attribute selects or orders them.
   */
  async #keep(described: Described, lifetimeSeconds: number | null = null): Promise<string> {
    const port = this.#setsPort()
    const members = { ...described, paths: null }
    const session = await this.#runs.session()
    const whole = await this.#asked(port, session, members, 'whole')
    if (recordsOf(port.context, whole.asked) !== null)
      return kept(port, session, whole, lifetimeSeconds)
    const options = lifetimeSeconds === null ? {} : { lifetimeSeconds }
    return this.#runs.write('an entity set', { sets: setsOf(members) }, (access) =>
      readsOver(access).keep(members, options),
    )
  }

  /** One question about the members: one round trip, and one for an entity set. */
  #computed<A, R>(
    described: Described,
    local: (reads: LocalReads) => Awaitable<R>,
    questionOf: (port: AsyncPort, members: TranslatedQuery) => Question<A> | null,
    shown: (answer: A) => R,
  ): Promise<R> {
    return this.#answered(described, local, async (port) => {
      const { asked } = await this.#asked(port, await this.#runs.session(), described, null)
      const { where } = asked
      const question = where === null ? null : questionOf(port, { ...asked, where })
      if (question === null) return undefined
      const { answers } = await inDatabase(() => askAll(port.context, [question]))
      return shown(answers[0]!)
    })
  }

  /** From the mirror, or from the database, or by core's own code. */
  #answered<R>(
    described: Described,
    local: (reads: LocalReads) => Awaitable<R>,
    bySql: (port: AsyncPort) => Promise<R | undefined>,
  ): Promise<R> {
    const runs = this.#runs
    const { dataClass, setId, orderBy } = described
    const read = (access: Access): Awaitable<R> => local(readsOver(access))
    const fromDatabase = async (): Promise<R> => {
      const found = runs.port === null ? undefined : await bySql(runs.port)
      return found === undefined ? runs.read({ sets: setsOf(described) }, read) : found
    }
    if (setId !== null) return fromDatabase()
    return mirroredOr(runs, dataClass, read, fromDatabase, ({ filters }) => {
      // What the database refuses, such as an order by relevance, is refused with a mirror too.
      filters.bind(dataClass, criteriaText(described, filters))
      if (orderBy !== null) filters.bindOrderBy(dataClass, orderBy)
    })
  }

  /**
   * The selection, or a page of it, as a question to the database. Throws the errors of its texts.
   */
  async #asked(
    { context, filters }: AsyncPort,
    session: Session | null,
    described: Described,
    wanted: Window | 'whole' | null,
    change: { readonly clean?: true; readonly combination?: SetCombination } = {},
  ): Promise<AskedSet> {
    const { dataClass, setId: id, orderBy } = described
    const filter = criteriaText(described, filters)
    const set = {
      kind: 'entitySet',
      dataClass,
      clean: false,
      combination: null,
      ...change,
    } as const
    const source = id === null ? ({ kind: 'all', dataClass } as const) : { ...set, id }
    const query = { source, filter, orderBy, saved: null }
    return inDatabase(() => askedBy(context, filters, session, query, wanted))
  }
}

/** True for a selection of a store over a database. */
const isOverDatabase = (value: unknown): value is DescribedSelection =>
  value instanceof DescribedSelection && value.reads instanceof SqlReads

/** Keeps members as an entity set that every caller may use. */
function kept(
  { context }: AsyncPort,
  session: Session | null,
  whole: AskedSet,
  lifetimeSeconds: number | null,
): Promise<string> {
  const keep = { lifetimeSeconds, owner: () => null }
  return inDatabase(() => keepSet(context, whole, keep, session))
}
/** The ids of the entity sets that a run needs. */
const setsOf = ({ setId }: Described): readonly string[] => (setId === null ? [] : [setId])

/** The text of the filter and the search. Throws `attributeNotApplicable` as `searchText` does. */
function criteriaText(
  { dataClass, filter, search }: Described,
  { sees }: Pick<CallerFilters, 'sees'>,
): FilterText | null {
  const text = filterText(filter)
  if (search === null) return text
  const words = searchText(dataClass, sees, search)
  return text === null ? new FilterText(words, null) : text.and(words)
}

const filterText = (filter: FilterParts | null): FilterText | null =>
  filter === null ? null : new FilterText(textOf(filter), filter.values)

/** Answers a read from the mirror, or else from the database. */
export async function mirroredOr<R>(
  runs: AsyncRuns,
  { name }: ClassModel,
  read: (access: Access) => Awaitable<R>,
  fromDatabase: () => Promise<R>,
  check: (port: AsyncPort) => void = () => {},
): Promise<R> {
  const { port } = runs
  if (port === null || port.mirror === null) return fromDatabase()
  const found = await port.mirror.answer({
    dataClass: name,
    caller: { session: await runs.session() },
    needs: () => {
      check(port)
      return null
    },
    isWhole: false,
    read: ({ store }, session) => read(new Access(store, session)),
  })
  return found === null ? fromDatabase() : found.value
}
