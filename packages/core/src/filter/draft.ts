import type { FilterParameters } from './parameters.ts'
import type { Predicate } from './predicate.ts'

/**
 * A predicate, or what makes one as soon as the values of placeholders are known. Whatever does not depend on values is a
 * predicate already, so binding again does only what must be done again.
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

/** `make` of the parts, now or when they are known. */
export function combineDrafts(drafts: readonly Draft[], make: (parts: readonly Predicate[]) => Predicate): Draft {
  if (drafts.every((draft) => draft.kind !== 'open')) return make(drafts as readonly Predicate[])
  return new CombinedDraft(drafts, make)
}

/** What is made of several parts, some of which wait for values. */
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

/** All of the parts: flat, without constants. */
export function both(parts: readonly Predicate[]): Predicate {
  return join('and', parts)
}

/** Any of the parts: flat, without constants. */
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

/** What the part does not select. */
export function negation(part: Predicate): Predicate {
  if (part.kind === 'constant') return part.value ? NOTHING : EVERYTHING
  return part.kind === 'not' ? part.part : { kind: 'not', part }
}
