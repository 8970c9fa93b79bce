import { EntiaError, type ErrorTexts } from '../errors.ts'
import { isDangerousName } from '../value/json.ts'
import type { ClassModel, StorageAttribute } from './catalog.ts'

/** Errors of a model that cannot work. */
export const MODEL_ERRORS: ErrorTexts<'modelInvalid'> = {
  modelInvalid: {
    errCode: 9001,
    message: (d) =>
      `Dataclass "${d.dataClass}"${d.attribute === null ? '' : `, attribute "${d.attribute}"`}: ${d.problem}. ${d.remedy}`,
  },
}

/** Throws `modelInvalid`. The problem is a clause without a full stop, the remedy a sentence. */
export type Refuse = (problem: string, remedy: string) => never

/** Refuses an attribute, or the dataclass itself where `attribute` is null. */
export const refuserOf =
  (dataClass: string, attribute: string | null = null): Refuse =>
  (problem, remedy) => {
    const details = { dataClass, attribute, problem, remedy }
    throw new EntiaError('modelInvalid', details, undefined, MODEL_ERRORS.modelInvalid)
  }

/** The options of storage attributes that are true or false. */
export const STORAGE_FLAGS: readonly string[] = [
  'key',
  'autoSequence',
  'indexed',
  'words',
  'unique',
  'notNull',
  'readOnly',
  'exposed',
  'dateOnly',
]
/** All options that are true or false, whatever has them. */
const FLAGS = [...STORAGE_FLAGS, 'onHttpGet']

/**
 * Refuses the first unknown option, naming the known ones, and one that is true or false and has
 * another value.
 */
export function checkOptions(refuse: Refuse, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined)
    refuse(`"${unknown}" is not an option`, `Known here: ${known.join(', ')}.`)
  for (const [name, value] of Object.entries(options))
    if (FLAGS.includes(name) && value !== undefined && typeof value !== 'boolean')
      refuse(`option "${name}" is not a boolean`, 'Give true or false.')
}

/**
 * Members of a store. A dataclass with one of these names could not be reached as `store.<name>`.
 */
const STORE_MEMBERS = [
  'transact',
  'snapshot',
  'restore',
  'at',
  'changes',
  'on',
  'dump',
  'verify',
  'entitySets',
  'locks',
  'sessions',
  'uploads',
  'as',
  'view',
  'reading',
  'dataClass',
  'dispose',
  'close',
  'load',
  'call',
  'singleton',
  'catalog',
  'globalStamp',
  'figures',
  'name',
  'id',
  'then',
  'toJSON',
] as const
export type StoreMember = (typeof STORE_MEMBERS)[number]

/**
 * Names that filters, orders and addresses accept. Many scripts write letters with combining marks.
 */
const IDENTIFIER = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u
/** The usual names: V8 takes a millisecond to compile the letters and marks of all scripts. */
const ASCII_IDENTIFIER = /^[A-Za-z_]\w*$/
const isIdentifier = (name: string): boolean => ASCII_IDENTIFIER.test(name) || IDENTIFIER.test(name)
const RULE = 'Use letters, digits and "_", and begin with a letter.'
/** Keywords of the filter language that could stand where a name stands. */
const FILTER_WORDS = ['and', 'or', 'not', 'except']
/** Members that adapters add to the attributes of an entity, under a name without "__". */
const ANSWER_MEMBER = 'uri'

/**
 * Throws `modelInvalid` for a name that is not an identifier, is reserved, or is a member of every
 * store or object.
 */
export function checkDataClassName(name: unknown): asserts name is string {
  const refuse: Refuse = refuserOf(String(name))
  if (typeof name !== 'string') refuse('its name is not text', 'Give a name.')
  if (!isIdentifier(name) || name.startsWith('__')) refuse('its name is not an identifier', RULE)
  if (STORE_MEMBERS.some((member) => member === name))
    refuse(`a store already has a member "${name}"`, `Choose another name, such as "${name}s".`)
  if (isDangerousName(name) || Object.hasOwn(Object.prototype, name))
    refuse('every object has a member of this name', 'Choose another name.')
}

/**
 * Throws `modelInvalid` for a name that has another meaning in filters, paths or the REST
 * interface.
 */
export function checkAttributeName(refuse: Refuse, name: string): void {
  const remedy = 'Choose another name.'
  if (name === '') refuse('the name is empty', remedy)
  if (isDangerousName(name)) refuse('the name reaches the prototype of an object', remedy)
  for (const start of ['__', '$'])
    if (name.startsWith(start))
      refuse(`names that begin with "${start}" are reserved for the REST interface`, remedy)
  if (FILTER_WORDS.includes(name.toLowerCase()))
    refuse('it is a keyword of the filter language', remedy)
  if (name === ANSWER_MEMBER)
    refuse(
      'adapters give the address of an entity this name',
      'Choose another one, such as "link".',
    )
  if (isIdentifier(name)) return
  const forbidden = /[^\p{L}\p{M}\p{N}_]/u.exec(name)
  if (forbidden !== null) {
    const shown = /\s/.test(forbidden[0]) ? 'white space' : `"${forbidden[0]}"`
    refuse(`the name contains ${shown}, which has another meaning in filters and paths`, RULE)
  }
  refuse('the name does not begin with a letter', RULE)
}

/** Refuses a function name that an address cannot contain. */
export function checkFunctionName(refuse: Refuse, name: string): void {
  if (!isIdentifier(name) || name.startsWith('__') || isDangerousName(name))
    refuse(`the function name "${name}" is not an identifier`, 'Use letters, digits and "_".')
}

/** The attributes that take numbers from the sequence of their dataclass. */
export const numberedAttributes = ({ storage }: ClassModel): readonly StorageAttribute[] =>
  storage.filter(({ type, autoSequence }) => autoSequence && type !== 'uuid')

/** True for a dataclass whose keys are numbers of its sequence. */
export const hasCountedKey = ({ key }: ClassModel): boolean =>
  key.autoSequence && key.type !== 'uuid'
