import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sameValue } from '../../src/value/compare.ts'
import {
  createMedia,
  type Json,
  type Media,
  type StoredValue,
  sameMedia,
} from '../../src/value/types.ts'

const media = (type: string, ...bytes: number[]): Media => createMedia(type, new Uint8Array(bytes))

/** Distinct values. Each call creates new objects. */
const DIFFERENT: readonly (() => StoredValue)[] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => 1,
  () => '',
  () => '0',
  () => 'a',
  () => [],
  () => ({}),
  () => [null],
  () => [1],
  () => [1, 2],
  () => [2, 1],
  () => [1, 2, 3],
  () => ['a'],
  () => [[]],
  () => [{}],
  () => ({ 0: 1 }),
  () => ({ 0: 'a' }),
  () => ({ 0: 1, 1: 2 }),
  () => ({ length: 0 }),
  () => ({ a: null }),
  () => ({ a: 1 }),
  () => ({ a: 2 }),
  () => ({ b: 1 }),
  () => ({ a: 1, b: 2 }),
  () => ({ a: 2, b: 1 }),
  () => ({ a: 1, c: 2 }),
  () => ({ a: [] }),
  () => ({ a: {} }),
  () => ({ a: [1, { b: [] }] }),
  () => ({ a: [1, { b: [1] }] }),
  () => ({ mediaType: 'text/plain', size: 0 }),
  () => ({ mediaType: 'text/plain', size: 2 }),
  () => media('text/plain'),
  () => media('text/plain', 1),
  () => media('text/plain', 1, 0),
  () => media('text/plain', 1, 2),
  () => media('text/plain', 2, 2),
  () => media('text/html', 1, 2),
]

/** The same by plain recursion over JSON, one kind after another. */
function isSameJson(a: Json, b: Json): boolean {
  if (a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  const [left, right] = [
    new Map<string, Json>(Object.entries(a)),
    new Map<string, Json>(Object.entries(b)),
  ]
  for (const name of [...left.keys(), ...right.keys()]) {
    const [one, other] = [left.get(name), right.get(name)]
    if (one === undefined || other === undefined || !isSameJson(one, other)) return false
  }
  return true
}

describe('values', () => {
  test('are the same exactly as values of the same content, in both directions', () => {
    DIFFERENT.forEach((left, i) => {
      DIFFERENT.forEach((right, j) => {
        const [a, b] = [left(), right()]
        expect(sameValue(a, b), `${JSON.stringify(a)} and ${JSON.stringify(b)}`).toBe(i === j)
      })
    })
  })

  test('compare inside lists and objects as they do alone', () => {
    const json = DIFFERENT.map((make) => make()).filter(
      (value) => !(value instanceof Object && 'bytes' in value),
    )
    for (const a of json as readonly Json[])
      for (const b of json as readonly Json[]) {
        const isSame = isSameJson(a, b)
        expect(sameValue([0, a], [0, b])).toBe(isSame)
        expect(sameValue({ of: a }, { of: structuredClone(b) })).toBe(isSame)
      }
  })

  test('are the same in any order of properties', () => {
    expect(sameValue({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(true)
    expect(sameValue({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 2, c: 3 }, a: 1 })).toBe(false)
  })

  test('are the same exactly if plain recursion finds no difference', () => {
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Json>(null, 0, 1, 'a', false),
        fc.array(tie('json'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('json'), { maxKeys: 2 }),
      ),
    }))
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(sameValue(a, b)).toBe(isSameJson(a, b))
        expect(sameValue(a, structuredClone(a))).toBe(true)
      }),
    )
  })
})

test('media are not the same if one is a prefix of the other', () => {
  expect(sameMedia(media('text/plain', 1), media('text/plain', 1, 2))).toBe(false)
  expect(sameMedia(media('text/plain', 1, 2), media('text/plain', 1))).toBe(false)
  expect(sameMedia(media('text/plain'), media('text/plain'))).toBe(true)
})
