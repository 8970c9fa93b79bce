import type { ReadingLimits } from '../execute/time-slices.ts'
import { type Capability, handleOf, type StoreHandle } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { StoreReadings } from '../model/store-types.ts'
import { StoreReading } from '../query/reader.ts'
import { fromZero } from '../value/check-options.ts'

const DEFAULTS: ReadingLimits = {
  turnMilliseconds: 10,
  maxMilliseconds: 1000,
  maxRowVisits: 20_000_000,
}

const limits = new WeakMap<StoreHandle, ReadingLimits>()

const store = {
  /** A read in time slices: nothing is done before its first `advance`. */
  reading<R>(this: DataStore, body: () => R): StoreReading<R> {
    const handle = handleOf(this)
    const { reader, writer } = handle
    return new StoreReading(
      reader,
      limits.get(handle) as ReadingLimits,
      () => writer.outside('reading'),
      body,
    )
  },
} satisfies StoreReadings

/** `reading` of the store. */
export const slicedReads = {
  name: 'slicedReads',
  store,
  options: { reading: { defaults: DEFAULTS, rangeOf: fromZero } },
  install(handle: StoreHandle, { reading }) {
    limits.set(handle, reading)
  },
} as const satisfies Capability<string, { reading: ReadingLimits }>
