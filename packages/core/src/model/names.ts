import { isDangerousName } from '../value/json.ts'
import { refuseModel } from './model-invalid.ts'

/** Members of a store: a dataclass of such a name could not be reached as `store.<name>`. */
export const STORE_MEMBERS = [
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

/** What filters, orders and addresses take as a name. Letters of many scripts are written with marks. */
const IDENTIFIER = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u
const RULE = 'Use letters, digits and "_", a letter first.'
/** Words that a filter reads as its own where a name would stand. */
const FILTER_WORDS = ['and', 'or', 'not', 'except']
/** Members that adapters add to the attributes of an entity, under a name without "__". */
const ANSWER_MEMBER = 'uri'

/** Refuses a dataclass name that is no identifier, is reserved, or names a member of every store or object. */
export function checkDataClassName(name: unknown): asserts name is string {
  if (typeof name !== 'string') refuseModel(String(name), null, 'its name is not text', 'Give a name.')
  const isIdentifier = IDENTIFIER.test(name) && !name.startsWith('__')
  if (!isIdentifier) refuseModel(name, null, 'its name is no identifier', RULE)
  if (STORE_MEMBERS.some((member) => member === name))
    refuseModel(name, null, `a store has a member "${name}" already`, `Choose another name, such as "${name}s".`)
  if (isDangerousName(name) || Object.hasOwn(Object.prototype, name))
    refuseModel(name, null, 'every object has a member of its name', 'Choose another name.')
}

/** Refuses an attribute name that filters, paths or the protocol could not tell from something else. */
export function checkAttributeName(dataClass: string, name: string): void {
  const refuse = (problem: string, remedy: string): never => refuseModel(dataClass, name, problem, remedy)
  const remedy = 'Choose another name.'
  if (name === '') refuse('the name is empty', remedy)
  if (isDangerousName(name)) refuse('the name reaches the prototype of an object', remedy)
  if (name.startsWith('__')) refuse('names that begin with "__" belong to the protocol', remedy)
  if (name.startsWith('$')) refuse('names that begin with "$" belong to the protocol', remedy)
  if (FILTER_WORDS.includes(name.toLowerCase())) refuse('filters could not name it: it is a word of theirs', remedy)
  if (name === ANSWER_MEMBER)
    refuse('adapters give the address of an entity this name', 'Choose another one, such as "link".')
  const forbidden = /[^\p{L}\p{M}\p{N}_]/u.exec(name)
  if (forbidden !== null) {
    const shown = /\s/.test(forbidden[0]) ? 'a blank' : `"${forbidden[0]}"`
    refuse(`the name holds ${shown}, which filters and paths could not tell from their own signs`, RULE)
  }
  if (!IDENTIFIER.test(name)) refuse('the name begins with what is no letter', RULE)
}

/** Refuses a function name that could not stand in an address. `owner` is the class, or the store or singleton. */
export function checkFunctionName(owner: string, name: string): void {
  if (!IDENTIFIER.test(name) || name.startsWith('__') || isDangerousName(name))
    refuseModel(owner, null, `the function name "${name}" is no identifier`, 'Use letters, digits and "_".')
}
