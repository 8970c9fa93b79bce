import { compileProjection, type Projection } from '../../entity/projection.ts'
import type { ClassModel } from '../../model/catalog.ts'
import type { Untyped } from '../../model/definition.ts'
import type { QueryOptions, SelectionProjections, TextForm } from '../../model/selection-types.ts'
import type { KeptTextOptions } from '../../model/store-types.ts'
import { TextCache } from '../../query/filter-cache.ts'
import { TableQueries } from '../../query/queries.ts'
import { Selection, selectionParts } from '../../query/selection.ts'
import { heldPath, type SelectionPort } from '../../query/selection-port.ts'
import { conditionFrom } from '../../query/where.ts'
import { RowCache } from '../../storage/row-cache.ts'
import { checkText, fromZero } from '../../value/check-options.ts'
import type { Capability, StoreHandle } from '../kernel/capability.ts'

// Functions as filters, and entities as plain objects and as text. Compiled projections are cached
// for callers who know the same names.

const DEFAULTS: Required<KeptTextOptions> = { characters: 4 * 1024 * 1024 }

const checkPaths = (paths: string): void =>
  checkText('A projection', paths, 'lastName, employer.name')

type Given = Parameters<TableQueries['query']>[0]

const { query } = TableQueries.prototype
const { query: narrow } = Selection.prototype

const queries = {
  query(this: TableQueries, filter: Given, params?: unknown, options?: QueryOptions): Selection {
    const given = typeof filter === 'function' ? conditionFrom(this, filter) : filter
    return query.call(this, given, params, options)
  },
}
const selection = {
  query(this: Selection, filter: Given, params?: unknown, options?: QueryOptions): Selection {
    const given = typeof filter === 'function' ? conditionFrom(this.dataClass, filter) : filter
    return narrow.call(this, given, params, options)
  },
  /** Plain objects with what the paths name. */
  select(this: Selection, paths: string): Record<string, Untyped>[] {
    const { port, members } = selectionParts(this)
    port.moment.enter()
    checkPaths(paths)
    const projection = projectionFor(port, this.table.model, paths)
    const out: Record<string, unknown>[] = []
    const slots = members.livingSlots()
    for (let i = 0; i < slots.length; i++) out.push(projection.object(slots[i]))
    return out
  },
  /** JSON text of an array of what the paths name (all values of the dataclass without). */
  json(this: Selection, paths?: string): string {
    const { port, members } = selectionParts(this)
    port.moment.enter()
    const given = paths ?? ''
    checkPaths(given)
    const { texts } = projectionFor(port, this.table.model, given)
    const written = texts.of(members.livingSlots())
    // Not joined: the reader of the text makes one piece of it.
    let out = '['
    for (let i = 0; i < written.length; i++) out += i === 0 ? written[0] : `,${written[i]}`
    return `${out}]`
  },
} satisfies SelectionProjections<Untyped, string> & Record<'query', unknown>

/**
 * Functions as filters, `query((e) => e('salary', '>', 50_000))` of dataclasses and selections, and
 * the typed objects of `select` and `json` of selections.
 */
export const typedQueries = {
  name: 'typedQueries',
  queries,
  selection,
  options: { keptTexts: { defaults: DEFAULTS, rangeOf: fromZero } },
  install({ writer }: StoreHandle, { keptTexts }) {
    for (const table of writer.tables) table.rowCache = new RowCache(keptTexts.characters)
  },
} as const satisfies Capability<string, { keptTexts: typeof DEFAULTS }>

/** Projections kept compiled per dataclass. */
const CACHE_SIZE = 500

/** A compiled projection, with `Moment.layouts` of the columns that it was compiled for. */
interface Compiled {
  readonly layouts: number
  readonly projection: Projection
}
interface CompiledCache<S> {
  get(source: S): Compiled | undefined
  set(source: S, compiled: Compiled): unknown
}

/** What is compiled for callers who know the same names, by `ClassModel.ordinal`. */
class CompiledTexts {
  readonly paths: (CompiledCache<string> | undefined)[] = []
  /** A form is known by its identity. */
  readonly forms: (CompiledCache<TextForm> | undefined)[] = []
}

const byNames = new WeakMap<object, CompiledTexts>()

/**
 * The projection of a list of paths or of a form, for a caller. Where rows are hidden or only some
 * entities are held, it is compiled for what can be seen now, else cached.
 */
export function projectionFor(
  port: SelectionPort,
  dataClass: ClassModel,
  source: string | TextForm,
): Projection {
  const { sees, names, restrictsRows } = port.scope
  if (restrictsRows || port.whole.mustHold !== undefined)
    return compileProjection(port.database, dataClass, source, sees, (owner, path) => {
      heldPath(port.whole, owner, path)
    })
  let texts = byNames.get(names)
  if (texts === undefined) byNames.set(names, (texts = new CompiledTexts()))
  const cache: CompiledCache<never> =
    typeof source === 'string'
      ? (texts.paths[dataClass.ordinal] ??= new TextCache(CACHE_SIZE))
      : (texts.forms[dataClass.ordinal] ??= new WeakMap())
  const { layouts } = port.moment
  let compiled = cache.get(source as never)
  if (compiled?.layouts !== layouts) {
    compiled = { layouts, projection: compileProjection(port.database, dataClass, source, sees) }
    cache.set(source as never, compiled)
  }
  return compiled.projection
}
