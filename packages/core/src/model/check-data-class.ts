import { describeFound } from '../value/check-options.ts'
import { ATTRIBUTE_TYPES } from '../value/types.ts'
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
  checkFunctionName,
  checkOptions,
  type Refuse,
  refuserOf,
} from './names.ts'

/** The options of each kind of attribute; those of stored ones depend on the type. */
const OPTIONS: {
  readonly [K in Exclude<AttributeDefinition['kind'], 'storage'>]: readonly string[]
} = {
  calculated: ['get', 'set', 'dateOnly', 'exposed'],
  alias: ['exposed'],
  relatedEntity: ['foreignKey', 'onDelete', 'notNull', 'exposed'],
  relatedEntities: ['exposed'],
}
const KINDS: readonly unknown[] = ['storage', ...Object.keys(OPTIONS)]
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
    const refuse = refuserOf(name, attributeName)
    checkAttributeName(refuse, attributeName)
    checkAttribute(refuse, attribute)
  }
  checkKey(name, attributes)
  checkClassOptions(name, definition.options, new Map(attributes))
}

function checkAttribute(refuse: Refuse, definition: AttributeDefinition): void {
  if (!KINDS.includes(definition?.kind))
    refuse('its definition was not made by a builder', 'Use a builder, such as attribute.string().')
  const { options } = definition
  if (definition.kind !== 'storage') checkOptions(refuse, options, OPTIONS[definition.kind])
  const isTyped = definition.kind === 'storage' || definition.kind === 'calculated'
  if (isTyped && !ATTRIBUTE_TYPES.includes(definition.type))
    refuse('its type is unknown', `Known: ${ATTRIBUTE_TYPES.join(', ')}.`)
  switch (definition.kind) {
    case 'storage':
      checkStorage(refuse, definition.type, options)
      return
    case 'calculated': {
      const { get, set, dateOnly } = options
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
      if (typeof definition.path !== 'string' || definition.path === '')
        refuse('an alias needs a path', "Give one such as 'employer.name'.")
      return
    case 'relatedEntity':
      if (options.onDelete !== undefined && !ON_DELETE.includes(options.onDelete))
        refuse('its onDelete is unknown', "Use 'restrict', 'null' or 'cascade'.")
  }
}

function checkKey(
  dataClass: string,
  attributes: readonly (readonly [string, AttributeDefinition])[],
): void {
  const [first, second] = attributes.filter(
    ([, attribute]) => attribute.kind === 'storage' && attribute.options.key === true,
  )
  if (first === undefined)
    refuserOf(dataClass)(
      'it has no key',
      'Mark one attribute, such as ID: attribute.long({ key: true }).',
    )
  else if (second !== undefined)
    refuserOf(dataClass, second[0])(
      `"${first[0]}" is already the key`,
      'Keep one key, and make the other attribute unique.',
    )
}

function checkClassOptions(
  dataClass: string,
  options: DataClassOptions<unknown>,
  attributes: ReadonlyMap<string, AttributeDefinition>,
): void {
  const refuse: Refuse = refuserOf(dataClass)
  checkOptions(refuse, options, CLASS_OPTIONS)
  const { collectionName } = options
  if (collectionName !== undefined && (typeof collectionName !== 'string' || collectionName === ''))
    refuse('its collectionName is not a name', `Give one such as '${dataClass}Selection'.`)
  const { label } = options
  if (label !== undefined && !isSingleValue(attributes.get(label)))
    refuse(
      `its label is ${describeFound(label)}, which is not an attribute with a single value`,
      'Name an attribute that is no relation, object, image or BLOB.',
    )
  for (const [name, hook] of Object.entries(options.hooks ?? {})) {
    if (!HOOK_NAMES.some((known) => known === name))
      refuse(`"${name}" is not a hook`, `Known: ${HOOK_NAMES.join(', ')}.`)
    if (typeof hook !== 'function')
      refuse(`the hook "${name}" is not a function`, 'Give a function.')
  }
  for (const [name, definition] of Object.entries(options.functions ?? {})) {
    if (attributes.has(name))
      refuserOf(dataClass, name)('a class function has the same name', 'Rename one of the two.')
    checkFunction(refuse, name, definition, ['on', 'exposed', 'onHttpGet', 'run'])
    if (!FUNCTION_TARGETS.includes((definition as { on?: unknown }).on))
      refuse(
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
  refuse: Refuse,
  name: string,
  definition: unknown,
  known: readonly string[],
): void {
  checkFunctionName(refuse, name)
  if (typeof definition !== 'object' || definition === null)
    refuse(`the function "${name}" is not described by an object`, 'Give { run: … }.')
  checkOptions(refuse, definition, known)
  if (!('run' in definition) || typeof definition.run !== 'function')
    refuse(`the function "${name}" has nothing to run`, 'Give run: (context, …) => ….')
}
