import { SelectionGrouping } from '../aggregate/grouping.ts'
import type { Capability } from '../kernel/capability.ts'
import type { Untyped } from '../model/definition.ts'
import type { SelectionGroups } from '../model/group-types.ts'
import type { Selection } from '../query/selection.ts'

const selection = {
  groupBy(this: Selection, attributes: string, aggregates: object = {}): SelectionGrouping {
    return SelectionGrouping.of(this, attributes, aggregates)
  },
} satisfies SelectionGroups<Untyped, string>

/** `groupBy` of selections. */
export const grouping = { name: 'grouping', selection } as const satisfies Capability
