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
import { type LongReads, Rendering } from './long-reads.ts'
import { RecordReader } from './record.ts'
import { keepRemade, keepSelection, type Selected, selectSource } from './select.ts'
import { lifeOf, lifeToken, type StoredEntity } from './values.ts'

// The reads of the local engine. Long ones run in time slices.

export function readEntity(
  callerStore: CallerStore,
  query: EntityQuery,
  long: LongReads,
): Awaitable<EntityAnswer | null> {
  const { reference, filter, through, textForm, withPlan, withPath } = query
  if (textForm !== null && reference.kind === 'key' && through === null && filter === null) {
    const { store, view } = callerStore
    const text = view.dataClass(reference.dataClass.name).text(reference.key, textForm)
    if (text === undefined) return null
    const { globalStamp } = store
    const life = lifeToken(store, text.life)
    return { globalStamp, record: null, text, life, condition: null, trace: null }
  }
  // Finding one entity by its key is never long.
  const isShort = reference.kind === 'key' && filter === null && !withPlan && !withPath
  if (!isShort || isLong(1, query))
    return long.read(callerStore.caller, () => findEntity(callerStore, query))
  const found = findEntity(callerStore, query)
  return found instanceof Rendering ? found.render(null) : found
}

export function readSelection(
  callerStore: CallerStore,
  query: PageQuery,
  long: LongReads,
): Awaitable<PageAnswer | null> {
  const { keep } = query
  const found = long.read(callerStore.caller, () => findPage(callerStore, query))
  return andThen(found, (found) => {
    if (found === null) return null
    const { selected, answer } = found
    if (keep === null && selected.remade === null) return answer
    // The last step, so that a request that fails keeps nothing.
    return andThen(keepAgain(callerStore, selected), () => {
      if (keep === null) return answer
      const read = <R>(body: () => R): Awaitable<R> => long.read(callerStore.caller, body)
      const kept = keepSelection(callerStore, selected, keep, read)
      return andThen(kept, (entitySetId) => ({ ...answer, entitySetId }))
    })
  })
}

export function compute(
  callerStore: CallerStore,
  query: ComputeQuery,
  long: LongReads,
): Awaitable<ComputeAnswer | null> {
  return readSelected(callerStore, query, long, (selection) => {
    const aggregates = query.paths.map((path) =>
      query.distinct
        ? distinctAggregates(selection, path, query.action)
        : aggregate(selection, path, query.action),
    )
    return { aggregates, ...filterAnswer(callerStore, selection, query) }
  })
}

export function distinct(
  callerStore: CallerStore,
  query: DistinctQuery,
  long: LongReads,
): Awaitable<DistinctAnswer | null> {
  return readSelected(callerStore, query, long, (selection) => {
    const ascending = selection.distinct(query.path.path)
    const values = query.descending ? [...ascending].reverse() : ascending
    const page = values.slice(query.skip, query.skip + query.top)
    return { values: page, ...filterAnswer(callerStore, selection, query) }
  })
}

export function group(
  callerStore: CallerStore,
  query: GroupQuery,
  long: LongReads,
): Awaitable<(GroupResult & FilterAnswer) | null> {
  return readSelected(callerStore, query, long, (selection) => {
    const { globalStamp } = callerStore.store
    const groups = groupsOf(selection, query)
    return { globalStamp, ...groups, ...filterAnswer(callerStore, selection, query) }
  })
}

/** Null if the addressed entity does not exist. The record is null for an empty relation. */
function findEntity(
  callerStore: CallerStore,
  query: EntityQuery,
): EntityAnswer | null | Rendering<EntityAnswer> {
  const { reference, filter, through, projection } = query
  const { store, view } = callerStore
  const { globalStamp } = store
  const entity = callerStore.entity(reference)
  if (entity === undefined) return null
  const shown =
    through === null ? entity : (view.related(entity, through.name) as StoredEntity | null)
  if (shown === null)
    return { globalStamp, record: null, text: null, life: null, condition: null, trace: null }
  const table = view.dataClass(projection.dataClass.name)
  const selected = callerStore.within(table.from([keyOf(shown)]), filter)
  if (filter !== null && selected.count === 0) return null
  const life = lifeOf(store, view, projection.dataClass, shown)
  const plan = filterAnswer(callerStore, selected, query)
  return new Rendering(isLong(1, query), (nextSlice) =>
    andThen(recordsOf(callerStore, [shown], query, nextSlice), ([record = null]) => ({
      globalStamp,
      record,
      text: null,
      life,
      ...plan,
    })),
  )
}

