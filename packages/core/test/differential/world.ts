import { createDataStore } from '../../src/index.ts'
import type { Table } from '../engine/office-store.ts'
import { DATA_CLASSES } from './data-classes.ts'
import type { Random } from './random.ts'
import { CLASS_NAMES, type ClassName, type Row, SHAPES, type StoredAttribute } from './schema.ts'
import { JSON_SCALARS, keyOf, ROW_VALUES, UUIDS } from './values.ts'

/** A row and its number in record order. */
export interface PlacedRow {
  readonly position: number
  readonly row: Row
}

/** The tables of one comparison, and the way to load them. */
export interface World {
  readonly rows: { readonly [C in ClassName]: readonly PlacedRow[] }
  readonly fill: (store: Store) => void
  /**
   * Creates dangling relations, which only an open transaction may hold; it is then rolled back.
   */
  readonly leadAstray: (store: Store) => void
}

/** The part of a store that is used here. */
export interface Store {
  dataClass(name: string): Table
  transact<R>(body: () => R): R
  verify(): void
  close(): void
}

export const newStore = (): Store =>
  createDataStore({ name: 'differential', dataClasses: DATA_CLASSES }) as unknown as Store

/** A world without dangling relations. */
export function randomWorld(random: Random): World {
  return { ...settledWorld(random), leadAstray: () => {} }
}

/** Missing keys. Some relations share one. */
const NOWHERE: readonly {
  readonly of: ClassName
  readonly name: string
  readonly keys: readonly unknown[]
}[] = [
  { of: 'Item', name: 'owner', keys: ['gone', 'O', ''] },
  { of: 'Item', name: 'parent', keys: [5000, 0, -1] },
  {
    of: 'Owner',
    name: 'place',
    keys: ['DEAD0000000000000000000000000000', '00000000000000000000000000000000'],
  },
]

/** A world inside a transaction with some dangling relations. */
export function openWorld(random: Random): World {
  const { rows, fill } = settledWorld(random)
  const astray = new Map<Row, Row>()
  for (const { of, name, keys } of NOWHERE)
    for (const { row } of rows[of])
      if (random.chance(0.3)) astray.set(row, { ...astray.get(row), [name]: random.pick(keys) })
  const changed = (placed: readonly PlacedRow[]): readonly PlacedRow[] =>
    placed.map(({ position, row }) => ({ position, row: { ...row, ...astray.get(row) } }))
  return {
    rows: { Place: rows.Place, Owner: changed(rows.Owner), Item: changed(rows.Item) },
    fill,
    leadAstray(store) {
      for (const className of CLASS_NAMES)
        for (const { row } of rows[className]) {
          const values = astray.get(row)
          if (values !== undefined)
            store.dataClass(className).update(row[SHAPES[className].key] as string, values)
        }
    },
  }
}

/**
 * Small tables with few values. Some items reuse the slots of removed ones, and some get their
 * values by an update, so that indexes are changed and not only built.
 */
function settledWorld(random: Random): Omit<World, 'leadAstray'> {
  const places = UUIDS.slice(0, random.below(UUIDS.length + 1)).map((token) => ({
    ...valuesOf('Place', random, new Map()),
    token,
  }))
  const uniquePlaces = withoutDoubles('Place', random.shuffled(places))
  const owners = random
    .shuffled(OWNER_CODES)
    .slice(0, random.below(9))
    .map((code): Row => {
      const place =
        uniquePlaces.length === 0 || random.chance(0.3) ? null : random.pick(uniquePlaces).token
      return { ...valuesOf('Owner', random, new Map()), code, place }
    })
  return worldOf(random, uniquePlaces, owners, randomItems(random, owners))
}

const OWNER_CODES = [
  'a',
  'A',
  '\u00e9',
  'e\u0301',
  'ab',
  'a@b',
  "O'Neil",
  '1',
  '\u{1f600}',
  '%',
  '\uff5e',
  'B',
]
const MAX_ITEMS = 30

function randomItems(random: Random, owners: readonly Row[]): readonly Row[] {
  const size = random.chance(0.2) ? random.below(4) : random.below(MAX_ITEMS + 1)
  const keys = random
    .shuffled(Array.from({ length: MAX_ITEMS + 10 }, (_, i) => i + 1))
    .slice(0, size)
  const subsets = new Map<string, readonly unknown[]>()
  const items = keys.map((ID, i): Row => {
    const owner = owners.length === 0 || random.chance(0.25) ? null : random.pick(owners).code
    // Only earlier items, so that a later one can be inserted later.
    const parent = i === 0 || random.chance(0.3) ? null : keys[random.below(Math.min(i, 8))]
    const photo = random.chance(0.5) ? null : Uint8Array.of(1, 2, 3)
    return { ...valuesOf('Item', random, subsets), ID, owner, parent, hasOwnProperty: photo }
  })
  return withoutDoubles('Item', items)
}

/**
 * The values of all stored attributes except the key. `subsets` holds the few values that an
 * attribute has in this world.
 */
