import {
  both,
  NOTHING,
  restrictRelations,
  seeingEverything,
  type TextMatching,
} from '../filter/context.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, Predicate } from '../filter/predicate.ts'
import type { AttributeModel, Catalog, ClassModel } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import { everything, isVisible, type Sees, unknownDataClass } from '../model/path.ts'
import type { RowFilter, ViewOptions } from '../model/view-types.ts'
import { FilterCache, NameRule, type NameRules } from '../query/filter-cache.ts'
import type { ReadFilter } from '../query/selection-port.ts'
import { checkNames, refused } from '../value/check-options.ts'
import { entryOf } from '../value/entry.ts'

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
const VIEW_CACHE_SIZE = 32

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
function namesOf(rules: NameRules, { exposedOnly = false, hides }: ViewOptions): NameRule {
  if (hides === undefined) return exposedOnly ? rules.exposedNames : rules.names
  const known: Sees = exposedOnly ? isVisible : everything
  const asked = new Map<AttributeModel, boolean>()
  const sees = (attribute: AttributeModel): boolean =>
    entryOf(asked, attribute, () => known(attribute) && hides(attribute) !== true)
  return new NameRule(rules.limits, sees, rules.template, VIEW_CACHE_SIZE)
}

/**
 * The dataclasses of which some entities are hidden. Throws `dataClassNotFound` and the errors of a
 * filter.
 */
function rowsOf(
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
    if (dataClass === undefined) throw unknownDataClass(name, catalog.byName.keys())
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
    names.bindFilter(dataClass, filter, parameters, mayDangle, matching)
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

/** Compiled filters of one view: as written (`asked`), and with the row filters added (`seen`). */
interface CompiledFilters {
  readonly asked: FilterCache
  readonly seen: FilterCache
}

/**
 * Binds the filters of one caller to the names that the caller may use, with the row filters added
 * to every relation. It needs a catalog and no data. `mayDangle`: foreign keys may lead to nothing,
 * as inside a transaction.
 */
export class ViewFilters {
  readonly names: NameRule
  /** True when some entities are hidden. */
  readonly restrictsRows: boolean
  readonly #rules: NameRules
  readonly #rows: ReadonlyMap<ClassModel, BoundRule>
  readonly #filters: CompiledFilters
  /** The same for data with dangling relations; created when first needed. */
  #openFilters: CompiledFilters | null = null

  /** Throws `dataClassNotFound` and the errors of a filter. */
  constructor(rules: NameRules, catalog: Catalog, options: ViewOptions) {
    this.#rules = rules
    this.names = namesOf(rules, options)
    this.#rows = rowsOf(rules, catalog, options)
    this.restrictsRows = this.#rows.size > 0
    this.#filters = this.#createFilters((dataClass) => this.#rows.has(dataClass), false)
  }

  /** The rule of a dataclass with hidden entities. */
  ruleOf(dataClass: ClassModel): BoundRule | undefined {
    return this.#rows.get(dataClass)
  }
  /** What an entity of a dataclass must satisfy to be seen; null where all can be. */
  rowsOf(dataClass: ClassModel, mayDangle = false): Predicate | null {
    const rule = this.#rows.get(dataClass)
    if (rule === undefined) return null
    return mayDangle ? rule.openPredicate() : rule.predicate
  }

  /** The filter of a text, or of a blank one for all entities that the caller may see. */
  bindFilter(
    dataClass: ClassModel,
    text: string | Condition,
    params: unknown,
    mayDangle = false,
  ): ReadFilter {
    if (!this.restrictsRows) return this.names.bindFilter(dataClass, text, params, mayDangle)
    const { seen, asked } = mayDangle
      ? (this.#openFilters ??= this.#createFilters(() => true, true))
      : this.#filters
    const parameters = params as FilterParameters | undefined
    return {
      ...seen.bind(dataClass, text, parameters),
      asked: () => asked.bind(dataClass, text, parameters).predicate,
    }
  }

  #createFilters(
    isRestricted: (dataClass: ClassModel) => boolean,
    mayDangle: boolean,
  ): CompiledFilters {
    const { limits } = this.#rules
    const bindOptions = { limits, isVisible: this.names.sees, isRestricted }
    return {
      asked: new FilterCache(bindOptions, VIEW_CACHE_SIZE, null),
      seen: new FilterCache(bindOptions, VIEW_CACHE_SIZE, null, (dataClass, predicate) => {
        const rows = this.rowsOf(dataClass, mayDangle)
        const restricted = restrictRelations(predicate, (to) => this.rowsOf(to, mayDangle))
        return rows === null ? restricted : both([restricted, rows])
      }),
    }
  }
}