/** A page, with the selection that it belongs to. */
interface FoundPage {
  readonly selected: Selected
  readonly answer: PageAnswer
}

/** The entities of a page, as of this moment. Null as `selectSource`. */
function findPage(
  callerStore: CallerStore,
  query: PageQuery,
): FoundPage | null | Rendering<FoundPage> {
  const selected = selectSource(callerStore, query)
  if (selected === null) return null
  const { selection } = selected
  const { textForm, maxEntities, projection } = query
  const { count } = selection
  const page = selection.page(query.skip, query.top)
  const shown = page.count
  // Texts need no object per entity. If some members were deleted, the existing ones may still
  // fit the limit.
  const canBeText = textForm !== null && shown <= maxEntities
  const texts = canBeText && fitsOneSlice(shown) ? page.texts(textForm) : null
  const keys = canBeText && texts === null ? page.keys() : null
  const members = texts === null && keys?.length !== shown ? page.members() : null
  const explain = query.withExplain ? page.explain() : null
  const plans = filterAnswer(callerStore, selection, query)
  const { globalStamp } = callerStore.store
  const found = { globalStamp, count, texts, explain, ...plans }
  const answer: PageAnswer = { ...found, records: [], entitySetId: null }
  if (members !== null)
    return new Rendering(isLong(members.length, query), (nextSlice) =>
      andThen(recordsOf(callerStore, members, query, nextSlice), (records) => ({
        selected,
        answer: { ...answer, records },
      })),
    )
  if (keys === null || textForm === null) return { selected, answer }
  const list = callerStore.view.dataClass(projection.dataClass.name).from(keys)
  return new Rendering(true, async (nextSlice) => {
    const texts = await textsOf(list, shown, textForm, nextSlice)
    return { selected, answer: { ...answer, texts } }
  })
}

/** Whether it takes more than one time slice to read the records of so many entities. */
const isLong = (
  members: number,
  { projection, relatedTop }: Pick<PageQuery, 'projection' | 'relatedTop'>,
): boolean => !fitsOneSlice(members * largestSize(projection, relatedTop))

async function textsOf(
  list: AnySelection,
  count: number,
  form: TextForm,
  nextSlice: NextSlice | null,
): Promise<readonly (string | undefined)[]> {
  const texts: (string | undefined)[] = []
  for (let from = 0; from < count; from += ENTITIES_PER_SLICE) {
    if (from > 0 && nextSlice !== null) await nextSlice()
    texts.push(...list.page(from, ENTITIES_PER_SLICE).texts(form))
  }
  return texts
}

/** The records of entities; in one time slice if `nextSlice` is null. */
function recordsOf(
  { store, caller: { session }, view }: CallerStore,
  members: readonly (StoredEntity | undefined)[],
  { projection, ...bounds }: Pick<PageQuery, 'projection' | 'relatedTop' | 'maxEntities'>,
  nextSlice: NextSlice | null,
): Awaitable<readonly (EntityRecord | null)[]> {
  const reader = new RecordReader(view, bounds)
  if (nextSlice === null)
    return asSession(store, session, () => reader.readAll(members, projection))
  const steps = reader.steps(members, projection)
  const toEnd = async (): Promise<readonly (EntityRecord | null)[]> => {
    for (;;) {
      const step = asSession(store, session, () => steps.next())
      if (step.done === true) return step.value
      await nextSlice()
    }
  }
  return toEnd()
}

/** Reads values of a selection, whose order does not matter. Null as `selectSource`. */
function readSelected<R>(
  callerStore: CallerStore,
  query: SelectionQuery,
  long: LongReads,
  read: (selection: AnySelection) => R,
): Awaitable<R | null> {
  const found = long.read(callerStore.caller, () => {
    const selected = selectSource(callerStore, { ...query, orderBy: null })
    return selected && { selected, values: read(selected.selection) }
  })
  return andThen(found, (found) => {
    if (found === null) return null
    return andThen(keepAgain(callerStore, found.selected), () => found.values)
  })
}

const keepAgain = (callerStore: CallerStore, { remade }: Selected): Awaitable<void> =>
  remade === null ? undefined : keepRemade(callerStore, remade)

/** The plan and trace of the filter that made a selection. */
function filterAnswer(
  callerStore: CallerStore,
  selection: AnySelection,
  { filter, withPlan, withPath }: Pick<SelectionQuery, 'filter' | 'withPlan' | 'withPath'>,
): FilterAnswer {
  return {
    condition: withPlan && filter !== null ? selection.condition() : null,
    trace: withPath ? callerStore.trace(selection.dataClass, filter) : null,
  }
}
