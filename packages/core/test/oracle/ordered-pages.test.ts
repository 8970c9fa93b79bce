import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { fraction } from '../fraction.ts'
import { patience, runs } from '../runs.ts'

interface PlainTown {
  readonly ID: number
  name: string | null
  size: number | null
}
interface PlainWorker {
  readonly ID: number
  /** Few words. */
  name: string | null
  /** Nearly unique texts, many with a common prefix. */
  email: string | null
  salary: number | null
  share: number | null
  active: boolean | null
  townID: number | null
  zoneCode: string | null
}

const Zone = defineDataClass('Zone', {
  code: attribute.string({ key: true }),
  name: attribute.string(),
})
const Town = defineDataClass('Town', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  size: attribute.number(),
  workers: attribute.relatedEntities('Worker', 'town'),
  label: attribute.computed('string', {
    get: ({ name, size }) => (name === null ? null : `${name} ${size ?? ''}`),
  }),
})
const Worker = defineDataClass('Worker', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  email: attribute.string({ unique: true }),
  salary: attribute.number({ indexed: true }),
  share: attribute.number(),
  active: attribute.bool(),
  townID: attribute.long(),
  town: attribute.relatedEntity('Town', { foreignKey: 'townID' }),
  zoneCode: attribute.string(),
  zone: attribute.relatedEntity('Zone', { foreignKey: 'zoneCode' }),
  title: attribute.computed('string', {
    get: ({ name, email }) => (name === null ? null : `${name} of ${email}`),
  }),
  half: attribute.computed('number', {
    get: ({ salary }) => (salary === null ? null : salary / 2),
  }),
})

type Scalar = string | number | boolean | null
const TERMS: Readonly<
  Record<string, (worker: PlainWorker, towns: ReadonlyMap<number, PlainTown>) => Scalar>
> = {
  ID: ({ ID }) => ID,
  name: ({ name }) => name,
  email: ({ email }) => email,
  salary: ({ salary }) => salary,
  share: ({ share }) => share,
  active: ({ active }) => active,
  title: ({ name, email }) => (name === null ? null : `${name} of ${email}`),
  half: ({ salary }) => (salary === null ? null : salary / 2),
  'town.name': (worker, towns) => townOf(worker, towns)?.name ?? null,
  'town.size': (worker, towns) => townOf(worker, towns)?.size ?? null,
  'zone.name': ({ zoneCode }) => (zoneCode === null ? null : (ZONES.get(zoneCode) ?? null)),
  'town.label': (worker, towns) => {
    const town = townOf(worker, towns)
    return town === null || town.name === null ? null : `${town.name} ${town.size ?? ''}`
  },
}
/** Names by code; two zones share theirs, one has none. */
const ZONES = new Map(
  Array.from({ length: 12 }, (_, i) => [`z${i}`, i === 5 ? null : `Zone ${(i * 7) % 11}`]),
)
const townOf = (
  { townID }: PlainWorker,
  towns: ReadonlyMap<number, PlainTown>,
): PlainTown | null => (townID === null ? null : (towns.get(townID) ?? null))

const keyOf = (value: Scalar): Scalar => (typeof value === 'string' ? value.toLowerCase() : value)
function compare(a: Scalar, b: Scalar): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}

const names = fc.constantFrom<string | null>(null, 'Ann', 'ann', 'ben', 'BEN', 'cho', 'dee', 'Éva')
const shares = fc.oneof(
  fc.constantFrom<number | null>(null, 0, -1, 0.5, 1e300, -1e300, 1e-300, 7),
  fc.integer({ min: 0, max: 40 }),
)
const orders = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(TERMS)), fc.boolean()), {
    minLength: 1,
    maxLength: 3,
    selector: ([name]) => name,
  })
  .map((terms) => terms.map(([name, isDown]) => ({ name, isDown })))
/** Sizes around which another sort algorithm is used, and the seed of the rows. */
const staff = fc.record({
  count: fc.oneof(
    fc.nat(40),
    fc.integer({ min: 200, max: 700 }),
    fc.integer({ min: 4000, max: 9000 }),
  ),
  seed: fc.nat(1000),
  towns: fc.constantFrom(1, 5, 300),
})

const accents: Readonly<Record<string, string>> = { éva: 'eva' }
const plainKey = (value: Scalar): Scalar => {
  const key = keyOf(value)
  return typeof key === 'string' ? (accents[key] ?? key.replaceAll('é', 'e')) : key
}

function sorted(
  workers: Iterable<PlainWorker>,
  towns: ReadonlyMap<number, PlainTown>,
  order: readonly { readonly name: string; readonly isDown: boolean }[],
): number[] {
  const keyed = Array.from(workers, (worker) => ({
    ID: worker.ID,
    keys: order.map(({ name }) => plainKey(TERMS[name](worker, towns))),
  }))
  // Records are in the order of their IDs, and `toSorted` is stable.
  return keyed
    .toSorted((a, b) => {
      for (let i = 0; i < order.length; i++) {
        const result = compare(a.keys[i], b.keys[i])
        if (result !== 0) return order[i].isDown ? -result : result
      }
      return 0
    })
    .map(({ ID }) => ID)
}

