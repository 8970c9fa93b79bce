// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { dehydrate, hydrate, preload } from '../src/preload.ts'
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

test('hydrate refuses what dehydrate did not return', () => {
  const { db } = openServer()
  expect(() => hydrate(db, { 'Employee 0 9': [7] as never })).toThrow(
    'The results of "Employee 0 9" are not a list of keys and entities.',
  )
})
