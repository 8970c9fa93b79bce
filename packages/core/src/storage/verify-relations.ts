import { hasBit } from './bitset.ts'
import type { Table } from './table.ts'

/**
 * Verifies that every foreign key has a target, whatever its `onDelete` rule. Takes the tables by
 * `ClassModel.ordinal`. Throws an `Error` that names the first relation without target. Call it
 * outside of transactions only. Cost O(records x relations).
 */
export function verifyRelations(tables: readonly Table[]): void {
  for (const target of tables) {
    for (const { owner, name, foreignKey, onDelete } of target.model.incoming) {
      const table = tables[owner.ordinal]
      for (let slot = 0; slot < table.length; slot++) {
        const key = hasBit(table.live, slot) ? table.read(slot, foreignKey.ordinal) : null
        if (key === null || target.findKey(key) >= 0) continue
        const place = `"${owner.name}.${name}" (onDelete: ${onDelete})`
        throw new Error(
          `Entia invariant broken in ${place}: record ${slot} leads to "${key}", which is not there.`,
        )
      }
    }
  }
}
