import { type AnySelection, keyOf } from '@entia/core'
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
import {
  keepRemade,
  keepSelection,
  pageAnswer,
  type Selected,
  type Shown,
  type ShownPage,
  selectSource,
} from './select.ts'
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
    const shown = this.#long.readThenRender(this.#callerStore.caller, () => this.#findPage(query), {
      isLong: (found) => found !== null && this.#isLongPage(found.shown, query),
      show: (found, nextSlice) =>
        found &&
        andThen(this.#shownPage(found.shown, query, nextSlice), (page) => ({ found, page })),
    })
    return andThen(shown, (shown): Awaitable<PageAnswer | null> => {
      if (shown === null) return null
      const { found, page } = shown
      const { keep } = query
      const { selected } = found
      if (keep === null && selected.remade === null) return pageAnswer(found.answer, page, null)
      // Kept last, so that a request that fails keeps nothing.
      return andThen(this.#keepRemade(selected), () => {
        if (keep === null) return pageAnswer(found.answer, page, null)
        const kept = keepSelection(this.#callerStore, selected, keep, (body) => this.#read(body))
        return andThen(kept, (entitySetId) => pageAnswer(found.answer, page, entitySetId))
      })
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

  /** The entities of a page, as of this moment. */
  #findPage(query: PageQuery) {
    const selected = selectSource(this.#callerStore, query)
    if (selected === null) return null
    const { selection } = selected
    const { count } = selection
    const page = selection.page(query.skip, query.top)
    const shown = this.#findShown(page, query)
    const explain = query.withExplain ? page.explain() : null
    const { condition, trace } = this.#filterAnswer(selection, query)
    return {
      selected,
      shown,
      answer: {
        globalStamp: this.#callerStore.store.globalStamp,
        count,
        condition,
        trace,
        explain,
      },
    }
  }

  /** The content of a page: texts if requested, since these need no object per entity. */
  #findShown(page: AnySelection, { textForm, maxEntities, projection }: PageQuery): ShownPage {
    const { count } = page
    // If some members were deleted, the existing ones may still fit the limit.
    if (textForm === null || count > maxEntities)
      return { kind: 'members', members: page.members() }
    if (fitsOneSlice(count)) return { kind: 'texts', texts: page.texts(textForm) }
    const keys = page.keys()
    if (keys.length < count) return { kind: 'members', members: page.members() }
    return {
      kind: 'list',
      form: textForm,
      count,
      list: this.#callerStore.view.dataClass(projection.dataClass.name).from(keys),
    }
  }

  #isLongPage(shown: ShownPage, query: PageQuery): boolean {
    return (
      shown.kind === 'list' ||
      (shown.kind === 'members' && this.#isLong(shown.members.length, query))
    )
  }
  #isLong(
    members: number,
    { projection, relatedTop }: Pick<PageQuery, 'projection' | 'relatedTop'>,
  ): boolean {
    return !fitsOneSlice(members * largestSize(projection, relatedTop))
  }

  #shownPage(shown: ShownPage, query: PageQuery, nextSlice: NextSlice | null): Awaitable<Shown> {
    switch (shown.kind) {
      case 'texts':
        return { records: [], texts: shown.texts }
      case 'members':
        return andThen(this.#records(shown.members, query, nextSlice), (records) => ({
          records,
          texts: null,
        }))
      case 'list':
        return this.#textsSliced(shown, nextSlice)
    }
  }

  async #textsSliced(
    { form, count, list }: Extract<ShownPage, { kind: 'list' }>,
    nextSlice: NextSlice | null,
  ): Promise<Shown> {
    const texts: (string | undefined)[] = []
    for (let from = 0; from < count; from += ENTITIES_PER_SLICE) {
      if (from > 0 && nextSlice !== null) await nextSlice()
      texts.push(...list.page(from, ENTITIES_PER_SLICE).texts(form))
    }
    return { records: [], texts }
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
