import {
  type BatchCall,
  type BatchRefusal,
  type BatchStamps,
  isArgumentEntity,
} from '@entia/core/internal'
import type { Resolution } from './conflict.ts'
import { idOf } from './contents.ts'
import type { KeptItems } from './own-classes.ts'

// A batch as the store of a replica keeps it, and which batches cannot be sent before the outcomes
// of others.

/** An entity of `ReplicaBatch`. */
export interface KeptBatch {
  readonly number: number
  readonly state: string
  readonly items: KeptItems
  readonly strict: boolean
  readonly call: BatchCall | null
  readonly result: { readonly value: unknown } | null
  readonly globalStamp: number | null
  readonly stamps: { readonly list: BatchStamps } | null
  readonly refusal: BatchRefusal | null
  readonly choices: { readonly list: readonly Resolution[] } | null
}

/** The entities that a batch changes, or for which it calls a function. */
const idsOf = ({ items, call }: KeptBatch): readonly string[] =>
  call === null
    ? items.list.map(({ dataClass, key }) => idOf(dataClass, key))
    : call.key === null
      ? []
      : [idOf(call.dataClass, call.key)]

/** The entities that a function is called with. */
const argumentsOf = ({ call }: KeptBatch): readonly string[] =>
  (call?.args ?? []).flatMap((value) =>
    isArgumentEntity(value) ? [idOf(value.__DATACLASS, value.__KEY)] : [],
  )

/**
 * What later batches depend on: calls, and new entities for which or with which a function is
 * called. The key of one that is refused may be that of an entity of somebody else. Values are
 * compared by the server.
 */
export class Dependencies {
  readonly #called = new Set<string>()
  readonly #made = new Set<string>()

  add(batch: KeptBatch): void {
    if (batch.call !== null) for (const id of idsOf(batch)) this.#called.add(id)
    for (const { kind, dataClass, key } of batch.items.list)
      if (kind === 'insert') this.#made.add(idOf(dataClass, key))
  }
  include(batch: KeptBatch): boolean {
    return [...idsOf(batch), ...argumentsOf(batch)].some(
      (id) => this.#called.has(id) || (batch.call !== null && this.#made.has(id)),
    )
  }
}
