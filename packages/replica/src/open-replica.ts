import { transportOf } from '@entia/client/internal'
import { type AnyDataStore, isEntiaError } from '@entia/core'
import {
  type Capability,
  checkCallOptions,
  checkNames,
  checkObject,
  describeFound,
  hasCountedKey,
  MAX_LEASE,
  numbersOf,
  refused,
} from '@entia/core/internal'
import { callOf } from './calls.ts'
import { Coverage } from './coverage.ts'
import { createLocalStore, uniqueIn } from './local-store.ts'
import { ReplicaCore } from './replica.ts'
import { heldByOther } from './replica-error.ts'
import type { Replica, ReplicateOptions, TabOptions } from './replicate.ts'
import { sentShapes } from './shapes.ts'

const OPTIONS = [
  'dataClasses',
  'shapes',
  'conflict',
  'lease',
  'strict',
  'partial',
  'keep',
  'user',
  'expires',
  'drop',
  'onError',
  'pauses',
] satisfies readonly (keyof ReplicateOptions)[]

/** `replicate` without types, for a store with chosen capabilities. */
export async function openReplica(
  db: object,
  options: ReplicateOptions,
  capabilities: readonly Capability[],
): Promise<Replica> {
  const transport = transportOf(db)
  if (transport === undefined)
    throw new TypeError('replicate takes what connect of @entia/client returns.')
  checkNames(options, OPTIONS)
  const { dataClasses, shapes, conflict, partial = false, strict = false, keep } = options
  if (!Array.isArray(dataClasses))
    throw refused('The option dataClasses', 'an array of dataclasses', describeFound(dataClasses))
  const sent = sentShapes(shapes)
  const { lease = {}, expires } = options
  checkObject('The option lease', lease)
  const fromOne = () => ({ lowest: 1 })
  const pauses = numbersOf('pauses', { first: 1000, longest: 60_000 }, options.pauses, fromOne)
  // A misspelt number of days would keep the data for ever.
  const { days } = numbersOf(
    'expires',
    { days: null },
    expires && { days: 0, ...(expires as object) },
    fromOne,
  )
  let mustHold: ReplicaCore['mustHold'] = () => {}
  const store = createLocalStore(
    dataClasses,
    capabilities,
    (...asked) => mustHold(...asked),
    (...asked) => core.keyFrom(...asked),
  )
  checkLease(store, lease)
  let opened: ReplicaCore | null = null
  const kept = await keep?.(store, {
    onRole: (role) => opened?.becomes(role),
  } satisfies TabOptions).catch((error: unknown) => {
    // A tab that follows reads what the one with the stream writes, and converts nothing.
    const isOther = isEntiaError(error, 'dumpInvalid') && error.details.isOtherModel === true
    throw isOther ? heldByOther({ cause: error }) : error
  })
  let core: ReplicaCore
  try {
    core = opened = new ReplicaCore({
      store,
      unique: uniqueIn(dataClasses),
      transport,
      shapes: sent,
      coverage: (given) => new Coverage(store, given),
      lease,
      strict,
      partial,
      conflict,
      onError: options.onError ?? (() => {}),
      user: options.user,
      expires: days,
      drop: options.drop ?? false,
      pauses,
      kept: kept ?? null,
    })
  } catch (error) {
    await kept?.close()
    throw error
  }
  mustHold = core.mustHold
  try {
    await core.status.ready
  } catch (error) {
    await core.close()
    throw error
  }
  const flushed = async (sent: object): Promise<never> => {
    await core.journal.keep()
    return sent as never
  }
  const replica: Replica = {
    store: store as never,
    get state() {
      return core.status.state
    },
    get error() {
      return core.status.error
    },
    get waiting() {
      return core.batches.waiting as never
    },
    get problems() {
      return core.batches.problems.all as never
    },
    get results() {
      return core.batches.results.all as never
    },
    problem: (number) => core.batches.problems.get(number),
    dismiss: (result) => core.writes.dismiss(typeof result === 'number' ? result : result.number),
    async transact(body, given) {
      checkCallOptions(given, ['strict'])
      return flushed(await core.writes.transact(body as never, given?.strict ?? strict))
    },
    async callOn(dataClass: string, key: unknown, name: string, ...args: unknown[]) {
      return flushed(await core.writes.call(callOf(store, dataClass, key, name, args)))
    },
    async call(dataClass: string, name: string, ...args: unknown[]) {
      return flushed(await core.writes.call(callOf(store, dataClass, null, name, args)))
    },
    async solve(problem, choice) {
      return core.writes.solve(typeof problem === 'number' ? problem : problem.number, choice)
    },
    reshape: (given) => core.reshape(given),
    reconnect: () => core.reconnect(),
    current: () => core.current(),
    subscribe: (listener) => core.status.add(listener),
    async forget(given) {
      checkCallOptions(given, ['drop'])
      return core.forget(given)
    },
    close: () => core.close(),
  }
  return replica
}

/** Throws argumentInvalid. */
function checkLease({ catalog }: AnyDataStore, lease: { readonly [name: string]: unknown }): void {
  for (const [name, size] of Object.entries(lease)) {
    const model = catalog.byName.get(name)
    const isCounted = model !== undefined && hasCountedKey(model)
    if (!isCounted || !Number.isInteger(size) || Number(size) < 1 || Number(size) > MAX_LEASE)
      throw refused(
        `The option lease.${name}`,
        `a whole number from 1 to ${MAX_LEASE} for a dataclass with numbers of a sequence as keys`,
        isCounted ? String(size) : 'no such dataclass',
      )
  }
}