function valuesOf(
  className: ClassName,
  random: Random,
  subsets: Map<string, readonly unknown[]>,
): Row {
  const row: { [name: string]: unknown } = {}
  for (const attribute of SHAPES[className].attributes.values()) {
    if (attribute.kind === 'object') row[attribute.name] = randomJson(random)
    if (attribute.kind !== 'stored' || attribute.index === 'key') continue
    let few = subsets.get(attribute.name)
    if (few === undefined) {
      const pool = ROW_VALUES[attribute.type]
      few = random.chance(0.5) ? pool : random.shuffled(pool).slice(0, 2 + random.below(5))
      subsets.set(attribute.name, few)
    }
    row[attribute.name] = random.chance(0.2) ? null : random.pick(few)
  }
  return row
}

/** If a unique value would repeat, the later row has null. */
function withoutDoubles(className: ClassName, rows: readonly Row[]): readonly Row[] {
  const unique = [...SHAPES[className].attributes.values()].filter(
    (attribute): attribute is StoredAttribute =>
      attribute.kind === 'stored' && attribute.index === 'unique',
  )
  const seen = new Map(unique.map(({ name }) => [name, new Set<unknown>()]))
  return rows.map((row) => {
    const out = { ...row }
    for (const { name, type } of unique) {
      const key = keyOf(type, row[name])
      const known = seen.get(name)
      if (key !== null && known?.has(key) === true) out[name] = null
      known?.add(key)
    }
    return out
  })
}

/** Objects whose properties change their type from row to row and are sometimes missing. */
function randomJson(random: Random): unknown {
  if (random.chance(0.25)) return null
  const scalar = (): unknown => random.pick(JSON_SCALARS)
  const some = <T>(make: () => T): T[] => Array.from({ length: random.below(4) }, make)
  if (random.chance(0.15)) return some(scalar)
  const out: { [name: string]: unknown } = {}
  if (random.chance(0.8)) out.rank = random.chance(0.1) ? [] : scalar()
  if (random.chance(0.6)) out.flag = random.chance(0.7) ? random.chance(0.5) : scalar()
  if (random.chance(0.6)) out.inner = random.chance(0.7) ? { x: scalar() } : scalar()
  if (random.chance(0.7)) out.tags = random.chance(0.85) ? some(scalar) : scalar()
  if (random.chance(0.7)) {
    out.list = some(() => {
      if (random.chance(0.1)) return scalar()
      const element: { [name: string]: unknown } = { k: scalar() }
      if (random.chance(0.8)) element.v = scalar()
      if (random.chance(0.6)) element.sub = some(() => ({ z: scalar() }))
      return element
    })
  }
  return out
}

function worldOf(
  random: Random,
  places: readonly Row[],
  owners: readonly Row[],
  items: readonly Row[],
): Omit<World, 'leadAstray'> {
  const atOnce = items.slice(0, random.chance(0.5) ? items.length : random.below(items.length + 1))
  const later = items.slice(atOnce.length)
  const ghosts = Array.from(
    { length: random.chance(0.5) ? 0 : random.below(4) },
    (_, i): Row => ({ ID: 1000 + i }),
  )
  const loaded = random.shuffled([...atOnce, ...ghosts])
  const isGhost = new Set(ghosts)
  const isPatched = new Set(atOnce.filter(() => random.chance(0.2)))
  const free = loaded.flatMap((row, position) => (isGhost.has(row) ? [position] : []))
  const placed = loaded.flatMap((row, position) => (isGhost.has(row) ? [] : [{ position, row }]))
  // Numbers of removed entities are reused, lowest first, before new ones.
  later.forEach((row, i) => {
    placed.push({ position: i < free.length ? free[i] : loaded.length + i - free.length, row })
  })
  const inOrder = (rows: readonly Row[]): readonly PlacedRow[] =>
    rows.map((row, position) => ({ position, row }))
  return {
    rows: { Place: inOrder(places), Owner: inOrder(owners), Item: placed },
    fill(store) {
      store.dataClass('Place').load(places)
      store.dataClass('Owner').load(owners)
      const table = store.dataClass('Item')
      table.load(loaded.map((row) => (isPatched.has(row) ? { ID: row.ID } : row)))
      for (const { ID } of ghosts) table.remove(ID as number)
      for (const row of later) table.insert(row)
      for (const row of isPatched) table.update(row.ID as number, withoutKey(row))
    },
  }
}

function withoutKey(row: Row): Row {
  const { ID: _, ...rest } = row
  return rest
}

/** The rows of a world as text, with the mentioned attributes, for the report of a difference. */
export function describeWorld({ rows }: World, named: string): string {
  return CLASS_NAMES.map((className) => {
    const lines = rows[className].map(({ position, row }) => {
      const shown = Object.entries(row).filter(
        ([name]) => named.includes(`"${name}"`) || name === SHAPES[className].key,
      )
      return `  ${position}: ${JSON.stringify(Object.fromEntries(shown))}`
    })
    return [`${className}:`, ...lines].join('\n')
  }).join('\n')
}
