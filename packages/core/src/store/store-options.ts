import type { ReadingLimits } from '../execute/turns.ts'
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../filter/limits.ts'
import type { HistoryOptions, KeptTextOptions, SizeOptions } from '../model/store-types.ts'
import { type Clock, defaultClock, defaultIds, type Ids } from '../ports.ts'
import { DEFAULT_SIDE_LIMITS, type SideLimits, sideLimits } from '../server-state/sessions-limits.ts'
import { MAX_SIZES, type SizeLimits } from '../storage/sizes.ts'
import { checkNames, numbersOf } from '../value/check-options.ts'
import type { DataStoreOptions } from './options.ts'

/** What a store is made with beside its model, nothing left open. */
export interface StoreOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly history: Required<HistoryOptions>
  readonly keptTexts: Required<KeptTextOptions>
  readonly sizes: Required<SizeOptions>
  readonly filterLimits: FilterLimits
  readonly reading: ReadingLimits
  readonly side: SideLimits
}

const HISTORY: Required<HistoryOptions> = { commits: 10_000, bytes: 16 * 1024 * 1024 }
const KEPT_TEXTS: Required<KeptTextOptions> = { characters: 4 * 1024 * 1024 }

const READING: ReadingLimits = { turnMilliseconds: 10, maxMilliseconds: 1000, maxRowVisits: 5_000_000 }

const OPTIONS = [
  ...['name', 'dataClasses', 'functions', 'singletons', 'clock', 'ids', 'history', 'keptTexts', 'sizes', 'limits'],
  'reading',
  ...Object.keys(DEFAULT_SIDE_LIMITS),
]

/** The options with defaults for what is not given. Throws `argumentInvalid` for unknown names and for wrong numbers. */
export function storeOptions(options: Partial<DataStoreOptions>): StoreOptions {
  checkNames(options, OPTIONS)
  const { clock, ids, history, keptTexts, sizes, limits, reading, ...side } = options
  const fromZero = () => ({ lowest: 0 })
  return {
    clock: clock ?? defaultClock,
    ids: ids ?? defaultIds,
    history: numbersOf('history', HISTORY, history, fromZero),
    keptTexts: numbersOf('keptTexts', KEPT_TEXTS, keptTexts, fromZero),
    sizes: numbersOf('sizes', MAX_SIZES, sizes, (name) => ({
      lowest: 1,
      highest: MAX_SIZES[name as keyof SizeLimits],
    })),
    filterLimits: numbersOf('limits', DEFAULT_FILTER_LIMITS, limits, fromZero),
    reading: numbersOf('reading', READING, reading, fromZero),
    side: sideLimits(side),
  }
}
