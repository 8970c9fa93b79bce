import type { AttributeType } from '../value/types.ts'
import type {
  AliasAttribute,
  AttributeModel,
  ClassFunction,
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
  StoreFunction,
  ToOneAttribute,
} from './catalog.ts'
import { checkStorage } from './check-storage.ts'
import type {
  AnyDataClass,
  AttributeDefinition,
  ClassFunctionDefinition,
  FunctionDefinition,
  StorageOptions,
} from './definition.ts'
import { refuserOf } from './names.ts'

/** A part of the catalog while it is being linked. It is frozen afterwards. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] }

/**
 * A dataclass while its relations and aliases are being resolved. `model` is already the final
 * object.
 */
export interface DraftClass {
  readonly definitions: readonly (readonly [name: string, AttributeDefinition])[]
  readonly model: Draft<ClassModel>
  readonly storage: Draft<StorageAttribute>[]
  readonly toOne: Map<string, Draft<ToOneAttribute>>
  readonly incoming: ToOneAttribute[]
  readonly computed: Map<string, ComputedAttribute>
  readonly aliases: Map<string, ResolvedAlias | 'inProgress'>
  /** In definition order; filled in the last step. */
  readonly attributes: Map<string, AttributeModel>
}

/** A resolved alias: to-one relations, then a stored or computed value. */
export type ResolvedAlias = Pick<AliasAttribute, 'steps' | 'target'>

/** Creates the parts of a class that need no other class. The definition must have been checked. */
export function draftClass(definition: AnyDataClass, ordinal: number): DraftClass {
  const { name, options } = definition
  const definitions = Object.entries(
    definition.attributes as { readonly [name: string]: AttributeDefinition },
  )
  const storage: Draft<StorageAttribute>[] = []
  const incoming: ToOneAttribute[] = []
  const attributes = new Map<string, AttributeModel>()
  const model: Draft<ClassModel> = {
    kind: 'dataClass',
    name,
    ordinal,
    collectionName: options.collectionName ?? `${name}Selection`,
    exposed: options.exposed !== false,
    label: options.label ?? null,
    extraProperties: Object.freeze({ ...options.extraProperties }),
    attributes,
    storage,
    key: undefined as never, // Set below: every class has a key.
    incoming,
    functions: classFunctions(options.functions ?? {}),
    hooks: Object.freeze({ ...options.hooks }),
  }
  const computed = new Map<string, ComputedAttribute>()
  for (const [attributeName, attribute] of definitions)
    if (attribute.kind === 'storage')
      storage.push(draftStorage(model, attributeName, attribute.type, attribute.options))
    else if (attribute.kind === 'calculated')
      computed.set(attributeName, computedModel(model, attributeName, attribute))
  model.key = storage.find((attribute) => attribute.key)!
  return {
    definitions,
    model,
    storage,
    toOne: new Map(),
    incoming,
    computed,
    aliases: new Map(),
    attributes,
  }
}

/** The next column of a class. */
export function draftStorage(
  owner: ClassModel,
  name: string,
  type: AttributeType,
  options: StorageOptions,
): Draft<StorageAttribute> {
  const isKey = options.key === true
  return {
    kind: 'storage',
    name,
    owner,
    exposed: options.exposed !== false,
    type,
    ordinal: owner.storage.length,
    key: isKey,
    autoSequence: options.autoSequence === true,
    indexed: options.indexed === true,
    words: options.words === true,
    unique: options.unique === true,
    notNull: isKey || options.notNull === true,
    readOnly: options.readOnly === true,
    min: options.min ?? null,
    max: options.max ?? null,
    minLength: options.minLength ?? null,
    maxLength: options.maxLength ?? null,
    pattern: options.pattern ?? null,
    collation: isKey || type === 'uuid' ? 'exact' : (options.collation ?? 'folded'),
    dateOnly: options.dateOnly === true,
    defaultValue: checkStorage(refuserOf(owner.name, name), type, options),
    relation: null,
    hidden: false,
  }
}

/** The model of a computed attribute. */
function computedModel(
  owner: ClassModel,
  name: string,
  definition: AttributeDefinition & { readonly kind: 'calculated' },
): ComputedAttribute {
  const { get, set, dateOnly, exposed } = definition.options
  return Object.freeze({
    kind: 'calculated',
    name,
    owner,
    exposed: exposed !== false,
    type: definition.type,
    dateOnly: dateOnly === true,
    get,
    set: set ?? null,
  })
}

function classFunctions(functions: object): ReadonlyMap<string, ClassFunction> {
  const entries = Object.entries(functions as { readonly [name: string]: ClassFunctionDefinition })
  return new Map(
    entries.map(([name, definition]) => [
      name,
      Object.freeze({ ...functionModel(name, definition), on: definition.on }),
    ]),
  )
}

/** The model of a function. Functions are not exposed by default. */
export function functionModel(name: string, definition: FunctionDefinition): StoreFunction {
  return Object.freeze({
    name,
    exposed: definition.exposed === true,
    onHttpGet: definition.onHttpGet === true,
    run: definition.run,
  })
}
