import {
  type ClassModel,
  EntiaError,
  type RelationAttribute,
  type StorageAttribute,
  type ToOneAttribute,
} from '@entia/core'
import {
  describePredicate,
  EVERYTHING,
  type Predicate,
  rangesOf,
  rewrite,
  tableParts,
  wayBack,
} from '@entia/core/internal'
import type { createLocalStore } from './local-store.ts'
import { isOwnClass, OWN_CLASSES } from './own-classes.ts'
import { ReplicaError } from './replica-error.ts'
import type { SentShape } from './shapes.ts'

type LocalStore = ReturnType<typeof createLocalStore>

/** Entities that one shape, or one step of a path in `with`, brings into the replica. */
interface Part {
  readonly predicate: Predicate
  /** The relations whose targets are all held, for entities of this part. */
  readonly complete: Set<RelationAttribute>
}

/**
 * Which queries the shapes of a replica answer completely. What cannot be decided counts as not
 * answered.
 */
export class Coverage {
  readonly #store: LocalStore
  readonly #parts = new Map<ClassModel, Part[]>()
  /** Names of attributes and of relations with hidden keys; undefined before they are known. */
  #held: { readonly [dataClass: string]: readonly string[] } = {}

  /** Throws the errors of the filters. */
  constructor(store: LocalStore, shapes: { readonly [dataClass: string]: SentShape }) {
    this.#store = store
    const { catalog } = store
    for (const [name, shape] of Object.entries(shapes)) {
      const dataClass = isOwnClass(name) ? undefined : catalog.byName.get(name)
      if (dataClass === undefined) {
        const known = catalog.classes.map((each) => each.name).filter((each) => !isOwnClass(each))
        throw new EntiaError('dataClassNotFound', { dataClass: name, known })
      }
      const { filter = '', params, with: paths = [] } = shape === true ? {} : shape
      const { binder } = tableParts(store.dataClass(name)).port
      const { predicate } = binder.bindFilter(dataClass, filter, params)
      const part = this.#add(dataClass, rewrite(predicate))
      for (const path of paths) this.#along(dataClass, part, path.split('.'))
    }
    for (const { name } of OWN_CLASSES)
      this.#add(catalog.byName.get(name)!, { kind: 'constant', value: true })
  }

  /** Sets the attributes that the server sends. */
  hold(held: { readonly [dataClass: string]: readonly string[] }): void {
    this.#held = held
  }

