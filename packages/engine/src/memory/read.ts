import { type AnySelection, keyOf, type TextForm } from '@entia/core'
import { type Awaitable, andThen } from '../interface/awaitable.ts'
import type {
  ComputeAnswer,
  ComputeQuery,
  DistinctAnswer,
  DistinctQuery,
  EntityAnswer,
  EntityQuery,
  FilterAnswer,
  PageAnswer,
  PageQuery,
} from '../interface/engine.ts'
import { type EntityRecord, largestSize } from '../interface/projection.ts'
import type { GroupQuery, GroupResult, SelectionQuery } from '../interface/selection-source.ts'
import { ENTITIES_PER_SLICE, fitsOneSlice, type NextSlice } from '../interface/time-slices.ts'
import { aggregate, distinctAggregates, groupsOf } from './aggregate-path.ts'
import { asSession, type CallerStore } from './caller-store.ts'
import type { LongReads, Rendering } from './long-reads.ts'
import { RecordReader } from './record.ts'
import { keepRemade, keepSelection, type Selected, selectSource } from './select.ts'
import { lifeOf, lifeToken, type StoredEntity } from './values.ts'

/** The reads of the local engine. Long ones run in time slices. */
export class LocalReader {
  readonly #callerStore: CallerStore
  readonly #long: LongReads

  constructor(callerStore: CallerStore, long: LongReads) {
    this.#callerStore = callerStore
    this.#long = long
  }

  readEntity(query: EntityQuery): Awaitable<EntityAnswer | null> {
    const { reference, filter, through, textForm, withPlan, withPath } = query
    if (textForm !== null && reference.kind === 'key' && through === null && filter === null) {
      const { store, view } = this.#callerStore
      const text = view.dataClass(reference.dataClass.name).text(reference.key, textForm)
      if (text === undefined) return null
      const life = lifeToken(store, text.life)
      return {
        globalStamp: store.globalStamp,
        record: null,
        text,
        life,
        condition: null,
        trace: null,
      }
    }
    const showing: Rendering<FoundEntity, EntityAnswer | null> = {
      isLong: (found) => found?.shown != null && this.#isLong(1, query),
      show: (found, nextSlice) => {
        if (found === null) return null
        if (found.shown === null) return { ...found.answer, record: null, text: null }
        const records = this.#records([found.shown], query, nextSlice)
        return andThen(records, ([record]) => ({
          ...found.answer,
          record: record ?? null,
          text: null,
        }))
      },
    }
    // Finding one entity by its key is never long.
    const isShort = reference.kind === 'key' && filter === null && !withPlan && !withPath
    if (isShort && !this.#isLong(1, query)) return showing.show(this.#findEntity(query), null)
    return this.#long.readThenRender(
      this.#callerStore.caller,
      () => this.#findEntity(query),
      showing,
    )
  }

