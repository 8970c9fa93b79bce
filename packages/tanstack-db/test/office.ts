import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState, type RestOptions } from '@entia/rest'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true, min: 0 }),
  active: attribute.bool(),
  hired: attribute.date({ dateOnly: true }),
  seen: attribute.date(),
  notes: attribute.object<{ floor?: number }>(),
  employer: attribute.relatedEntity('Company'),
})
const Task = defineDataClass('Task', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string(),
  rank: attribute.number({ min: 0 }),
})
export const CLASSES = [Company, Employee, Task] as const

/** A server, and a client of it. */
export function createOffice(options: Partial<RestOptions> = {}) {
  const store = createDataStore({ name: 'office', dataClasses: [...CLASSES, ReplicaState] })
  const rest = createRestHandler(store, { live: true, replicas: true, ...options })
  const requests: string[] = []
  const wire = { isUp: true }
  const open = new Set<AbortController>()
  const db = connect<typeof store>('http://office.test/rest', {
    fetch: async (request) => {
      if (!wire.isUp) throw new TypeError('no connection')
      requests.push(decodeURIComponent(request.url.slice('http://office.test/rest/'.length)))
      const cut = new AbortController()
      open.add(cut)
      const signal = AbortSignal.any([request.signal, cut.signal])
      return rest.fetch(new Request(request, { signal }))
    },
  })
  return {
    store,
    rest,
    db,
    /** The addresses below the mount point. */
    requests,
    /** Ends what is open, and refuses requests until `connect`. */
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

/** The key of an employee with a number, for tests that know their keys. */
export const keyAt = (number: number): string => number.toString(16).toUpperCase().padStart(32, '0')
