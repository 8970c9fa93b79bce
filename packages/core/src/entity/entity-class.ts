import type { ClassModel } from '../model/catalog.ts'
import type { EntityBase } from '../model/entity.ts'
import { COPY_WIDTH, ENTITY_CLASSES, NarrowEntity, WideEntity } from './entity-classes.generated.ts'
import { defineGetters, gettersOf } from './entity-getters.ts'
import type { EntityMaker, WriteMarks } from './entity-source.ts'

/** The class of the entities of a dataclass. */
export interface EntityClass {
  /** Makes an entity with its first properties. */
  readonly make: EntityMaker
  /** Fill in further ones, so many each; empty but for wide dataclasses. */
  readonly further: readonly EntityMaker[]
  readonly writeMarks: WriteMarks
}

/** The last copy is shared by all dataclasses beyond the number of copies. */
const SHARED = ENTITY_CLASSES.length - 1
/** Copies that wide dataclasses may take for their further properties; the rest is kept for dataclasses. */
const FURTHER_COPIES = ENTITY_CLASSES.length / 2

/**
 * Classes that have a copy of their own. Stores of one model share them, so that V8, which specialises by class, sees no more classes with
 * the twentieth store than with the first. They know names only, and nothing of a store; there are never more of them than copies.
 */
const classes = new Map<string, EntityClass>()
let taken = 0

/** A class per dataclass, so that its entities share one shape and their relations are getters of one prototype. */
export function entityClassOf(model: ClassModel, names: readonly string[]): EntityClass {
  const getters = gettersOf(model)
  const key = JSON.stringify([model.name, names, getters])
  const known = classes.get(key)
  if (known !== undefined) return known
  const isOwn = taken < SHARED
  const created = createEntityClass(model.name, names, getters, isOwn ? taken++ : SHARED)
  if (isOwn) classes.set(key, created)
  return created
}

function createEntityClass(
  className: string,
  names: readonly string[],
  getters: readonly string[],
  copy: number,
): EntityClass {
  let writeMarks: WriteMarks = () => undefined
  const keepWriter = (write: WriteMarks): void => {
    writeMarks = write
  }
  const base = names.length > COPY_WIDTH ? WideEntity : NarrowEntity
  const [entityClass, make] = ENTITY_CLASSES[copy](base, names, names.length, className, keepWriter)
  defineGetters((entityClass as { readonly prototype: EntityBase }).prototype, names, getters)
  const further: EntityMaker[] = []
  for (let from = COPY_WIDTH; from < names.length; from += COPY_WIDTH) {
    further.push(createFiller(names.slice(from, from + COPY_WIDTH)))
  }
  return { make, further, writeMarks }
}

function createFiller(names: readonly string[]): EntityMaker {
  if (taken < FURTHER_COPIES) {
    const [, fill] = ENTITY_CLASSES[taken++](NarrowEntity, names, names.length, '', null)
    return fill
  }
  return (readers, _source, slot, entity) => {
    const properties = entity as unknown as Record<string, unknown>
    for (let i = 0; i < names.length; i++) properties[names[i]] = readers[i](slot)
    return entity as EntityBase
  }
}