  readSelection(query: PageQuery): Awaitable<PageAnswer | null> {
    const found = this.#long.readThenRender(this.#callerStore.caller, () => this.#findPage(query), {
      isLong: (found) => found?.rest != null && this.#isLongRest(found.rest, query),
      show: (found, nextSlice) =>
        found?.rest == null ? found : this.#withRest(found, found.rest, query, nextSlice),
    })
    return andThen(found, (found) => this.#kept(found, query))
  }

  /**
   * Keeps the whole selection of a page if requested. Called last, so that a request that fails
   * keeps nothing.
   */
  #kept(found: FoundPage | null, { keep }: PageQuery): Awaitable<PageAnswer | null> {
    if (found === null) return null
    const { selected, answer } = found
    if (keep === null && selected.remade === null) return answer
    return andThen(this.#keepRemade(selected), () => {
      if (keep === null) return answer
      const kept = keepSelection(this.#callerStore, selected, keep, (body) => this.#read(body))
      return andThen(kept, (entitySetId) => ({ ...answer, entitySetId }))
    })
  }

  compute(query: ComputeQuery): Awaitable<ComputeAnswer | null> {
    return this.#readSelected(query, (selection) => {
      const aggregates = query.paths.map((path) =>
        query.distinct
          ? distinctAggregates(selection, path, query.action)
          : aggregate(selection, path, query.action),
      )
      return { aggregates, ...this.#filterAnswer(selection, query) }
    })
  }

  distinct(query: DistinctQuery): Awaitable<DistinctAnswer | null> {
    return this.#readSelected(query, (selection) => {
      const ascending = selection.distinct(query.path.path)
      const values = query.descending ? [...ascending].reverse() : ascending
      const filterAnswer = this.#filterAnswer(selection, query)
      return { values: values.slice(query.skip, query.skip + query.top), ...filterAnswer }
    })
  }

  group(query: GroupQuery): Awaitable<(GroupResult & FilterAnswer) | null> {
    return this.#readSelected(query, (selection) => {
      const { globalStamp } = this.#callerStore.store
      const groups = groupsOf(selection, query)
      return { globalStamp, ...groups, ...this.#filterAnswer(selection, query) }
    })
  }

  /**
   * The entity to render: null for an empty relation. The result is null if the addressed entity
   * does not exist.
   */
  #findEntity({ reference, filter, through, projection, ...query }: EntityQuery): FoundEntity {
    const { store, view } = this.#callerStore
    const { globalStamp } = store
    const entity = this.#callerStore.entity(reference)
    if (entity === undefined) return null
    const shown =
      through === null ? entity : (view.related(entity, through.name) as StoredEntity | null)
    if (shown === null)
      return { shown, answer: { globalStamp, life: null, condition: null, trace: null } }
    const selected = this.#callerStore.within(
      view.dataClass(projection.dataClass.name).from([keyOf(shown)]),
      filter,
    )
    if (filter !== null && selected.count === 0) return null
    const life = lifeOf(store, view, projection.dataClass, shown)
    return {
      shown,
      answer: { globalStamp, life, ...this.#filterAnswer(selected, { ...query, filter }) },
    }
  }

  /** The entities of a page, as of this moment. Null as `selectSource`. */
  #findPage(query: PageQuery): FoundPage | null {
    const selected = selectSource(this.#callerStore, query)
    if (selected === null) return null
    const { selection } = selected
    const { textForm, maxEntities } = query
    const { count } = selection
    const page = selection.page(query.skip, query.top)
    const shown = page.count
    // Texts need no object per entity. If some members were deleted, the existing ones may still
    // fit the limit.
    const hasTexts = textForm !== null && shown <= maxEntities && fitsOneSlice(shown)
    const texts = hasTexts ? page.texts(textForm) : null
    const rest = hasTexts ? null : this.#findRest(page, query)
    const explain = query.withExplain ? page.explain() : null
    const { condition, trace } = this.#filterAnswer(selection, query)
    const { globalStamp } = this.#callerStore.store
    const answer = {
      globalStamp,
      entitySetId: null,
      count,
      records: [],
      texts,
      condition,
      trace,
      explain,
    }
    return { selected, answer, rest }
  }

  /** The content of a page that is rendered later, perhaps in time slices. */
  #findRest(page: AnySelection, { textForm, maxEntities, projection }: PageQuery): RestOfPage {
    const { count } = page
    if (textForm === null || count > maxEntities)
      return { kind: 'members', members: page.members() }
    const keys = page.keys()
    if (keys.length < count) return { kind: 'members', members: page.members() }
    const list = this.#callerStore.view.dataClass(projection.dataClass.name).from(keys)
    return { kind: 'list', form: textForm, count, list }
  }

  #isLongRest(rest: RestOfPage, query: PageQuery): boolean {
    return rest.kind === 'list' || this.#isLong(rest.members.length, query)
  }
  #isLong(
    members: number,
    { projection, relatedTop }: Pick<PageQuery, 'projection' | 'relatedTop'>,
  ): boolean {
    return !fitsOneSlice(members * largestSize(projection, relatedTop))
  }

  #withRest(
    found: FoundPage,
    rest: RestOfPage,
    query: PageQuery,
    nextSlice: NextSlice | null,
  ): Awaitable<FoundPage> {
    if (rest.kind === 'list')
      return this.#textsSliced(rest, nextSlice).then((texts) => ({
        ...found,
        answer: { ...found.answer, texts },
      }))
    return andThen(this.#records(rest.members, query, nextSlice), (records) => ({
      ...found,
      answer: { ...found.answer, records },
    }))
  }

  async #textsSliced(
    { form, count, list }: Extract<RestOfPage, { kind: 'list' }>,
    nextSlice: NextSlice | null,
  ): Promise<readonly (string | undefined)[]> {
    const texts: (string | undefined)[] = []
    for (let from = 0; from < count; from += ENTITIES_PER_SLICE) {
      if (from > 0 && nextSlice !== null) await nextSlice()
      texts.push(...list.page(from, ENTITIES_PER_SLICE).texts(form))
    }
    return texts
  }

  /** The records of entities, in time slices if there are many. */
  #records(
    members: readonly (StoredEntity | undefined)[],
    { projection, ...bounds }: Pick<PageQuery, 'projection' | 'relatedTop' | 'maxEntities'>,
    nextSlice: NextSlice | null,
  ): Awaitable<readonly (EntityRecord | null)[]> {
    const reader = new RecordReader(this.#callerStore.view, bounds)
    if (nextSlice === null) return this.#as(() => reader.readAll(members, projection))
    return this.#recordsSliced(reader.steps(members, projection), nextSlice)
  }

  async #recordsSliced<R>(steps: Iterator<unknown, R>, nextSlice: NextSlice): Promise<R> {
    for (let step = this.#as(() => steps.next()); ; step = this.#as(() => steps.next())) {
      if (step.done === true) return step.value
      await nextSlice()
    }
  }

  #as<R>(body: () => R): R {
    return asSession(this.#callerStore.store, this.#callerStore.session, body as () => never)
  }

  #read<R>(body: () => R): Awaitable<R> {
    return this.#long.read(this.#callerStore.caller, body)
  }

  /** Reads values of a selection, whose order does not matter. Null as `selectSource`. */
  #readSelected<R>(
    query: SelectionQuery,
    read: (selection: AnySelection) => R,
  ): Awaitable<R | null> {
    const found = this.#read(() => {
      const selected = selectSource(this.#callerStore, { ...query, orderBy: null })
      return selected && { selected, values: read(selected.selection) }
    })
    return andThen(found, (found) => {
      if (found === null) return null
      return andThen(this.#keepRemade(found.selected), () => found.values)
    })
  }

  #keepRemade({ remade }: Selected): Awaitable<void> {
    return remade === null ? undefined : keepRemade(this.#callerStore, remade)
  }

  /** The plan and trace of the filter that made a selection. */
  #filterAnswer(
    selection: AnySelection,
    { filter, withPlan, withPath }: Pick<SelectionQuery, 'filter' | 'withPlan' | 'withPath'>,
  ): FilterAnswer {
    return {
      condition: withPlan && filter !== null ? selection.condition() : null,
      trace: withPath ? this.#callerStore.trace(selection.dataClass, filter) : null,
    }
  }
}

/** What an address of one entity leads to; null if it does not exist. */
type FoundEntity = {
  readonly shown: StoredEntity | null
  readonly answer: Omit<EntityAnswer, 'record' | 'text'>
} | null

/** A page of a selection. Its answer is complete if `rest` is null. */
interface FoundPage {
  readonly selected: Selected
  readonly answer: PageAnswer
  readonly rest: RestOfPage | null
}

/** The members of a page, or a selection of their keys in page order. */
type RestOfPage =
  | { readonly kind: 'members'; readonly members: readonly (StoredEntity | undefined)[] }
  | {
      readonly kind: 'list'
      readonly form: TextForm
      readonly count: number
      readonly list: AnySelection
    }
