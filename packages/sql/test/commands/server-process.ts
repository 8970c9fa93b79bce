// The other process of the target `processes`: serves the club of one list after the other.
import { createRestHandler, type RestHandler } from '@entia/rest'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import { pgPool } from '../../src/pg.ts'
import { openCopyIn } from '../engine/sql-host.ts'
import { answerParent } from '../races/child.ts'
import { handlerOptions, type Identity } from './club-options.ts'
import { type ClubPorts, createClubPorts, type IdState } from './club-ports.ts'
import { createClub } from './model.ts'
import type { Received } from './targets.ts'

export type Order =
  | { readonly kind: 'open'; readonly schema: string; readonly identity: Identity }
  | {
      readonly kind: 'handle'
      readonly request: Received
      /** How long the clock of the first process has run, and the ids that it has used. */
      readonly seconds: number
      readonly used: IdState
    }
  | { readonly kind: 'close' }

/** The reply to a request, the ids used until then, and what failed since the last one. */
export interface Served {
  readonly reply: HostReply
  readonly used: IdState
  readonly failures: readonly string[]
}

interface Open extends ClubPorts {
  readonly handler: RestHandler
  readonly failures: string[]
}

const { connectionString } = JSON.parse(process.argv[2]!) as { readonly connectionString: string }
const pool = pgPool({ connectionString, max: 8 })
let opened: Open | null = null

answerParent(async (order: Order): Promise<unknown> => {
  switch (order.kind) {
    case 'open': {
      opened = await open(order.schema, order.identity)
      return null
    }
    case 'handle': {
      const { handler, ids, advance, passed, failures } = opened!
      ids.continueAt(order.used)
      advance(order.seconds - passed())
      const { status, headers, body } = await handler.handle(order.request)
      const served: Served = {
        reply: { status, headers, body },
        used: ids.state,
        failures: failures.splice(0),
      }
      return served
    }
    case 'close': {
      opened = null
      return null
    }
  }
})

async function open(schema: string, identity: Identity): Promise<Open> {
  const club = createClubPorts()
  const failures: string[] = []
  const origin = createClub(club.ports)
  const store = await openCopyIn(origin, pool, schema, { onError: () => {} })
  origin.close()
  const options = handlerOptions(identity, club.ids, (error) => failures.push(String(error)))
  return { ...club, handler: createRestHandler(store, options), failures }
}