function office({
  count,
  seed,
  towns,
}: {
  readonly count: number
  readonly seed: number
  readonly towns: number
}) {
  const pool = fc.sample(
    fc.record({ name: names, share: shares, active: fc.option(fc.boolean()) }),
    {
      seed,
      numRuns: 64,
    },
  )
  const plainTowns = Array.from(
    { length: towns },
    (_, i): PlainTown => ({
      ID: i + 1,
      name: i % 7 === 3 ? null : `Town ${(i * 31) % (towns > 5 ? 150 : 3)}`,
      size: i % 5 === 2 ? null : (i * 17) % 11,
    }),
  )
  const workers = Array.from({ length: count }, (_, i): PlainWorker => {
    const at = (i * 7919 + seed) % 100_003
    return {
      ID: i + 1,
      ...(pool[at % 64] as Pick<PlainWorker, 'name' | 'share' | 'active'>),
      email:
        at % 97 === 0 ? null : `${at % 3 === 0 ? 'somebody.with.a.long.name' : 'B'}${at}@x.org`,
      salary: at % 13 === 0 ? null : at % 50,
      townID: at % 11 === 0 ? null : 1 + (at % towns),
      zoneCode: at % 17 === 0 ? null : `z${at % 12}`,
    }
  })
  let milliseconds = 0
  const store = createDataStore({
    name: 'office',
    dataClasses: [Zone, Town, Worker],
    reading: { turnMilliseconds: 1, maxMilliseconds: 1e9, maxRowVisits: 1e9 },
    // Ends a time slice after each block.
    clock: { now: () => 1_700_000_000_000, monotonic: () => ++milliseconds },
  })
  store.Zone.load(Array.from(ZONES, ([code, name]) => ({ code, name })))
  store.Town.load(plainTowns)
  store.Worker.load(workers)
  return {
    store,
    towns: new Map(plainTowns.map((t) => [t.ID, t])),
    workers: new Map(workers.map((w) => [w.ID, w])),
  }
}

const pages = fc.array(
  fc.record({
    at: fraction,
    top: fc.integer({ min: 1, max: 150 }),
    isFromEnd: fc.boolean(),
    isSliced: fc.boolean(),
  }),
  {
    minLength: 1,
    maxLength: 4,
  },
)
const writes = fc.array(
  fc.record({
    kind: fc.constantFrom('worker' as const, 'town' as const, 'zone' as const, 'remove' as const),
    at: fc.nat(10_000),
    name: names,
    salary: fc.nat(60),
  }),
  { maxLength: 6 },
)

function readInSlices(store: ReturnType<typeof office>['store'], read: () => unknown): unknown {
  const reading = store.reading(read)
  while (!reading.advance());
  return reading.value
}

const textOf = (order: readonly { readonly name: string; readonly isDown: boolean }[]): string =>
  order.map(({ name, isDown }) => `${name}${isDown ? ' desc' : ''}`).join(', ')

test(
  'every page of every order equals that of a full sort, also after later writes',
  patience,
  () => {
    fc.assert(
      fc.property(
        staff,
        orders,
        pages,
        pages,
        writes,
        fc.boolean(),
        (size, order, first, later, changes, isFiltered) => {
          const { store, towns, workers } = office(size)
          const members = isFiltered
            ? [...workers.values()].filter(({ salary }) => salary !== null && salary < 9)
            : workers.values()
          const selection = isFiltered ? store.Worker.query('salary < 9') : store.Worker.all()
          const ordered = selection.orderBy(textOf(order))
          const expected = sorted(members, towns, order)
          const mustHold = (asked: typeof first, isLiving: (ID: number) => boolean) => {
            for (const { at, top, isFromEnd, isSliced } of asked) {
              const distance = Math.floor(at * at * expected.length)
              const skip = isFromEnd ? Math.max(0, expected.length - distance - top) : distance
              const read = () => ordered.page(skip, top).keys()
              expect(isSliced ? readInSlices(store, read) : read()).toEqual(
                expected.slice(skip, skip + top).filter(isLiving),
              )
            }
          }
          mustHold(first, () => true)
          const gone = new Set<number>()
          for (const { kind, at, name, salary } of changes) {
            const ID = 1 + (at % Math.max(1, size.count))
            if (kind === 'town') store.Town.update(1 + (at % size.towns), { name, size: salary })
            else if (kind === 'zone') store.Zone.update(`z${at % 12}`, { name })
            else if (gone.has(ID) || size.count === 0) continue
            else if (kind === 'worker')
              store.Worker.update(ID, {
                name,
                salary,
                share: salary,
                townID: null,
                zoneCode: `z${at % 12}`,
                email: `new ${at}`,
              })
            else {
              store.Worker.remove(ID)
              gone.add(ID)
            }
          }
          mustHold(later, (ID) => !gone.has(ID))
          mustHold(first, (ID) => !gone.has(ID))
          expect(ordered.keys()).toEqual(expected.filter((ID) => !gone.has(ID)))
          mustHold(later, (ID) => !gone.has(ID))
        },
      ),
      runs(120),
    )
  },
)
