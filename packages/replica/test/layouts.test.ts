import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyDataClass, type AnyDataStore, attribute, defineDataClass } from '@entia/core'
import { openBrowserJournal } from '@entia/core/browser'
import { ALL_CAPABILITIES } from '@entia/core/internal'
import { openJournal } from '@entia/core/node'
import { expect, test } from 'vitest'
import { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import { type ReplicateOptions, replicate } from '../src/index.ts'
import { createLocalStore } from '../src/local-store.ts'
import { OWN_CLASSES } from '../src/own-classes.ts'
import { CLASSES, createOffice, linkTo, PAUSES } from './office.ts'

// What waits while the columns of a replica's own dataclasses change, in either direction.

type OwnName = (typeof OWN_CLASSES)[number]['name']
interface Layout {
  /** What the other version keeps in another way. */
  readonly name: OwnName
  readonly columns: object
  readonly without?: string
  /** The values of one entity besides those of this version. */
  readonly values?: object
  /** What an error names; null if what waits is read. */
  readonly refused: RegExp | null
}
const LAYOUTS: { readonly [layout: string]: Layout } = {
  'an earlier one without choices': {
    name: 'ReplicaBatch',
    columns: {},
    without: 'choices',
    refused: null,
  },
  'an earlier one without leased keys': {
    name: 'ReplicaPlace',
    columns: {},
    without: 'keys',
    refused: null,
  },
  'an earlier one without strict, which has no default': {
    name: 'ReplicaBatch',
    columns: {},
    without: 'strict',
    refused: /no values of "ReplicaBatch.strict"/,
  },
  'a later one with an empty priority': {
    name: 'ReplicaBatch',
    columns: { priority: attribute.number() },
    refused: null,
  },
  'a later one with a priority': {
    name: 'ReplicaBatch',
    columns: { priority: attribute.number() },
    values: { priority: 1 },
    refused: /values of "ReplicaBatch.priority"/,
  },
  'a later one with other bases': {
    name: 'ReplicaBase',
    columns: { part: attribute.string() },
    values: { part: 'x' },
    refused: /values of "ReplicaBase.part"/,
  },
  'a later one with another place': {
    name: 'ReplicaPlace',
    columns: { met: attribute.string(), wall: attribute.date() },
    values: { wall: '2026-11-27' },
    refused: /values of "ReplicaPlace.(met|wall)"/,
  },
}

const STORAGES = {
  'the journal of Node': async () => {
    const folder = await mkdtemp(join(tmpdir(), 'entia-layouts-'))
    return {
      keep: (store: AnyDataStore) => openJournal(store, folder),
      remove: () => rm(folder, { recursive: true }),
    }
  },
  'the journal of a browser': async () => {
    const browser = new MemoryBrowser()
    const keep: NonNullable<ReplicateOptions['keep']> = (store, tab) =>
      openBrowserJournal(store, 'hr', { onError: () => {}, ...tab }, browser.openTab().ports)
    return { keep, remove: async () => {} }
  },
}

/** A store of a replica of another version. */
function storeOf({ name, columns, without }: Layout): AnyDataStore {
  const own = OWN_CLASSES.map((each): AnyDataClass => {
    if (each.name !== name) return each
    const kept = Object.entries(each.attributes).filter(([column]) => column !== without)
    return defineDataClass(name, { ...Object.fromEntries(kept), ...columns })
  })
  return createLocalStore(
    CLASSES,
    ALL_CAPABILITIES,
    () => {},
    () => 1,
    own,
  )
}

const cases = Object.keys(STORAGES).flatMap((storage) =>
  Object.keys(LAYOUTS).map((layout) => [storage, layout] as const),
)
test.each(cases)('%s keeps what waits with another layout: %s', async (storage, at) => {
  const layout = LAYOUTS[at]!
  const office = createOffice()
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 1 })
  const { keep, remove } = await STORAGES[storage as keyof typeof STORAGES]()
  const other = await STORAGES[storage as keyof typeof STORAGES]()
  const begin = (from: typeof keep, link = linkTo(office.rest)) =>
    replicate(link.db, {
      dataClasses: CLASSES,
      shapes: { Company: true, Employee: true },
      keep: from,
      pauses: PAUSES,
    })
  const first = await begin(keep, office)
  office.cut()
  await first.transact((tx) => tx.Employee.update(ann.ID, { salary: 2 }))
  await first.transact((tx) => tx.Employee.insert({ name: 'Bob' }))
  await first.close()

  // The same as the other version keeps it: a dump and a commit after it.
  const written = storeOf(layout)
  const journal = await other.keep(written, { onRole: () => {} })
  const last = Number(first.waiting.keys().at(-1))
  const add = (name: string, isLast: boolean) => {
    const rows = [...(first.store as AnyDataStore).dataClass(name).all()]
      .map((entity) => ({ ...(entity as { number?: number }) }))
      .filter((row) => (row.number === last) === isLast)
    const known = written.catalog.byName.get(name)!
    const more = name === layout.name ? { ...layout.values } : {}
    for (const row of rows) {
      const values = Object.entries({ ...row, ...more }).filter(
        ([column, value]) => known.attributes.has(column) && typeof value !== 'undefined',
      )
      written.dataClass(name).insert(Object.fromEntries(values) as never)
    }
  }
  for (const { name } of written.catalog.classes) add(name, false)
  await journal.compact()
  add('ReplicaBatch', true)
  await journal.close()

  const link = linkTo(office.rest)
  link.cut()
  if (layout.refused !== null) {
    for (const _ of [1, 2])
      await expect(begin(other.keep, link)).rejects.toMatchObject({
        code: 'dumpInvalid',
        message: expect.stringMatching(layout.refused),
      })
    // The version that has written it still finds everything.
    const again = storeOf(layout)
    const reopened = await other.keep(again, { onRole: () => {} })
    expect(again.dataClass('ReplicaBatch').all().count).toBe(2)
    await reopened.close()
  } else {
    const second = await begin(other.keep, link)
    expect(second.waiting.count).toBe(2)
    expect(second.store.Employee.get(ann.ID)?.salary).toBe(2)
    link.connect()
    await second.current()
    expect(second.problems.count).toBe(0)
    expect(office.store.Employee.get(ann.ID)?.salary).toBe(2)
    expect(office.store.Employee.query('name = Bob').count).toBe(1)
    await second.close()
    // From now on it is kept with the layout of this version.
    const third = await begin(other.keep)
    await third.current()
    expect(third.waiting.count).toBe(0)
    await third.close()
  }
  await remove()
  await other.remove()
})
