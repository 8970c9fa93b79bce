import { attribute, createDataStore, defineDataClass, isEntiaError, openDump } from '@entia/core'

// Runs in a page and in Node with equal results, which are plain data.

const City = defineDataClass('City', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  people: attribute.relatedEntities('Person', 'city'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  age: attribute.long({ indexed: true }),
  vip: attribute.bool(),
  born: attribute.date(),
  notes: attribute.object(),
  city: attribute.relatedEntity('City'),
})
// The host generates UUIDs as keys.
const Ticket = defineDataClass('Ticket', { ID: attribute.uuid({ key: true, autoSequence: true }) })
const dataClasses = [City, Person, Ticket] as const
const count = 10_000

const refusal = (run: () => unknown) => {
  try {
    run()
    return 'nothing was refused'
  } catch (error) {
    return isEntiaError(error) ? error.code : String(error)
  }
}

/** Fills a store and uses all features of core. */
export function run() {
  const store = createDataStore({ name: 'browser', dataClasses })
  store.City.load(['Zürich', 'Paris', 'Łódź', '東京'].map((name) => ({ name })))
  store.Person.load(
    Array.from({ length: count }, (_, i) => ({
      name: `N${i % 977}`,
      age: i % 91,
      vip: i % 7 === 0,
      born: new Date(Date.UTC(1950, 0, 1 + (i % 20_000))),
      notes: { tags: [`t${i % 5}`] },
      city: 1 + (i % 4),
    })),
  )
  const old = store.Person.query('age > :1 and city.name = :2', [60, 'zurich'])
  const vips = store.Person.query('vip = true')
  const queries = {
    old: old.count,
    vips: vips.count,
    // Large sets use the WebAssembly kernel if it is allowed.
    both: old.and(vips).count,
    either: old.or(vips).count,
    without: vips.except(old).count,
    wildcards: store.Person.query('name = :1', ['n1@']).count,
    tags: store.Person.query('notes.tags[] = t3').count,
    page: old.orderBy('age desc, name, ID').slice(0, 5).select('ID, name, age, city.name'),
    average: old.average('age'),
    distinct: store.City.all().distinct('name'),
    refused: refusal(() => store.Person.query('agee > 1')),
  }

  const before = store.snapshot()
  const raised = store.transact(() => {
    for (const person of store.Person.query('age = 90'))
      store.Person.update(person.key, { age: 91 })
    return store.Person.query('age = 91').count
  })
  const undone = refusal(() =>
    store.transact(() => {
      store.Person.all().remove()
      store.Person.update(1, { name: 'gone' })
    }),
  )
  const dump = store.dump()
  const copy = openDump(dump, { dataClasses })
  const writes = {
    raised,
    undone,
    kept: store.Person.count,
    copied: copy.Person.query('age = 91').count,
    sameBytes: copy.dump().length === dump.length,
  }
  store.restore(before)

  const mine = store.sessions.open({
    user: { ID: 'u1', userName: 'ada', fullName: 'Ada Byron', groups: [] },
  })
  const other = store.sessions.open()
  const locks = [
    store.locks.lock('Person', 1, mine).kind,
    store.locks.lock('Person', 1, other).kind,
    refusal(() => store.Person.update(1, { age: 3 })),
    store.as(mine, () => store.Person.update(1, { age: 3 }).age),
    store.sessions.close(mine.token),
    store.locks.size,
  ]
  const some = store.entitySets.create(vips)
  const all = store.entitySets.create(store.Person.all())
  const sets = [
    store.entitySets.get(some)?.count,
    store.entitySets.combine(all, 'EXCEPT', some).count,
  ]
  const tickets = Array.from({ length: 3 }, () => store.Ticket.insert({}).ID)
  store.verify()
  return {
    queries,
    writes,
    restored: store.Person.query('age = 91').count,
    locks,
    sets,
    tickets: tickets.map((id) => /^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/.test(id)),
  }
}

/** Whether the page may compile WebAssembly, which enables the kernel. */
export function compilesWebAssembly(): boolean {
  const { WebAssembly } = globalThis as {
    readonly WebAssembly?: { readonly Module: new (bytes: Uint8Array) => object }
  }
  try {
    return WebAssembly !== undefined && typeof new WebAssembly.Module(emptyModule) === 'object'
  } catch {
    return false
  }
}

const emptyModule = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
