import { describeFound } from '../value/check-options.ts'
import type { AttributeType } from '../value/types.ts'
import { checkStorage } from './check-storage.ts'
import {
  type AnyDataClass,
  type AttributeDefinition,
  type DataClassOptions,
  HOOK_NAMES,
} from './definition.ts'
import {
  checkAttributeName,
  checkDataClassName,
  checkFlags,
  checkFunctionName,
  checkOptionNames,
  refuseModel,
} from './names.ts'

const TYPES: readonly AttributeType[] = [
  'bool',
  'long',
  'long64',
  'number',
  'string',
  'uuid',
  'date',
  'duration',
  'object',
  'image',
  'blob',
]
const KINDS: readonly unknown[] = [
  'storage',
  'calculated',
  'alias',
  'relatedEntity',
  'relatedEntities',
]
const ON_DELETE: readonly unknown[] = ['restrict', 'null', 'cascade']
const FUNCTION_TARGETS: readonly unknown[] = ['dataClass', 'selection', 'entity']
const CLASS_OPTIONS = [
  'functions',
  'hooks',
  'exposed',
  'collectionName',
  'label',
  'extraProperties',
]

/**
 * Checks everything about a dataclass that does not depend on other dataclasses: names, options,
 * key, functions and hooks. Throws `modelInvalid` naming class, attribute and remedy.
 */
export function checkDataClass(definition: AnyDataClass): void {
  const { name } = definition
  checkDataClassName(name)
  const attributes = Object.entries(
    definition.attributes as { readonly [name: string]: AttributeDefinition },
  )
  for (const [attributeName, attribute] of attributes) {
    checkAttributeName(name, attributeName)
    checkAttribute(name, attributeName, attribute)
  }
  checkKey(name, attributes)
  checkOptions(name, definition.options, new Map(attributes))
}

function checkAttribute(dataClass: string, name: string, definition: AttributeDefinition): void {
  if (!KINDS.includes(definition?.kind))
    refuseModel(
      dataClass,
      name,
      'its definition was not made by a builder',
      'Use a builder, such as attribute.string().',
    )
  checkKind(dataClass, name, definition)
}

function checkKind(dataClass: string, name: string, definition: AttributeDefinition): void {
  const refuse = (problem: string, remedy: string): never =>
    refuseModel(dataClass, name, problem, remedy)
  switch (definition.kind) {
    case 'storage':
      if (!TYPES.includes(definition.type))
        refuse('its type is unknown', `Known: ${TYPES.join(', ')}.`)
      checkStorage(dataClass, name, definition.type, definition.options)
      return
    case 'calculated': {
      const { get, set, dateOnly } = definition.options as {
        get?: unknown
        set?: unknown
        dateOnly?: unknown
      }
      checkOptionNames(dataClass, name, definition.options, ['get', 'set', 'dateOnly', 'exposed'])
      checkFlags(dataClass, name, definition.options, ['dateOnly', 'exposed'])
      if (!TYPES.includes(definition.type))
        refuse('its type is unknown', `Known: ${TYPES.join(', ')}.`)
      if (typeof get !== 'function')
        refuse('a computed attribute needs a getter', 'Give { get: (entity) => … }.')
      if (set !== undefined && typeof set !== 'function')
        refuse('its setter is not a function', 'Give a function.')
      if (dateOnly === true && definition.type !== 'date')
        refuse(
          `option "dateOnly" does not apply to type ${definition.type}`,
          'It is for dates: remove it.',
        )
      return
    }
    case 'alias':
      checkOptionNames(dataClass, name, definition.options, ['exposed'])
      checkFlags(dataClass, name, definition.options, ['exposed'])
      if (typeof definition.path !== 'string' || definition.path === '')
        refuse('an alias needs a path', "Give one such as 'employer.name'.")
      return
    case 'relatedEntity':
      checkOptionNames(dataClass, name, definition.options, [
        'foreignKey',
        'onDelete',
        'notNull',
        'exposed',
      ])
      checkFlags(dataClass, name, definition.options, ['notNull', 'exposed'])
      if (
        definition.options.onDelete !== undefined &&
        !ON_DELETE.includes(definition.options.onDelete)
      )
        refuse('its onDelete is unknown', "Use 'restrict', 'null' or 'cascade'.")
      return
    case 'relatedEntities':
      checkOptionNames(dataClass, name, definition.options, ['exposed'])
      checkFlags(dataClass, name, definition.options, ['exposed'])
  }
}

