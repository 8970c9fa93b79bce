// @vitest-environment happy-dom
import { keyOf, stampOf } from '@entia/client'
import { act, cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { dehydrate, hydrate, preload } from '../src/preload.ts'
import { resultOf } from '../src/results.ts'
import { useLive } from '../src/use-live.ts'
import { openServer } from './server.ts'

afterEach(cleanup)

test('a page with the results of the server hydrates without a request, then follows them', async () => {
  const { db: sender, store } = openServer()
  await preload(sender.Employee.all().orderBy('lastName'))
  const sent = JSON.parse(JSON.stringify(dehydrate(sender)))

  const browser = openServer({ live: true }, store)
  // The page may be older than the store.
  store.Employee.update(2, { lastName: 'Adams' })
  hydrate(browser.db, sent)
  const seen: unknown[][] = []
  function List() {
    const list = useLive(browser.db.Employee.all().orderBy('lastName'))
    seen.push([...list])
    return list.map(({ lastName }) => lastName).join(' ')
  }
  const container = document.body.appendChild(document.createElement('main'))
  container.innerHTML = 'Ada Ng Zola'
  const problems: unknown[] = []
  render(<List />, { container, hydrate: true, onRecoverableError: (e) => problems.push(e) })
  expect([container.textContent, problems]).toEqual(['Ada Ng Zola', []])
  await expect.poll(() => container.textContent).toBe('Adams Ng Zola')
  expect(seen.at(-1)?.[1]).toBe(seen[0]?.[1])
  expect(browser.streams()).toEqual({ open: 1, opened: 1 })
  await act(async () => cleanup())
  expect(browser.streams().open).toBe(0)
})

test('a hydrated entity is the loaded one in every member and function', async () => {
  let total = 0
  const { db: sender, store } = openServer()
  const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])
  store.Seal.update('a', { picture, about: { uri: '/x', media: [{ path: ['a'] }], nothing: null } })
  store.Part.insert({ ID: 7, seal: 'a', content: new Uint8Array([1, 2]) })
  store.Part.insert({ ID: 8, seal: 'a' })
  const select = (db: typeof sender) => [
    db.Seal.all().orderBy('code'),
    db.Seal.all().select('key, picture, about, parts.ID, parts.content'),
    db.Part.all().select('ID, content, seal.picture, seal.key, seal.stamp'),
    db.Employee.all().select('lastName, employer.name'),
  ]
  await preload(...select(sender))
  const sent = dehydrate(sender)
  const browser = openServer({ live: true }, store)
  hydrate(browser.db, JSON.parse(JSON.stringify(sent)))
  await preload(...select(browser.db))
  // Nothing was requested.
  expect(browser.requests).toEqual([])
  expect(JSON.stringify(dehydrate(browser.db))).toBe(JSON.stringify(sent))
  for (const [i, selection] of select(sender).entries()) {
    const loaded = resultOf(selection, null).snapshot() as object[]
    const hydrated = resultOf(select(browser.db)[i]!, null).snapshot() as object[]
    expect(hydrated).toEqual(loaded)
    for (const [at, entity] of hydrated.entries()) {
      expect([keyOf(entity), stampOf(entity)]).toEqual([keyOf(loaded[at]!), stampOf(loaded[at]!)])
      const [own, others] = await Promise.all([bytesIn(entity), bytesIn(loaded[at]!)])
      expect(own).toEqual(others)
      total += own.length
    }
  }
  expect(total).toBe(6)
  const [seal] = resultOf(select(browser.db)[0]!, null).snapshot() as { key: string }[]
  expect(await browser.db.Seal.update(seal as never, { key: 'new' })).toMatchObject({
    kind: 'saved',
  })
})

/** The bytes of all images and BLOBs of an entity, in order. */
async function bytesIn(value: unknown): Promise<Uint8Array[]> {
  if (typeof value !== 'object' || value === null) return []
  if ('bytes' in value) return [await (value as { bytes(): Promise<Uint8Array> }).bytes()]
  const all = await Promise.all(Object.values(value).map(bytesIn))
  return all.flat()
}

test('hydrate refuses what dehydrate did not return', () => {
  const { db } = openServer()
  expect(() => hydrate(db, { 'Employee 0 9': [7] as never })).toThrow(
    'The results of "Employee 0 9" are not a list of keys and entities.',
  )
})
