import {
  handleOf,
  hasCountedKey,
  type KeyBlock,
  type LeaseRequest,
  lastNumberOf,
  nextNumber,
  refused,
} from '@entia/core/internal'
import { engineError } from '../errors/engine-error.ts'
import { permitReading, permitRows } from '../interface/permit.ts'
import type { CallerStore } from './caller-store.ts'
import type { ReplicaNotes } from './replica-notes.ts'

/** Blocks of one dataclass that a replica has at once. */
const MAX_BLOCKS = 16

/**
 * The blocks of keys that a replica has of a dataclass, with a new one unless the replica has yet
 * to learn of the last. Part of the open transaction. Throws dataClassNotFound, loginRequired,
 * accessDenied for a caller who may not create entities, argumentInvalid for keys without a
 * sequence and for more than `MAX_BLOCKS`, replicaExpired, sequenceExhausted. Cost O(size).
 */
export function leaseKeys(
  { caller, names, store }: CallerStore,
  notes: ReplicaNotes,
  name: string,
  { size, lowest, last }: LeaseRequest,
): readonly KeyBlock[] {
  if (notes.isExpired) throw engineError('replicaExpired', {})
  const model = names.dataClass(name)
  permitReading(caller, model, 'create')
  permitRows(caller, model, 'create')
  if (!hasCountedKey(model))
    throw refused(
      `"lease.${name}"`,
      'a dataclass whose keys are numbers of a sequence',
      `one with the key ${model.key.name} of type ${model.key.type}`,
    )
  const known = notes.blocksOf(model.name)
  const blocks = known.filter(([, end]) => end >= lowest)
  const isNew = (blocks.at(-1)?.[1] ?? 0) <= last
  if (isNew && blocks.length >= MAX_BLOCKS)
    throw refused(
      `"lease.${name}"`,
      `at most ${MAX_BLOCKS} blocks from the lowest key that may still arrive: solve the problems of the replica`,
      `a request for another one`,
    )
  if (isNew) blocks.push(nextBlock(store, model, size))
  if (isNew || blocks.length < known.length) notes.noteBlocks(model.name, blocks)
  return blocks
}

/** Takes numbers from the sequence of a dataclass, as insertions do. */
function nextBlock(
  store: CallerStore['store'],
  model: Parameters<typeof lastNumberOf>[0],
  size: number,
): KeyBlock {
  const { writer } = handleOf(store)
  const table = writer.tables[model.ordinal]!
  const sequence = writer.stages.sequenceFor(table)
  const limit = lastNumberOf(model)
  const first = nextNumber(table, sequence, model.key, limit)
  let last = first
  while (last < first + size - 1) last = nextNumber(table, sequence, model.key, limit)
  return [first, last]
}
