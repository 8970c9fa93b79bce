import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import {
  both,
  closeDraft,
  combineDrafts,
  EVERYTHING,
  either,
  NOTHING,
  negation,
} from '../../src/filter/context.ts'
import type { Predicate } from '../../src/filter/predicate.ts'
import { thing } from './kinds-catalog.ts'
import { used } from './used.ts'

const asks = (name: string): Predicate => prepareFilter(name, thing).bind().predicate
const flag = asks('flag')
const old = asks('isOld')

/** The result of a predicate over those two, for each combination of truth values. */
function holds(predicate: Predicate, values: ReadonlyMap<Predicate, boolean>): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value
    case 'and':
      return predicate.parts.every((part) => holds(part, values))
    case 'or':
      return predicate.parts.some((part) => holds(part, values))
    case 'not':
      return !holds(predicate.part, values)
    default:
      return values.get(predicate) === true
  }
}
const MOMENTS = [true, false].flatMap((a) =>
  [true, false].map(
    (b) =>
      new Map<Predicate, boolean>([
        [flag, a],
        [old, b],
      ]),
  ),
)

/**
 * A join has several parts, none of them a constant or a join of the same kind; a negation contains
 * neither.
 */
function isSimple(predicate: Predicate): boolean {
  if (predicate.kind === 'not')
    return (
      predicate.part.kind !== 'not' &&
      predicate.part.kind !== 'constant' &&
      isSimple(predicate.part)
    )
  if (predicate.kind !== 'and' && predicate.kind !== 'or') return true
  const isFlat = predicate.parts.every(({ kind }) => kind !== predicate.kind && kind !== 'constant')
  return isFlat && predicate.parts.length > 1 && predicate.parts.every(isSimple)
}

const PARTS: readonly Predicate[] = [
  EVERYTHING,
  NOTHING,
  flag,
  old,
  negation(flag),
  both([flag, old]),
  either([flag, old]),
  negation(both([flag, old])),
]
const LISTS: readonly (readonly Predicate[])[] = [
  [],
  ...PARTS.map((part) => [part]),
  ...PARTS.flatMap((a) => PARTS.map((b) => [a, b])),
  ...PARTS.flatMap((a) => PARTS.flatMap((b) => PARTS.map((c) => [a, b, c]))),
]

describe('combined predicates', () => {
  test('mean all, any or none of their parts, in the simplest form', () => {
    const wrong: unknown[] = []
    for (const parts of LISTS) {
      const [all, any] = [both(parts), either(parts)]
      if (!isSimple(all) || !isSimple(any)) wrong.push(parts)
      for (const moment of MOMENTS) {
        if (holds(all, moment) !== parts.every((part) => holds(part, moment)))
          wrong.push(['both', parts])
        if (holds(any, moment) !== parts.some((part) => holds(part, moment)))
          wrong.push(['either', parts])
      }
    }
    for (const part of PARTS) {
      if (!isSimple(negation(part))) wrong.push(part)
      for (const moment of MOMENTS)
        if (holds(negation(part), moment) === holds(part, moment)) wrong.push(['not', part])
    }
    expect(wrong).toEqual([])
  })

  test('keep the order of their parts, and a single part as it is', () => {
    expect(both([flag, both([old, flag]), either([flag, old])])).toEqual({
      kind: 'and',
      parts: [flag, old, flag, { kind: 'or', parts: [flag, old] }],
    })
    expect(both([EVERYTHING, flag])).toBe(flag)
    expect(either([flag, NOTHING])).toBe(flag)
    expect(negation(negation(flag))).toBe(flag)
  })

  test('wait for values only if a part does', () => {
    const made = combineDrafts([flag, old], both)
    expect(made).toEqual(both([flag, old]))
    let times = 0
    const bind = () => {
      times++
      return old
    }
    const open = combineDrafts([flag, { kind: 'open', bind }], both)
    expect([open.kind, times]).toEqual(['open', 0])
    expect(closeDraft(open, [])).toEqual(both([flag, old]))
    expect(closeDraft(open, [])).toEqual(both([flag, old]))
    expect(times).toBe(2)
    expect(closeDraft(flag, [])).toBe(flag)
  })
})

