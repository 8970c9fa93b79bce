import { assertNever } from '../errors.ts'
import type { ComparePredicate, Predicate, Scalar, Test } from '../filter/predicate.ts'

/**
 * Rewrites of a predicate, as a list of functions. Each maps a node with rewritten children to an
 * equivalent one: it selects the same records in every state of the data.
 */
type RewriteRule = (predicate: Predicate) => Predicate

const TRUE: Predicate = { kind: 'constant', value: true }
const FALSE: Predicate = { kind: 'constant', value: false }
const constant = (value: boolean): Predicate => (value ? TRUE : FALSE)

/** `not not P` becomes `P`; a negated constant becomes the other constant. */
const doubleNegation: RewriteRule = (p) => {
  if (p.kind !== 'not') return p
  if (p.part.kind === 'constant') return constant(!p.part.value)
  return p.part.kind === 'not' ? p.part.part : p
}

/**
 * `not` goes through `and` and `or` (two-valued, so De Morgan holds), and flips `isNull`. It stops
 * at comparisons: they skip nulls.
 */
const pushNegation: RewriteRule = (p) => {
  if (p.kind !== 'not') return p
  const { part } = p
  if (part.kind === 'and' || part.kind === 'or') {
    return rewriteNode({
      kind: part.kind === 'and' ? 'or' : 'and',
      parts: part.parts.map((inner) => rewriteNode({ kind: 'not', part: inner })),
    })
  }
  if (part.kind === 'compare' && part.test.op === 'isNull')
    return { ...part, test: { op: 'isNotNull' } }
  if (part.kind === 'compare' && part.test.op === 'isNotNull')
    return { ...part, test: { op: 'isNull' } }
  return p
}

/** Nested `and` in `and` and `or` in `or` become one level; constants drop out. */
const flatten: RewriteRule = (p) => {
  if (p.kind !== 'and' && p.kind !== 'or') return p
  if (
    !p.parts.some((part) => part.kind === p.kind || part.kind === 'constant') &&
    p.parts.length > 1
  )
    return p
  const neutral = p.kind === 'and'
  const parts: Predicate[] = []
  for (const part of p.parts) {
    if (part.kind === p.kind) parts.push(...part.parts)
    else if (part.kind !== 'constant') parts.push(part)
    else if (part.value !== neutral) return constant(!neutral)
  }
  return parts.length === 0
    ? constant(neutral)
    : parts.length === 1
      ? parts[0]
      : { kind: p.kind, parts }
}

/** A comparison with a known result: an attribute that cannot be null, an empty list. */
const knownComparison: RewriteRule = (p) => {
  if (p.kind !== 'compare') return p
  if (p.attribute.key && p.test.op === 'isNull') return FALSE
  if (p.attribute.key && p.test.op === 'isNotNull') return TRUE
  if (p.test.op === 'in' && p.test.values.length === 0 && p.test.wildcards.length === 0)
    return FALSE
  if (p.test.op === 'in' && p.test.values.length === 1 && p.test.wildcards.length === 0) {
    return {
      ...p,
      test: {
        op: 'equal',
        value: p.test.values[0] as Scalar,
        spelling: p.test.spelling[0] as Scalar,
      },
    }
  }
  return p
}

/** `a = 1 or a = 2` becomes `a in [1, 2]`: one index access instead of several. */
const mergeEqualities: RewriteRule = (p) => {
  if (p.kind !== 'or') return p
  const groups = new Map<unknown, ComparePredicate[]>()
  for (const part of p.parts) {
    if (part.kind === 'compare' && part.test.op === 'equal')
      groups.set(part.attribute, [...(groups.get(part.attribute) ?? []), part])
  }
  if (![...groups.values()].some((group) => group.length > 1)) return p
  const parts: Predicate[] = []
  for (const part of p.parts) {
    const group =
      part.kind === 'compare' && part.test.op === 'equal' ? groups.get(part.attribute) : undefined
    if (group === undefined || group.length === 1) parts.push(part)
    else if (group[0] === part) parts.push(inList(group))
  }
  return parts.length === 1 ? parts[0] : { kind: 'or', parts }
}

