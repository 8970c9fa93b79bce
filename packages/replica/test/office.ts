import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState, type RestHandler, type RestOptions } from '@entia/rest'

const Company = defineDataClass('Company', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  city: attribute.string({ indexed: true }),
  revenue: attribute.number(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  name: attribute.string(),
  salary: attribute.number({ indexed: true }),
  born: attribute.date({ dateOnly: true }),
  notes: attribute.object<{ text?: string }>(),
  employer: attribute.relatedEntity('Company'),
  manager: attribute.relatedEntity('Employee'),
  reports: attribute.relatedEntities('Employee', 'manager'),
})

export const CLASSES = [Company, Employee] as const

/** A server, and connections to it that can be cut. */
export const createOffice = (options: Partial<RestOptions> = {}, commits = 10_000) =>
  serve(CLASSES, options, commits)

/** The same with other definitions of its dataclasses. */
export function serve(
  classes: typeof CLASSES,
  options: Partial<RestOptions> = {},
  commits = 10_000,
) {
  const dataClasses = [...classes, ReplicaState] as const
  const store = createDataStore({ name: 'office', dataClasses, history: { commits } })
  const rest = createRestHandler(store, { replicas: true, ...options })
  return { store, rest, ...linkTo(rest) }
}

/** A connection to a server that can be cut. */
export function linkTo(rest: RestHandler) {
  const open = new Set<AbortController>()
  const wire = {
    isUp: true,
    /** Answers to batches that do not arrive. */
    lost: 0,
    lines: [] as string[],
    /** The bodies of requests for a stream. */
    sent: [] as string[],
  }
  const db = connect('http://office.test/rest', {
    fetch: async (request) => {
      if (!wire.isUp) throw new TypeError('no connection')
      const isStream = request.url.endsWith('$replica')
      if (isStream) wire.sent.push(await request.clone().text())
      const cut = new AbortController()
      open.add(cut)
      // Node keeps a signal of `AbortSignal.any` as long as it has a listener: with the store.
      request.signal.addEventListener('abort', () => cut.abort(), { once: true })
      if (request.signal.aborted) cut.abort()
      const { signal } = cut
      const response = await Promise.race([
        rest.fetch(new Request(request, { signal })),
        new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(new TypeError('no connection'))),
        ),
      ])
      if (!isStream) open.delete(cut)
      if (cut.signal.aborted) throw new TypeError('no connection')
      if (!isStream && wire.lost > 0) {
        wire.lost--
        throw new TypeError('the answer is lost')
      }
      if (response.body === null || !isStream) return response
      const tap = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          wire.lines.push(new TextDecoder().decode(chunk))
          controller.enqueue(chunk)
        },
      })
      void response.body.pipeTo(tap.writable).catch(() => {})
      return new Response(tap.readable, response)
    },
  })
  return {
    db,
    wire,
    /** Ends the open streams, and refuses requests until `connect`. */
    cut() {
      wire.isUp = false
      for (const each of open) each.abort()
      open.clear()
    },
    connect() {
      wire.isUp = true
    },
  }
}

/** Values of all entities, by key. */
export const rowsOf = (entities: Iterable<object>): readonly unknown[] =>
  [...entities]
    .map((entity) => JSON.parse(JSON.stringify(entity)) as { ID: string })
    .sort((a, b) => (a.ID < b.ID ? -1 : 1))

export const PAUSES = { first: 5, longest: 20 }
