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
export function refuseModel(
  dataClass: string,
  attribute: string | null,
  problem: string,
  remedy: string,
): never {
  const details = { dataClass, attribute, problem, remedy }
  throw new EntiaError('modelInvalid', details, undefined, MODEL_ERRORS.modelInvalid)
}

/** Throws `modelInvalid` for the first unknown option, naming the known ones. */
export function checkOptionNames(
  dataClass: string,
  attribute: string | null,
  options: object,
  known: readonly string[],
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined)
    refuseModel(
      dataClass,
      attribute,
      `"${unknown}" is not an option`,
      `Known here: ${known.join(', ')}.`,
    )
}

/** Throws `modelInvalid` for an option among `names` that is neither true nor false nor missing. */
export function checkFlags(
  dataClass: string,
  attribute: string | null,
  options: object,
  names: readonly string[],
): void {
  for (const [name, value] of Object.entries(options))
    if (names.includes(name) && value !== undefined && typeof value !== 'boolean')
      refuseModel(dataClass, attribute, `option "${name}" is not a boolean`, 'Give true or false.')
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
  if (typeof name !== 'string')
    refuseModel(String(name), null, 'its name is not text', 'Give a name.')
  if (!isIdentifier(name) || name.startsWith('__'))
    refuseModel(name, null, 'its name is not an identifier', RULE)
  if (STORE_MEMBERS.some((member) => member === name))
    refuseModel(
      name,
      null,
      `a store already has a member "${name}"`,
      `Choose another name, such as "${name}s".`,
    )
  if (isDangerousName(name) || Object.hasOwn(Object.prototype, name))
    refuseModel(name, null, 'every object has a member of this name', 'Choose another name.')
}

/**
 * Throws `modelInvalid` for a name that has another meaning in filters, paths or the REST
 * interface.
 */
export function checkAttributeName(dataClass: string, name: string): void {
  const refuse = (problem: string, remedy: string): never =>
    refuseModel(dataClass, name, problem, remedy)
  const remedy = 'Choose another name.'
  if (name === '') refuse('the name is empty', remedy)
  if (isDangerousName(name)) refuse('the name reaches the prototype of an object', remedy)
  if (name.startsWith('__'))
    refuse('names that begin with "__" are reserved for the REST interface', remedy)
  if (name.startsWith('$'))
    refuse('names that begin with "$" are reserved for the REST interface', remedy)
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

/**
 * Throws `modelInvalid` for a function name that an address cannot contain. `owner` is a dataclass,
 * store or singleton.
 */
export function checkFunctionName(owner: string, name: string): void {
  if (!isIdentifier(name) || name.startsWith('__') || isDangerousName(name))
    refuseModel(
      owner,
      null,
      `the function name "${name}" is not an identifier`,
      'Use letters, digits and "_".',
    )
}

/** The attributes that take numbers from the sequence of their dataclass. */
export const numberedAttributes = ({ storage }: ClassModel): readonly StorageAttribute[] =>
  storage.filter(({ type, autoSequence }) => autoSequence && type !== 'uuid')

/** True for a dataclass whose keys are numbers of its sequence. */
export const hasCountedKey = ({ key }: ClassModel): boolean =>
  key.autoSequence && key.type !== 'uuid'
