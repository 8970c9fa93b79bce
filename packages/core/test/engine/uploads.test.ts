import { expect, test } from 'vitest'
import { createMedia } from '../../src/index.ts'
import { codeOf, serverStateStore } from './server-state-store.ts'

const media = (size: number) => createMedia('image/png', new Uint8Array(size))

test('an upload is found under its id until it expires; reading does not renew it', () => {
  const { store, clock } = serverStateStore()
  const id = store.uploads.put(media(3))
  const long = store.uploads.put(media(4), { lifetimeSeconds: 200 })
  expect(id).toMatch(/^[0-9A-F]{32}$/)
  clock.advance(119_999)
  expect(store.uploads.get(id.toLowerCase())?.size).toBe(3)
  expect(store.uploads.get(id)?.bytes()).toEqual(new Uint8Array(3))
  clock.advance(1)
  expect(store.uploads.get(id)).toBeUndefined()
  expect(store.uploads.get(long)?.size).toBe(4)
  expect([store.uploads.release(long), store.uploads.release(long), store.uploads.size]).toEqual([
    true,
    false,
    0,
  ])
})

test('uploads are limited in number and in bytes: the oldest are dropped', () => {
  const { store } = serverStateStore({ uploads: { max: 3, maxBytes: 10 } })
  const put = (size: number) => store.uploads.put(media(size))
  const [a, b, c] = [put(0), put(1), put(1)]
  store.uploads.get(a)
  const d = put(1)
  expect([a, b, c, d].map((id) => store.uploads.get(id) !== undefined)).toEqual([
    false,
    true,
    true,
    true,
  ])
  const e = put(9)
  expect([b, c, d, e].map((id) => store.uploads.get(id) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(codeOf(() => put(11))).toBe('budgetExceeded')
  expect(store.uploads.size).toBe(2)
})

test('a value that is not media, and a lifetime of 0, are refused', () => {
  const { store } = serverStateStore()
  for (const value of [
    null,
    'x',
    new Uint8Array(3),
    { mediaType: 'image/png', size: 3, bytes: () => new Uint8Array(3) },
  ])
    expect(codeOf(() => store.uploads.put(value as never))).toBe('argumentInvalid')
  expect(codeOf(() => store.uploads.put(media(1), { lifetimeSeconds: 0 }))).toBe('argumentInvalid')
  expect(
    codeOf(() => store.uploads.put(createMedia('image/png', new Uint8Array(1)), {}).length),
  ).toBe(32)
})
