import { randomUUID } from 'node:crypto'
import { checkNames, refused } from '@entia/core/kit'
import type { VolatileState } from '@entia/sql'
import { BoundedClient } from './bounded-client.ts'
import type { ValkeyClient } from './client.ts'
import { ValkeyEntries } from './entries.ts'
import { ValkeyWakeUps } from './wake-ups.ts'

export interface ValkeyStateOptions {
  /** `new Redis(url)` of `iovalkey` or `ioredis`. It stays open when the store closes. */
  readonly client: ValkeyClient
  /** Begins the names of all keys: one for each store. `entia` unless given. */
  readonly prefix?: string
  /** The longest time that a command is waited for: 1000 unless given. */
  readonly commandMilliseconds?: number
}

/** Ports for tests. */
export interface ValkeyPorts {
  readonly now: () => number | null
  readonly unique: () => string
  readonly monotonic: () => number
}

const PORTS: ValkeyPorts = {
  now: () => null,
  unique: () => randomUUID(),
  monotonic: () => performance.now(),
}

/**
 * Entity sets, uploads and wake-ups of a store in Valkey or Redis 7: give it to `openSqlStore` as
 * `volatileState`. While the server does not answer, sets and uploads count as expired. Throws
 * `argumentInvalid`.
 */
export function valkeyState(
  options: ValkeyStateOptions,
  ports: Partial<ValkeyPorts> = {},
): Required<VolatileState> {
  const { now, unique, monotonic } = { ...PORTS, ...ports }
  const { client, prefix, commandMilliseconds } = checkedOptions(options)
  // One hash tag: in a cluster all keys are on one node, as scripts need them.
  const names = `{${prefix}}:`
  const bounded = new BoundedClient({ client, commandMilliseconds, monotonic })
  const entries = (kind: string): ValkeyEntries =>
    new ValkeyEntries({ client: bounded, prefix: `${names}${kind}:`, unique, now })
  const wakeUps = new ValkeyWakeUps({
    client: bounded,
    connect: () => client.duplicate(),
    channel: `${names}commits`,
  })
  return {
    entitySets: entries('sets'),
    uploads: entries('uploads'),
    wakeUps,
    async close() {
      wakeUps.close()
    },
  }
}

function checkedOptions(options: ValkeyStateOptions): Required<ValkeyStateOptions> {
  checkNames(options, ['client', 'prefix', 'commandMilliseconds'])
  const { client, prefix = 'entia', commandMilliseconds = 1000 } = options
  if (typeof client?.call !== 'function' || typeof client.duplicate !== 'function')
    throw refused('The option client', 'new Redis(…) of iovalkey or ioredis', typeof client)
  if (typeof prefix !== 'string' || prefix === '' || /[{}]/.test(prefix))
    throw refused('The option prefix', 'a text without braces', String(prefix))
  if (!Number.isInteger(commandMilliseconds) || commandMilliseconds < 1)
    throw refused(
      'The option commandMilliseconds',
      'a whole number from 1',
      `${commandMilliseconds}`,
    )
  return { client, prefix, commandMilliseconds }
}
