import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../filter/limits.ts'
import type { HistoryOptions, SizeOptions } from '../model/store-types.ts'
import { type Clock, defaultClock, defaultIds, type Ids } from '../ports.ts'
import { MAX_SIZES, type SizeLimits } from '../storage/sizes.ts'
import { checkNames, fromZero, numbersOf } from '../value/check-options.ts'
import type { Capability, GivenOptions, OptionGroup } from './capability.ts'

/** What every store is created with beside its model, with defaults for what was not given. */
export interface KernelOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly history: Required<HistoryOptions>
  readonly sizes: Required<SizeOptions>
  readonly limits: FilterLimits
  /** Those of capabilities, by group. */
  readonly groups: { readonly [group: string]: object }
}

const KERNEL_GROUPS: { readonly [group: string]: OptionGroup } = {
  history: { defaults: { commits: 10_000, bytes: 16 * 1024 * 1024 }, rangeOf: fromZero },
  sizes: {
    defaults: MAX_SIZES,
    rangeOf: (name) => ({ lowest: 1, highest: MAX_SIZES[name as keyof SizeLimits] }),
  },
  limits: { defaults: DEFAULT_FILTER_LIMITS, rangeOf: fromZero },
}
const NAMES = ['name', 'dataClasses', 'functions', 'singletons', 'clock', 'ids']

/** Throws `argumentInvalid` for unknown names, those of missing capabilities included, and for wrong numbers. */
export function kernelOptions(given: GivenOptions, capabilities: readonly Capability[]): KernelOptions {
  const groups = Object.entries(Object.assign({}, KERNEL_GROUPS, ...capabilities.map(({ options }) => options)))
  checkNames(given, [...NAMES, ...groups.map(([name]) => name)])
  const numbers = Object.fromEntries(
    (groups as [string, OptionGroup][]).map(([name, { defaults, rangeOf }]) => [
      name,
      numbersOf(name, defaults, given[name] as object | undefined, rangeOf),
    ]),
  )
  return {
    clock: (given.clock as Clock | undefined) ?? defaultClock,
    ids: (given.ids as Ids | undefined) ?? defaultIds,
    history: numbers.history as Required<HistoryOptions>,
    sizes: numbers.sizes as Required<SizeOptions>,
    limits: numbers.limits as FilterLimits,
    groups: numbers,
  }
}
