import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../../filter/filter-errors.ts'
import type { ClassModel } from '../../model/catalog.ts'
import type { HistoryOptions, SizeOptions } from '../../model/store-types.ts'
import { type Clock, defaultClock, defaultIds, type Ids } from '../../ports.ts'
import type { ReaderOptions } from '../../query/reader.ts'
import type { IndexFactory } from '../../storage/attribute-index.ts'
import type { Table } from '../../storage/table.ts'
import {
  checkNames,
  describeFound,
  fromZero,
  numbersOf,
  refused,
} from '../../value/check-options.ts'
import { MAX_SIZES, type SizeLimits } from '../../value/value-size.ts'
import type { Capability, GivenOptions, OptionGroup, OptionGroups } from './capability.ts'

/** The parts of a store that holds only some records of its dataclasses. */
export interface PartialData {
  createTable?(dataClass: ClassModel, indexes: IndexFactory | null): Table
  readonly matching?: ReaderOptions['matching']
  /** See `ReaderOptions.mustHold`. A foreign key may then lead to an entity that is not held. */
  readonly mustHold?: NonNullable<ReaderOptions['mustHold']>
}

/** The numbers of every store. */
interface KernelGroups {
  readonly history: Required<HistoryOptions>
  readonly sizes: Required<SizeOptions>
  readonly limits: FilterLimits
}

/** What every store is created with beside its model, with defaults for what was not given. */
export interface KernelOptions extends KernelGroups {
  readonly clock: Clock
  readonly ids: Ids
  /** For a store that holds only some records. */
  readonly partial?: PartialData
  /** All numbers by group, those of capabilities included. */
  readonly groups: { readonly [group: string]: object }
}

const KERNEL_GROUPS: OptionGroups<KernelGroups> = {
  history: { defaults: { commits: 10_000, bytes: 16 * 1024 * 1024 }, rangeOf: fromZero },
  sizes: {
    defaults: MAX_SIZES,
    rangeOf: (name) => ({ lowest: 1, highest: MAX_SIZES[name as keyof SizeLimits] }),
  },
  limits: { defaults: DEFAULT_FILTER_LIMITS, rangeOf: fromZero },
}
const NAMES = ['name', 'dataClasses', 'functions', 'singletons', 'clock', 'ids']

/**
 * Throws `argumentInvalid` for unknown names, those of missing capabilities included, and for wrong
 * numbers.
 */
export function kernelOptions(
  given: Partial<GivenOptions>,
  capabilities: readonly Capability[],
): KernelOptions {
  checkCapabilities(capabilities)
  const groups: { readonly [name: string]: OptionGroup<object> } = Object.assign(
    {},
    KERNEL_GROUPS,
    ...capabilities.map(({ options }) => options),
  )
  checkNames(given, [...NAMES, ...Object.keys(groups)])
  const byName: { readonly [name: string]: unknown } = given
  const numbers = Object.entries(groups).map(([name, { defaults, rangeOf }]) => [
    name,
    numbersOf(name, defaults, byName[name] as object | undefined, rangeOf),
  ])
  const checked = Object.fromEntries(numbers) as KernelOptions['groups'] & KernelGroups
  return {
    clock: given.clock ?? defaultClock,
    ids: given.ids ?? defaultIds,
    history: checked.history,
    sizes: checked.sizes,
    limits: checked.limits,
    groups: checked,
  }
}

/** A program in JavaScript may give names, or import one that the kernel does not export. */
function checkCapabilities(given: unknown): void {
  const refuse = (found: string) =>
    refused('The capabilities', 'an array of those of @entia/core/kernel, each once', found)
  if (!Array.isArray(given)) throw refuse(describeFound(given))
  for (const [at, each] of given.entries()) {
    if (typeof each !== 'object' || each === null || typeof each.name !== 'string')
      throw refuse(`one with ${describeFound(each)}`)
    if (given.indexOf(each) !== at) throw refuse(`one with "${each.name}" twice`)
  }
}