function inList(group: readonly ComparePredicate[]): Predicate {
  const tests = group.map((part) => part.test as Extract<Test, { op: 'equal' | 'notEqual' }>)
  return {
    kind: 'compare',
    attribute: group[0].attribute,
    test: {
      op: 'in',
      values: tests.map((test) => test.value),
      wildcards: [],
      spelling: tests.map((test) => test.spelling),
    },
  }
}

/** Removes repeated conjuncts and disjuncts: the same node, or an equal comparison. */
const dropDuplicates: RewriteRule = (p) => {
  if (p.kind !== 'and' && p.kind !== 'or') return p
  if (!hasDuplicates(p.parts)) return p
  const parts: Predicate[] = []
  for (const part of p.parts)
    if (!parts.some((kept) => isSameComparison(kept, part))) parts.push(part)
  return parts.length === 1 ? parts[0] : { kind: p.kind, parts }
}

function hasDuplicates(parts: readonly Predicate[]): boolean {
  for (let i = 1; i < parts.length; i++)
    for (let j = 0; j < i; j++) if (isSameComparison(parts[i], parts[j])) return true
  return false
}

function isSameComparison(a: Predicate, b: Predicate): boolean {
  if (a === b) return true
  if (a.kind !== 'compare' || b.kind !== 'compare' || a.attribute !== b.attribute) return false
  const left: Test = a.test
  const right: Test = b.test
  return (
    left.op === right.op &&
    comparedValue(left) !== undefined &&
    comparedValue(left) === comparedValue(right)
  )
}

/** Equal for equal tests with the same `op`; undefined for those that are not compared. */
function comparedValue(test: Test): Scalar | undefined {
  if ('value' in test) return test.value
  if (test.op !== 'like' || test.written === undefined) return undefined
  return `${test.written} ${test.wildcard.parts.join()}`
}

/** The rules by the kind of node that they can change, in order. */
export const REWRITE_RULES: { readonly [kind in 'and' | 'or' | 'not']: readonly RewriteRule[] } = {
  and: [flatten, dropDuplicates],
  or: [flatten, mergeEqualities, dropDuplicates],
  not: [doubleNegation, pushNegation, knownComparison],
}

/** Rewrites a predicate bottom-up by every rule, in their order. Cost O(nodes). */
export function rewrite(predicate: Predicate): Predicate {
  switch (predicate.kind) {
    case 'compare':
      return knownComparison(predicate)
    case 'constant':
    case 'property':
    case 'computed':
      return predicate
    case 'and':
    case 'or':
      return rewriteNode(withRewritten(predicate))
    case 'not':
      return rewriteNode({ kind: 'not', part: rewrite(predicate.part) })
    case 'related': {
      const part = rewrite(predicate.part)
      // No related entity can satisfy it: only the result for a missing entity remains.
      if (part.kind === 'constant' && !part.value && !predicate.whenMissing) return FALSE
      if (part === predicate.part) return predicate
      const { relation, whenMissing, instance } = predicate
      return { kind: 'related', relation, part, whenMissing, instance }
    }
    default:
      return assertNever(predicate)
  }
}

function rewriteNode(
  predicate: Extract<Predicate, { readonly kind: 'and' | 'or' | 'not' }>,
): Predicate {
  const rules = REWRITE_RULES[predicate.kind]
  let node: Predicate = predicate
  for (let i = 0; i < rules.length; i++) node = rules[i](node)
  return node
}

type Conjoined = Extract<Predicate, { readonly kind: 'and' | 'or' }>

/** Returns the node itself if no part changes, as in most filters. */
function withRewritten(predicate: Conjoined): Conjoined {
  const { kind, parts } = predicate
  let rewritten: Predicate[] | null = null
  for (let i = 0; i < parts.length; i++) {
    const part = rewrite(parts[i])
    if (part === parts[i]) continue
    rewritten ??= parts.slice()
    rewritten[i] = part
  }
  return rewritten === null ? predicate : { kind, parts: rewritten }
}
