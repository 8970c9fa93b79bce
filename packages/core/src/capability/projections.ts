import type { Capability, StoreHandle } from '../kernel/capability.ts'
import type { Untyped } from '../model/definition.ts'
import type { SelectionProjections } from '../model/selection-types.ts'
import type { KeptTextOptions } from '../model/store-types.ts'
import { type Selection, selectionParts } from '../query/selection.ts'
import { RowCache } from '../storage/row-cache.ts'
import { checkText, fromZero } from '../value/check-options.ts'
import { projectionFor } from './texts.ts'

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