describe('a prepared filter', () => {
  test.each([
    ['', []],
    ['flag', []],
    ['count = 1', []],
    ['flag order by count', []],
    ["word = ':x'", []],
    ['count = :a', ['a']],
    ['not count = :a and flag', ['a']],
    ['flag and count = :b', ['b']],
    ['count = :1 or isOld', ['1']],
    ['count in [:x, 2, :y, :x]', ['x', 'y']],
    ['flag except count in :z', ['z']],
    ['count = :2 except count = :1', ['2', '1']],
    ['notes.a = :v', ['v']],
    ['notes.l[a].x = :v and notes.l[a].y = :w', ['v', 'w']],
    ['owner.count = :v', ['v']],
    ['owner = :o', ['o']],
  ] as const)('of "%s" is made once, but for what waits for a value', (text, placeholders) => {
    const prepared = prepareFilter(text, thing)
    expect(prepared.placeholders).toEqual(placeholders)
    expect(prepared.draft).not.toBeNull()
    expect(prepared.draft?.kind === 'open').toBe(placeholders.length > 0)
    expect([prepared.text, prepared.dataClass]).toEqual([text, thing])
    if (placeholders.length === 0) {
      expect(prepared.bind()).toBe(prepared.bind())
      expect(Object.isFrozen(prepared.bind())).toBe(true)
      expect(prepared.draft).toBe(prepared.bind().predicate)
    } else {
      const values = Object.fromEntries(
        placeholders.map((name) => [name, text.includes(`in :`) ? [1] : 1]),
      )
      const list = [1, 1]
      const {
        predicate,
        dataClass,
        text: bound,
      } = prepared.bind(used(text, /\d/.test(placeholders[0]) ? list : values))
      expect(predicate.kind).not.toBe('open')
      expect([dataClass, bound]).toEqual([thing, text])
    }
  })

  test.each([
    [':1 = true', ['1']],
    [':1', ['1']],
    ['flag and :1 = :2', ['1', '2']],
    [':1 = true or flag', ['1']],
    ['flag or (not :1 or isOld)', ['1']],
    [':1 except flag', ['1']],
    ['flag except :1', ['1']],
    [':1 = true and count = 1', ['1']],
    ['notes.a = :2 and (:1 = true or flag)', ['2', '1']],
    ['not :1 in [:2]', ['1', '2']],
  ])('of %s is bound again for each given attribute', (text, placeholders) => {
    const prepared = prepareFilter(text, thing)
    expect([prepared.draft, prepared.placeholders]).toEqual([null, placeholders])
    const named = (values: readonly unknown[]) =>
      JSON.stringify(prepared.bind(used(text, values)).predicate, (key, value: unknown) =>
        key === 'owner' || key === 'target' ? undefined : value,
      )
    expect(named(['flag', true])).toContain('"name":"flag"')
    const bound = prepared.bind(used(text, ['isOld', true]))
    expect([bound.text, bound.dataClass, bound.orderBy]).toEqual([text, thing, null])
    expect(
      JSON.stringify(bound.predicate, (key, value: unknown) =>
        key === 'owner' ? undefined : value,
      ),
    ).toContain('isOld')
  })

  test('has the order of its text, however it is bound', () => {
    for (const text of [
      'order by count',
      'flag order by count',
      'count = :1 order by count',
      ':1 = true order by count',
    ]) {
      const prepared = prepareFilter(text, thing)
      const order = [{ steps: [], attribute: { name: 'count' }, properties: [], descending: false }]
      expect(prepared.orderBy).toMatchObject(order)
      const values = used(text, text.startsWith(':') ? ['isOld'] : [5])
      expect(prepared.bind(values).orderBy).toMatchObject(order)
    }
  })
})