function checkKey(
  dataClass: string,
  attributes: readonly (readonly [string, AttributeDefinition])[],
): void {
  const keys = attributes.filter(
    ([, attribute]) => attribute.kind === 'storage' && attribute.options.key === true,
  )
  if (keys.length === 0)
    refuseModel(
      dataClass,
      null,
      'it has no key',
      'Mark one attribute, such as ID: attribute.long({ key: true }).',
    )
  if (keys.length > 1)
    refuseModel(
      dataClass,
      keys[1][0],
      `"${keys[0][0]}" is already the key`,
      'Keep one key, and make the other attribute unique.',
    )
}

function checkOptions(
  dataClass: string,
  options: DataClassOptions<unknown>,
  attributes: ReadonlyMap<string, AttributeDefinition>,
): void {
  checkOptionNames(dataClass, null, options, CLASS_OPTIONS)
  checkFlags(dataClass, null, options, ['exposed'])
  const { collectionName } = options
  if (collectionName !== undefined && (typeof collectionName !== 'string' || collectionName === ''))
    refuseModel(
      dataClass,
      null,
      'its collectionName is not a name',
      `Give one such as '${dataClass}Selection'.`,
    )
  const { label } = options
  if (label !== undefined && !isSingleValue(attributes.get(label)))
    refuseModel(
      dataClass,
      null,
      `its label is ${describeFound(label)}, which is not an attribute with a single value`,
      'Name an attribute that is no relation, object, image or BLOB.',
    )
  for (const [name, hook] of Object.entries(options.hooks ?? {})) {
    if (!HOOK_NAMES.some((known) => known === name))
      refuseModel(dataClass, null, `"${name}" is not a hook`, `Known: ${HOOK_NAMES.join(', ')}.`)
    if (typeof hook !== 'function')
      refuseModel(dataClass, null, `the hook "${name}" is not a function`, 'Give a function.')
  }
  for (const [name, definition] of Object.entries(options.functions ?? {})) {
    if (attributes.has(name))
      refuseModel(dataClass, name, 'a class function has the same name', 'Rename one of the two.')
    checkFunction(dataClass, name, definition, ['on', 'exposed', 'onHttpGet', 'run'])
    if (!FUNCTION_TARGETS.includes((definition as { on?: unknown }).on))
      refuseModel(
        dataClass,
        null,
        `the function "${name}" does not say what it works on`,
        "Give on: 'dataClass', 'selection' or 'entity'.",
      )
  }
}

function isSingleValue(definition: AttributeDefinition | undefined): boolean {
  if (definition?.kind === 'storage') return !['object', 'image', 'blob'].includes(definition.type)
  return definition?.kind === 'calculated' || definition?.kind === 'alias'
}

/** Checks the name and options of a function of a class, a singleton or the store. */
export function checkFunction(
  owner: string,
  name: string,
  definition: unknown,
  known: readonly string[],
): void {
  checkFunctionName(owner, name)
  if (typeof definition !== 'object' || definition === null)
    refuseModel(
      owner,
      null,
      `the function "${name}" is not described by an object`,
      'Give { run: … }.',
    )
  checkOptionNames(owner, null, definition, known)
  checkFlags(owner, null, definition, ['exposed', 'onHttpGet'])
  if (!('run' in definition) || typeof definition.run !== 'function')
    refuseModel(
      owner,
      null,
      `the function "${name}" has nothing to run`,
      'Give run: (context, …) => ….',
    )
}
