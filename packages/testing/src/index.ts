// Helpers for tests of programs that use a store.
export {
  createFactories,
  type Factories,
  type Factory,
  type FactoryOptions,
} from './factories/create-factories.ts'
export type { FakerLike } from './factories/faker.ts'
export {
  type Failure,
  type Fault,
  type FaultOptions,
  type FaultRequest,
  withFaults,
} from './faults/with-faults.ts'
export {
  type FixtureOptions,
  type TestHooks,
  type UseDataStore,
  useDataStoreWith,
} from './fixtures/use-data-store.ts'
export { matchers } from './plans/matchers.ts'
export { assertUsesIndex, type Explained, usesIndex } from './plans/uses-index.ts'
export type { Duration, DurationUnit } from './ports/duration.ts'
export { createFakeClock, type FakeClock } from './ports/fake-clock.ts'
export { createFakeIds, type FakeIds } from './ports/fake-ids.ts'
export type { Rewindable } from './ports/rewindable.ts'
