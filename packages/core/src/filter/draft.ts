import type { FilterParameters } from './parameters.ts'
import type { Predicate } from './predicate.ts'

/**
 * A predicate, or a function of the values of placeholders that makes one. Parts that do not depend
 * on values are predicates already, so binding repeats only the rest.
 */
export type Draft = Predicate | OpenDraft

export interface OpenDraft {
  readonly kind: 'open'
  bind(parameters: FilterParameters | undefined): Predicate
}

export const NOTHING: Predicate = Object.freeze({ kind: 'constant', value: false })
export const EVERYTHING: Predicate = Object.freeze({ kind: 'constant', value: true })

export function closeDraft(draft: Draft, parameters: FilterParameters | undefined): Predicate {
  return draft.kind === 'open' ? draft.bind(parameters) : draft
}

/** Calls `make` with the parts, now or when all are known. */
export function combineDrafts(
  drafts: readonly Draft[],
  make: (parts: readonly Predicate[]) => Predicate,
): Draft {
  if (drafts.every((draft) => draft.kind !== 'open')) return make(drafts as readonly Predicate[])
  return new CombinedDraft(drafts, make)
}

/** A combination of parts, some of which wait for values. */
export class CombinedDraft implements OpenDraft {
  readonly kind = 'open'
  readonly parts: readonly Draft[]
  readonly make: (parts: readonly Predicate[]) => Predicate

  constructor(parts: readonly Draft[], make: (parts: readonly Predicate[]) => Predicate) {
    this.parts = parts
    this.make = make
  }

  bind(parameters: FilterParameters | undefined): Predicate {
    const { parts } = this
    const closed: Predicate[] = []
    for (let i = 0; i < parts.length; i++) closed.push(closeDraft(parts[i], parameters))
    return this.make(closed)
  }
}

/** The conjunction of the parts, flat and without constants. */
export function both(parts: readonly Predicate[]): Predicate {
  return join('and', parts)
}

/** The disjunction of the parts, flat and without constants. */
export function either(parts: readonly Predicate[]): Predicate {
  return join('or', parts)
}

function join(kind: 'and' | 'or', parts: readonly Predicate[]): Predicate {
  const kept: Predicate[] = []
  for (const part of parts) {
    if (part.kind === 'constant') {
      if (part.value === (kind === 'or')) return part
    } else if (part.kind === kind) kept.push(...part.parts)
    else kept.push(part)
  }
  if (kept.length === 0) return kind === 'and' ? EVERYTHING : NOTHING
  return kept.length === 1 ? kept[0] : { kind, parts: kept }
}

/** The negation of the part. */
export function negation(part: Predicate): Predicate {
  if (part.kind === 'constant') return part.value ? NOTHING : EVERYTHING
  return part.kind === 'not' ? part.part : { kind: 'not', part }
}
