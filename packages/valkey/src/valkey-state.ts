import { checkNames, refused } from '@entia/core/internal'
import type { VolatileState } from '@entia/sql'
import { BoundedClient } from './bounded-client.ts'
import type { ValkeyClient } from './client.ts'
import { ValkeyWakeUps } from './wake-ups.ts'

export interface ValkeyStateOptions {
  /** `new Redis(url)` of `iovalkey` or `ioredis`. It stays open when the store closes. */
  readonly client: ValkeyClient
  /** Begins the name of the channel: one for each store. `entia` unless given. */
  readonly prefix?: string
  /** The longest time that a command is waited for: 1000 unless given. */
  readonly commandMilliseconds?: number
}

/**
 * Wake-ups of a store through Valkey or Redis: give it to `openSqlStore` as `volatileState`. While
 * the server does not answer, processes see commits later. Throws `argumentInvalid`.
 *
 * @example
 * ```ts
 * import { Redis } from 'iovalkey'
 * const volatileState = valkeyState({ client: new Redis('redis://127.0.0.1:6379'), prefix: 'hr' })
 * ```
 */
export function valkeyState(options: ValkeyStateOptions): Required<VolatileState> {
  const { client, prefix, commandMilliseconds } = checkedOptions(options)
  const monotonic = (): number => performance.now()
  const wakeUps = new ValkeyWakeUps({
    client: new BoundedClient({ client, commandMilliseconds, monotonic }),
    // Wake-ups subscribe themselves whenever the connection is ready. If the client did so too, a
    // connection that closes meanwhile would leave a rejection that no code handles.
    connect: () => client.duplicate({ autoResubscribe: false }),
    channel: `{${prefix}}:commits`,
  })
  return {
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
