import type { ClassModel } from '../model/catalog.ts'
import type { EntityBase } from '../model/entity.ts'
import { COPY_WIDTH, ENTITY_CLASSES, NarrowEntity, WideEntity } from './entity-classes.generated.ts'
import { defineGetters, gettersOf } from './entity-getters.ts'
import type { EntityMaker, WriteMarks } from './entity-source.ts'

/** The class of a dataclass's entities. */
export interface EntityClass {
  /** Creates an entity with its first properties. */
  readonly make: EntityMaker
  /** Each fills in `COPY_WIDTH` further properties. Empty except for wide dataclasses. */
  readonly further: readonly EntityMaker[]
  readonly writeMarks: WriteMarks
}

/** Dataclasses beyond the number of copies share the last one. */
const SHARED = ENTITY_CLASSES.length - 1
/**
 * Copies that wide dataclasses may take for their further properties. The rest is reserved for
 * dataclasses.
 */
const FURTHER_COPIES = ENTITY_CLASSES.length / 2

/**
 * Classes with a copy of their own, at most one per copy. They know names only, so stores of one
 * model share them: V8 specialises by class, and twenty stores must not mean twenty classes.
 */
const classes = new Map<string, EntityClass>()
let taken = 0

/**
 * One class per dataclass: its entities share one shape, and their relations are getters of one
 * prototype.
 */
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
  const takeWriter = (write: WriteMarks): void => {
    writeMarks = write
  }
  const base = names.length > COPY_WIDTH ? WideEntity : NarrowEntity
  const [entityClass, make] = ENTITY_CLASSES[copy](base, names, names.length, className, takeWriter)
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
    const properties = entity as Record<string, unknown>
    for (let i = 0; i < names.length; i++) properties[names[i]] = readers[i](slot)
    return entity as EntityBase
  }
}
