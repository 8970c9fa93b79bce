/**
 * The rows of the tests of selections, and the oracle: queries as loops over arrays, with the rules
 * of values.
 */
export type Good = {
  readonly ID: number
  readonly name: string | null
  readonly label: string | null
  readonly serial: string | null
  readonly price: number | null
  readonly weight: number | null
  readonly stock: number | null
  readonly size: number | null
  readonly total: number | null
  readonly span: number | null
  readonly isOpen: boolean | null
  readonly day: string | null
  readonly seen: string | null
  readonly notes: { readonly grade?: unknown; readonly box?: { readonly side?: unknown } } | null
  readonly maker: string | null
  readonly part: number | null
}
export type Maker = {
  readonly code: string
  readonly name: string | null
  readonly land: string | null
  readonly founded: string | null
}

export const MAKERS: readonly Maker[] = [
  { code: 'm1', name: 'Zeta', land: 'Peru', founded: '1950-05-05' },
  { code: 'm2', name: 'alpha', land: 'peru', founded: null },
  { code: 'm3', name: 'Élan', land: null, founded: '2001-01-01' },
  { code: 'm4', name: null, land: 'Chad', founded: '1899-12-31' },
]

const LABELS = ['red', 'Red', 'blue', 'rosé', 'Rose', 'green', 'RED', 'blue']
const DAY = 86_400_000

/** Numbers that look random and are the same in each run. */
const mixed = (at: number, turn: number, below: number): number =>
  ((at + 1) * turn + at * at * 7) % below
const unless = <T>(isNull: boolean, value: T): T | null => (isNull ? null : value)

/**
 * Rows with every type of value, each column with nulls at different places. Keys begin at 1 and
 * are in record order.
 */
export function plainGoods(count: number): Good[] {
  return Array.from({ length: count }, (_, at) => ({
    ID: at + 1,
    name: unless(at % 7 === 3, `${'dbca'[at % 4]}${mixed(at, 3, 11)}`),
    label: unless(at % 9 === 4, LABELS[mixed(at, 5, LABELS.length)]),
    serial: unless(at % 5 === 4, `S${mixed(at, 1, 3)}-${at}`),
    price: unless(at % 8 === 5, mixed(at, 13, 97) / 4),
    weight: unless(at % 11 === 6, mixed(at, 17, 41) / 2),
    stock: unless(at % 10 === 7, mixed(at, 11, 19) - 9),
    size: unless(at % 6 === 2, mixed(at, 19, 23) - 5),
    total: unless(at % 12 === 1, mixed(at, 29, 1000) * 1_000_003),
    span: unless(at % 13 === 2, mixed(at, 31, 90) * 60_000),
    isOpen: unless(at % 5 === 1, mixed(at, 3, 5) < 2),
    day: unless(at % 7 === 6, new Date((mixed(at, 37, 30) - 4) * DAY).toISOString().slice(0, 10)),
    seen: unless(at % 9 === 8, new Date(mixed(at, 41, 40) * 9_999_999).toISOString()),
    notes: unless(at % 4 === 3, {
      grade: mixed(at, 5, 6),
      box: { side: `side ${mixed(at, 2, 3)}` },
    }),
    maker: unless(at % 6 === 5, `m${1 + mixed(at, 7, MAKERS.length)}`),
    part: at % 4 === 0 ? null : Math.max(1, at - mixed(at, 3, 9)),
  }))
}

export interface PlainShop {
  readonly makers: readonly Maker[]
  readonly goods: readonly Good[]
}

/** The shop without some goods; relations to them are empty. */
export function without({ makers, goods }: PlainShop, removed: readonly number[]): PlainShop {
  const left = goods.filter(({ ID }) => !removed.includes(ID))
  return {
    makers,
    goods: left.map((good) =>
      good.part !== null && removed.includes(good.part) ? { ...good, part: null } : good,
    ),
  }
}

/**
 * Every value at a path, as users see it: several behind to-many relations, null if there is none.
 */
export function valuesAt(shop: PlainShop, good: Good, path: string): readonly unknown[] {
  const [head, ...behind] = path.split('.')
  const rest = behind.join('.')
  switch (head) {
    case 'maker': {
      const maker = shop.makers.find(({ code }) => code === good.maker)
      return [maker === undefined ? null : maker[rest as keyof Maker]]
    }
    case 'makerName':
      return valuesAt(shop, good, 'maker.name')
    case 'part':
    case 'partSize': {
      const part = shop.goods.find(({ ID }) => ID === good.part)
      return part === undefined ? [null] : valuesAt(shop, part, head === 'part' ? rest : 'size')
    }
    case 'users':
      return shop.goods
        .filter(({ part }) => part === good.ID)
        .flatMap((user) => valuesAt(shop, user, rest))
    case 'upper':
      return [good.name?.toUpperCase() ?? null]
    case 'half':
      return [good.size === null ? null : good.size / 2]
    default: {
      let value: unknown = good[head as keyof Good]
      for (const name of behind)
        value = (value as { readonly [name: string]: unknown } | null | undefined)?.[name]
      return [value ?? null]
    }
  }
}

/** The comparison key of a value: text folded, false below true. */
function keyOf(value: unknown): string | number | null {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  return value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function compared(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return a < b ? -1 : a > b ? 1 : 0
}

/** Rows ordered by one or more paths: null lowest, equal rows in their original order. */
export function inOrder(shop: PlainShop, rows: readonly Good[], order: string): Good[] {
  const terms = order.split(',').map((term) => term.trim().split(' '))
  const keyAt = (good: Good, path: string) => keyOf(valuesAt(shop, good, path)[0])
  return [...rows].sort((a, b) => {
    for (const [path, direction] of terms) {
      const difference = compared(keyAt(a, path), keyAt(b, path))
      if (difference !== 0) return direction === 'desc' ? -difference : difference
    }
    return a.ID - b.ID
  })
}

/** The values of a path, ascending, each comparison key once, in its first spelling. */
export function distinctAt(shop: PlainShop, rows: readonly Good[], path: string): unknown[] {
  const found = new Map<string | number, unknown>()
  for (const value of rows.flatMap((row) => valuesAt(shop, row, path))) {
    const key = keyOf(value)
    if (key !== null && !found.has(key)) found.set(key, value)
  }
  return [...found].sort(([a], [b]) => compared(a, b)).map(([, value]) => value)
}

export const NUMERIC: readonly string[] = [
  'ID',
  'price',
  'weight',
  'stock',
  'size',
  'total',
  'span',
  'half',
  'partSize',
  'part.weight',
]

/** Aggregates of one attribute. The sum is exact if all values are multiples of 1/4. */
export function aggregatesAt(shop: PlainShop, rows: readonly Good[], path: string) {
  return aggregatesOf(
    path,
    rows.flatMap((row) => valuesAt(shop, row, path)),
  )
}

export function aggregatesOf(path: string, given: readonly unknown[]) {
  const values = given.filter((value) => keyOf(value) !== null)
  const isNumber =
    NUMERIC.includes(path) ||
    (path.includes('notes.') && values.every((one) => typeof one === 'number'))
  const sum = isNumber
    ? Number(values.reduce<bigint>((total, value) => total + BigInt((value as number) * 4), 0n)) / 4
    : null
  const best = (sign: number): unknown =>
    values.reduce<unknown>(
      (kept, value) =>
        kept === null || sign * compared(keyOf(value), keyOf(kept)) > 0 ? value : kept,
      null,
    )
  const average = sum === null || values.length === 0 ? null : sum / values.length
  return { count: values.length, sum, average, min: best(-1), max: best(1) }
}
