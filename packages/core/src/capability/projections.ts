import { compileProjection, type Projection } from '../entity/projection.ts'
import type { Capability, StoreHandle } from '../kernel/capability.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type {
  EntityText,
  SelectionProjections,
  SelectionTexts,
  TextForm,
} from '../model/selection-types.ts'
import type { KeptTextOptions } from '../model/store-types.ts'
import type { DataClassTexts } from '../model/table-types.ts'
import { TextCache } from '../query/filter-cache.ts'
import { type TableQueries, tableParts } from '../query/queries.ts'
import { type Selection, selectionParts } from '../query/selection.ts'
import type { SelectionPort } from '../query/selection-port.ts'
import { RowCache } from '../storage/row-cache.ts'
import { storedKey } from '../storage/stored-key.ts'
import { checkText, fromZero } from '../value/check-options.ts'

// Entities as plain objects and as text. Compiled projections are cached for callers who know the
// same names.

const DEFAULTS: Required<KeptTextOptions> = { characters: 4 * 1024 * 1024 }

const checkPaths = (paths: string): void =>
  checkText('A projection', paths, 'lastName, employer.name')

const selection = {
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
} satisfies SelectionProjections<Untyped, string>

/** `select` and `json` of selections. */
export const projections = {
  name: 'projections',
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
 * The projection of a list of paths or of a form, for a caller. Where rows are hidden it is
 * compiled for what can be seen now, else cached.
 */
function projectionFor(
  port: SelectionPort,
  dataClass: ClassModel,
  source: string | TextForm,
): Projection {
  const { sees, names, restrictsRows } = port.scope
  if (restrictsRows) return compileProjection(port.database, dataClass, source, sees)
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

const queries = {
  /** One entity as text. Cost: O(values), or a look-up where the text is cached. */
  text(this: TableQueries, key: unknown, form: TextForm): EntityText | undefined {
    const { port, model } = tableParts(this)
    const slot = slotOf(port, model, key)
    if (slot < 0) return undefined
    const table = port.database.tableOf(model)
    const { texts } = projectionFor(port, model, form)
    const life = table.lifeOf(slot)
    return {
      text: texts.one(slot),
      life,
      stamp: table.stamps[slot],
      timestamp: texts.timestampOf(slot),
    }
  },
  life(this: TableQueries, key: unknown): string | undefined {
    const { port, model } = tableParts(this)
    const slot = slotOf(port, model, key)
    return slot < 0 ? undefined : port.database.tableOf(model).lifeOf(slot)
  },
} satisfies DataClassTexts<Untyped, string>

const textsOfSelection = {
  /** Every member in its place as text; undefined for one removed since. */
  texts(this: Selection, form: TextForm): (string | undefined)[] {
    const { port, members } = selectionParts(this)
    port.moment.enter()
    const { texts } = projectionFor(port, this.table.model, form)
    const slots = members.slots(0, members.count)
    const living = members.asOf.livingOf(slots)
    const written = texts.of(living)
    if (living.length === slots.length) return written
    let at = 0
    return Array.from(slots, (slot) => (members.asOf.isAlive(slot) ? written[at++] : undefined))
  },
} satisfies SelectionTexts

/**
 * Entities as text in the form of an adapter: `text` and `life` of dataclasses, `texts` of
 * selections.
 */
export const texts = {
  name: 'texts',
  queries,
  selection: textsOfSelection,
} as const satisfies Capability

/** The record number of a key, or -1 where this caller sees none. */
function slotOf(port: SelectionPort, model: ClassModel, key: unknown): number {
  port.moment.enter()
  const stored = storedKey(model, key)
  const slot = stored === null ? -1 : port.database.tableOf(model).findKey(stored)
  return slot >= 0 && port.database.visibleIn(model)?.has(slot) === false ? -1 : slot
}
