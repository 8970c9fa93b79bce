import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { Catalog } from '../../src/model/catalog.ts'
import type { AnyDataClass } from '../../src/model/definition.ts'
import { INDEX_FACTORY } from '../../src/storage/attribute-index.ts'
import { Table } from '../../src/storage/table.ts'
import { verifyStore } from '../../src/store/capability/persistence.ts'
import { dumpStore } from '../../src/store/dump/dump.ts'
import type { StoredValue } from '../../src/value/types.ts'
import type { WriterPort } from '../../src/write/port.ts'
import { Snapshots } from '../../src/write/snapshot.ts'
import { Writer } from '../../src/write/writer.ts'
import { refusalOf } from '../filter/refusal.ts'

/**
 * Firms with people: every column layout, every kind of index, every `onDelete` rule, cycles
 * between dataclasses.
 */
export const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  boss: attribute.relatedEntity('Person'),
})
export const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  email: attribute.string({ unique: true, indexed: true, collation: 'exact' }),
  pay: attribute.number({ indexed: true, min: 0 }),
  day: attribute.date({ dateOnly: true, indexed: true }),
  active: attribute.bool({ indexed: true }),
  notes: attribute.object(),
  photo: attribute.blob(),
  firm: attribute.relatedEntity('Firm', { foreignKey: 'firmID', onDelete: 'cascade' }),
  firmID: attribute.long(),
  mentor: attribute.relatedEntity('Person', { onDelete: 'null' }),
})
export const Badge = defineDataClass('Badge', {
  code: attribute.string({ key: true }),
  owner: attribute.relatedEntity('Person', { onDelete: 'restrict' }),
})

/**
 * A writer over some dataclasses. Its clock advances one millisecond per reading, and its ids are
 * counted.
 */
export class TestStore {
  readonly catalog: Catalog
  readonly writer: Writer
  readonly snapshots: Snapshots
  now = 1_000_000

  constructor(dataClasses: readonly AnyDataClass[], port: Partial<WriterPort> = {}) {
    let ids = 0
    this.catalog = buildCatalog({ name: 'test', dataClasses })
    this.writer = new Writer(
      this.catalog,
      {
        clock: { now: () => ++this.now, monotonic: () => ++this.now },
        ids: { uuid: () => (++ids).toString(16).padStart(32, '0'), token: () => 'token' },
        entityOf: (table, values, stamp) => entityOf(table, values, stamp),
        store: this,
        createTable: (model) => new Table(model, INDEX_FACTORY),
        ...port,
      },
      { commits: 1000, bytes: 16 * 1024 * 1024 },
    )
    this.snapshots = new Snapshots(this.writer)
  }

  table(name: string): Table {
    return this.writer.tables[this.catalog.byName.get(name)!.ordinal]
  }
  insert(name: string, values: object): number {
    const { single } = this.writer
    const table = this.table(name)
    return single.insert(table, single.read(table, values), SLOTS)
  }
  update(name: string, key: unknown, change: unknown, stamp?: number): number {
    const { single } = this.writer
    const table = this.table(name)
    return single.save(table, key, single.read(table, change, true), stamp, SLOTS)
  }
  remove(name: string, key: unknown, stamp?: number): void {
    this.writer.single.remove(this.table(name), key, stampOptions(stamp))
  }
  /**
   * The values of an entity in the open transaction, by attribute; undefined if it does not exist.
   */
  read(name: string, key: unknown): { [attribute: string]: unknown } | undefined {
    const table = this.table(name)
    const slot = this.writer.find(table, key)
    if (slot < 0) return undefined
    const { values, stamp } = this.writer.stages.view(table, slot)
    return entityOf(table, values, stamp)
  }
  keys(name: string): unknown[] {
    const table = this.table(name)
    return Array.from(table.liveSlots(), (slot) => table.read(slot, table.model.key.ordinal))
  }

  /** The whole visible state except the global stamp, as text. */
  state(): string {
    return new TextDecoder().decode(dumpStore(this.catalog, this.writer.tables, 0))
  }
  verify(): void {
    verifyStore(this.writer)
  }
}

/** A written entity is represented by its record number. */
const SLOTS = { entityAt: (_table: Table, slot: number): number => slot }
const stampOptions = (stamp: number | undefined) => (stamp === undefined ? {} : { stamp })

export const firmStore = (port: Partial<WriterPort> = {}): TestStore =>
  new TestStore([Firm, Person, Badge], port)

/** A plain object of the stored values, with the stamp. */
function entityOf(
  table: Table,
  values: readonly StoredValue[],
  stamp: number,
): { [attribute: string]: unknown } {
  return {
    ...Object.fromEntries(table.model.storage.map(({ name, ordinal }) => [name, values[ordinal]])),
    stamp,
  }
}

export { refusalOf }
export const codeOf = (run: () => unknown): string => refusalOf(run).code
