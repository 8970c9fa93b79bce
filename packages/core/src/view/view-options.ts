import { EntiaError } from '../errors.ts'
import type { TextMatching } from '../filter/context.ts'
import { NOTHING } from '../filter/draft.ts'
import type { BoundFilter, Predicate } from '../filter/predicate.ts'
import { seeingEverything } from '../filter/restrict-predicate.ts'
import type { AttributeModel, Catalog, ClassModel } from '../model/catalog.ts'
import { everything, isVisible, type Sees } from '../model/path.ts'
import type { RowFilter, ViewOptions } from '../model/view-types.ts'
import { NameRule, type NameRules } from '../read/name-rule.ts'
import { checkNames, refused } from '../value/check-options.ts'

/** Which entities of a dataclass the caller may see. */
export interface BoundRule {
  readonly predicate: Predicate
  /** The same for data with dangling relations; see `NameRule.bindFilter`. */
  readonly openPredicate: () => Predicate
  /** The filter and its parameters as text. Rules with equal texts are equal. */
  readonly text: string
}

/**
 * Compiled texts that one view caches for each dataclass. Views are short-lived and read little.
 */
export const VIEW_CACHE_SIZE = 32

const OPTIONS = ['exposedOnly', 'rows', 'hides']

/**
 * Copies the options. Throws `argumentInvalid` for an unknown name: a misspelt option would hide
 * nothing.
 */
export function readViewOptions(given: unknown): ViewOptions {
  checkNames(given, OPTIONS)
  const options: { readonly [name: string]: unknown } = { ...given }
  const { exposedOnly, hides } = options
  if (exposedOnly !== undefined && typeof exposedOnly !== 'boolean')
    throw refused('The option exposedOnly', 'true or false', String(exposedOnly))
  if (hides !== undefined && typeof hides !== 'function')
    throw refused('The option hides', 'a function', typeof hides)
  return options
}

/**
 * The names that the caller may use. The store caches its two sets of names; names that `hides`
 * decides are computed for each view.
 */
export function namesOf(rules: NameRules, { exposedOnly = false, hides }: ViewOptions): NameRule {
  if (hides === undefined) return exposedOnly ? rules.exposedNames : rules.names
  const known: Sees = exposedOnly ? isVisible : everything
  const asked = new Map<AttributeModel, boolean>()
  const sees = (attribute: AttributeModel): boolean => {
    let answer = asked.get(attribute)
    if (answer === undefined) {
      answer = known(attribute) && hides(attribute) !== true
      asked.set(attribute, answer)
    }
    return answer
  }
  return new NameRule(rules.limits, sees, rules.template, VIEW_CACHE_SIZE)
}

/**
 * The dataclasses of which some entities are hidden. Throws `dataClassNotFound` and the errors of a
 * filter.
 */
export function rowsOf(
  { names }: NameRules,
  catalog: Catalog,
  { rows }: ViewOptions,
): ReadonlyMap<ClassModel, BoundRule> {
  const rules = new Map<ClassModel, BoundRule>()
  if (rows === undefined) return rules
  const given: Iterable<readonly [string, unknown]> =
    rows instanceof Map ? rows : Object.entries(rows)
  for (const [name, filter] of given) {
    const dataClass = catalog.byName.get(name)
    if (dataClass === undefined) throw new EntiaError('dataClassNotFound', { dataClass: name })
    const rule = ruleOf(names, dataClass, filter as RowFilter)
    if (rule.predicate.kind !== 'constant' || !rule.predicate.value) rules.set(dataClass, rule)
  }
  return rules
}

function ruleOf(names: NameRule, dataClass: ClassModel, given: RowFilter): BoundRule {
  if (given === false) return { predicate: NOTHING, openPredicate: () => NOTHING, text: 'false' }
  const argument = `The row filter of "${dataClass.name}"`
  const { filter, parameters, matching = EXACT } = partsOf(argument, dataClass, given)
  if (typeof filter !== 'string')
    throw refused(
      argument,
      `a filter, a condition on ${dataClass.name}, false, or an object of filter and parameters`,
      typeof given,
    )
  const bind = (mayDangle: boolean): BoundFilter =>
    names.bindRule(dataClass, filter, parameters, matching, mayDangle)
  const { predicate, orderBy } = bind(false)
  if (orderBy !== null) throw refused(argument, 'a filter without an order', 'one with an order')
  return {
    predicate: seeingEverything(predicate),
    openPredicate: () => seeingEverything(bind(true).predicate),
    text: JSON.stringify([filter, parameters, matching]),
  }
}

/** How a row filter compares texts unless it says otherwise. */
const EXACT: TextMatching = Object.freeze({ wildcards: false, isExact: true })
const RULE_OPTIONS = ['filter', 'parameters', 'wildcards', 'collation']

interface RuleParts {
  readonly filter?: unknown
  readonly parameters?: unknown
  readonly matching?: TextMatching
}

/** Text and values of a row filter. A condition on another dataclass has none. */
function partsOf(
  argument: string,
  dataClass: ClassModel,
  given: Exclude<RowFilter, false>,
): RuleParts {
  if (typeof given === 'string') return { filter: given, parameters: [] }
  if (typeof given !== 'object' || given === null) return {}
  if ('text' in given)
    return given.dataClass === dataClass.name
      ? { filter: given.text, parameters: given.params }
      : {}
  checkNames(given, RULE_OPTIONS)
  const { filter, parameters, wildcards = false, collation = 'exact' } = given
  if (typeof wildcards !== 'boolean')
    throw refused(`${argument}, option wildcards`, 'true or false', String(wildcards))
  if (collation !== 'exact' && collation !== 'folded')
    throw refused(`${argument}, option collation`, '"exact" or "folded"', String(collation))
  const matching = { wildcards, isExact: collation === 'exact' }
  if (typeof filter !== 'object') return { filter, parameters, matching }
  if (parameters !== undefined) throw refused(argument, 'a condition without parameters', 'both')
  return { ...partsOf(argument, dataClass, filter), matching }
}