  #add(dataClass: ClassModel, predicate: Predicate): Part {
    const part = { predicate, complete: new Set<RelationAttribute>() }
    const known = this.#parts.get(dataClass)
    if (known === undefined) this.#parts.set(dataClass, [part])
    else known.push(part)
    return part
  }

  #along(dataClass: ClassModel, from: Part, [step, ...rest]: readonly string[]): void {
    const relation = dataClass.attributes.get(step ?? '')
    if (relation?.kind !== 'relatedEntity' && relation?.kind !== 'relatedEntities')
      throw new TypeError(`"${step}" in "with" is not a relation of ${dataClass.name}.`)
    from.complete.add(relation)
    const { target } = relation
    const back = relation.kind === 'relatedEntities' ? relation.inverse : wayBack(relation)
    const predicate = {
      kind: 'related',
      relation: back,
      part: from.predicate,
      whenMissing: false,
      instance: 1,
    } as const
    const part = this.#add(target, predicate)
    // The way back leads to an entity that is held.
    if (back.kind === 'relatedEntity') part.complete.add(back)
    if (rest.length > 0) this.#along(target, part, rest)
  }

  /** Throws notReplicated unless every entity that satisfies the predicate is held. */
  readonly mustHold = (dataClass: ClassModel, predicate: Predicate, isWithin: boolean): void => {
    const problem = this.#problem(dataClass, predicate, isWithin)
    if (problem === null) return
    throw new ReplicaError(
      'notReplicated',
      `The replica does not hold everything that this query of ${dataClass.name} needs: ${problem} with replica.reshape, or ask the server.`,
    )
  }

  /** What is missing, and the shape that would hold it. */
  #problem(dataClass: ClassModel, predicate: Predicate, isWithin: boolean): string | null {
    const { name } = dataClass
    const parts = this.#parts.get(dataClass)
    if (parts === undefined) return `no shape names ${name}. Add one`
    const missing = this.#unread(dataClass, parts, predicate)
    if (missing !== null || isWithin || this.#covers(parts, predicate)) return missing
    return `its condition is wider than the shape of ${name}. ${this.#advice(dataClass, parts, 'widen the shape')}`
  }

  /** To ask for what is held, or else for a shape. */
  #advice(dataClass: ClassModel, parts: readonly Part[], shape: string): string {
    const { binder } = tableParts(this.#store.dataClass(dataClass.name)).port
    const conditions = parts.flatMap((part) => {
      const text = describePredicate(asFilter(part.predicate))
      try {
        // Not every condition that a shape has along a relation can be written as a filter.
        const { predicate } = binder.bindFilter(dataClass, text, undefined)
        return this.#covers([part], rewrite(predicate)) ? [`"${text}"`] : []
      } catch {
        return []
      }
    })
    return conditions.length === 0
      ? `${shape[0]!.toUpperCase()}${shape.slice(1)}`
      : `Add a condition that is as narrow as ${conditions.join(' or ')}, ${shape}`
  }

  /** Whether every entity that satisfies a predicate is in one of the parts. */
  #covers(parts: readonly Part[], predicate: Predicate): boolean {
    return casesOf(predicate).every((given) =>
      parts.some((part) => this.#implies(given, part.predicate)),
    )
  }

  /** As `#problem`, for what a predicate reads of entities that are held. */
  #unread(dataClass: ClassModel, parts: readonly Part[], predicate: Predicate): string | null {
    switch (predicate.kind) {
      case 'constant':
        return null
      case 'computed': {
        // The getter runs here, and what it reads is not known. It throws for a relation.
        const { name, owner } = predicate.attribute
        for (const each of owner.storage) {
          const missing = each.type === 'image' || each.type === 'blob' ? null : this.#unheld(each)
          if (missing !== null) return `"${owner.name}.${name}" is computed, and ${missing}`
        }
        return null
      }
      case 'compare':
      case 'property':
        return this.#unheld(predicate.attribute)
      case 'not':
        return this.#unread(dataClass, parts, predicate.part)
      case 'and':
      case 'or':
        for (const part of predicate.parts) {
          const problem = this.#unread(dataClass, parts, part)
          if (problem !== null) return problem
        }
        return null
      case 'related': {
        const { relation, part, whenMissing } = predicate
        const { foreignKey } = relation.kind === 'relatedEntity' ? relation : relation.inverse
        const missing = this.#unheld(foreignKey)
        if (missing !== null) return missing
        const targets = this.#parts.get(relation.target) ?? []
        // Those that are not held fail the condition. Only if all are held, none is missing.
        const needed = whenMissing ? EVERYTHING : part
        if (
          !this.#covers(targets, needed) &&
          !parts.every(({ complete }) => complete.has(relation))
        )
          return `the entities behind "${dataClass.name}.${relation.name}" are not held. ${this.#advice(relation.target, targets, `hold all of ${relation.target.name}`)}`
        return this.#unread(relation.target, targets, part)
      }
    }
  }

  /** The server sends the attributes that a shape names, and that the caller may read. */
  #unheld({ name, owner, relation }: StorageAttribute): string | null {
    const held = this.#held[owner.name]
    const isHeld =
      held === undefined || held.includes(name) || held.includes(relation?.name ?? name)
    return isHeld
      ? null
      : `"${owner.name}.${relation?.name ?? name}" is not among the attributes. Add it to the shape`
  }

  /** Whether conditions that hold together imply another one. */
  #implies(given: readonly Predicate[], wanted: Predicate): boolean {
    if (isEverything(wanted)) return true
    if (given.some((each) => each.kind === 'constant' && !each.value)) return true
    if (wanted.kind === 'and') return wanted.parts.every((part) => this.#implies(given, part))
    if (wanted.kind === 'or') return wanted.parts.some((part) => this.#implies(given, part))
    return given.some((each) => this.#impliesOne(each, wanted))
  }

  #impliesOne(given: Predicate, wanted: Predicate): boolean {
    if (textOf(given) === textOf(wanted)) return true
    if (given.kind === 'compare' && wanted.kind === 'compare')
      return given.attribute === wanted.attribute && isWithin(given, wanted)
    if (wanted.kind !== 'related') return false
    if (given.kind === 'related')
      return (
        given.relation === wanted.relation &&
        (!given.whenMissing || wanted.whenMissing) &&
        casesOf(given.part).every((each) => this.#implies(each, wanted.part))
      )
    // "Refers to this entity", which is held because it satisfies the condition.
    const { relation, part } = wanted
    if (relation.kind !== 'relatedEntity' || given.kind !== 'compare') return false
    if (given.attribute !== relation.foreignKey || given.test.op !== 'equal') return false
    const owners = this.#parts.get(relation.target) ?? []
    if (owners.length !== 1 || textOf(owners[0]!.predicate) !== textOf(part)) return false
    const { spelling } = given.test
    return (
      tableParts(this.#store.dataClass(relation.target.name))
        .port.database.tableOf(relation.target)
        .findKey(spelling) >= 0
    )
  }
}

const isEverything = (predicate: Predicate): boolean =>
  predicate.kind === 'constant' && predicate.value

/** A condition with a comparison in each place that a filter cannot leave empty. */
function asFilter(predicate: Predicate): Predicate {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { ...predicate, parts: predicate.parts.map(asFilter) }
    case 'not':
      return { ...predicate, part: asFilter(predicate.part) }
    case 'related': {
      const { part, relation } = predicate
      const attribute = relation.target.key
      const exists = { kind: 'compare', attribute, test: { op: 'isNotNull' } } as const
      return { ...predicate, part: isEverything(part) ? exists : asFilter(part) }
    }
    default:
      return predicate
  }
}

/** More cases of one condition are not looked at one by one. */
const MAX_CASES = 64

/** The conditions that hold together, for each case in which a predicate holds. */
function casesOf(predicate: Predicate): readonly (readonly Predicate[])[] {
  if (predicate.kind === 'or') return predicate.parts.flatMap(casesOf)
  if (predicate.kind !== 'and') return [[predicate]]
  let cases: readonly (readonly Predicate[])[] = [[]]
  for (const part of predicate.parts) {
    const split = casesOf(part)
    const more = split.length * cases.length > MAX_CASES ? [[part]] : split
    cases = cases.flatMap((before) => more.map((each) => [...before, ...each]))
  }
  return cases
}

type Compare = Extract<Predicate, { readonly kind: 'compare' }>

/** Every value that passes one test passes the other. */
function isWithin(inner: Compare, outer: Compare): boolean {
  const small = rangesOf(inner.attribute, inner.test)
  const large = rangesOf(outer.attribute, outer.test)
  if (small === null || large === null || !large.isExact || (small.nulls && !large.nulls))
    return false
  if (small.kind === 'number' && large.kind === 'number')
    return small.ranges.every((a) => large.ranges.some((b) => b.low <= a.low && a.high <= b.high))
  if (small.kind === 'text' && large.kind === 'text')
    return small.ranges.every((a) =>
      large.ranges.some(
        (b) => b.low <= a.low && (b.high === null || (a.high !== null && a.high <= b.high)),
      ),
    )
  return small.ranges.length === 0
}

/** Attributes and relations are part of the model, and stand by their names. */
const textOf = (predicate: Predicate): string =>
  JSON.stringify(predicate, (member: string, value: unknown) =>
    member === 'attribute' || member === 'relation'
      ? `${(value as ToOneAttribute).owner.name}.${(value as ToOneAttribute).name}`
      : value,
  )
