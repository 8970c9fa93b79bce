// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react'
import { StrictMode, Suspense, startTransition, useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { useConnected } from '../src/use-connected.ts'
import { useLive } from '../src/use-live.ts'
import { Boundary } from './boundary.tsx'
import { openServer } from './server.ts'

// Users who do not wait for a slow server, and networks that go.

afterEach(async () => {
  cleanup()
  window.dispatchEvent(new Event('online'))
})

/** By calls of `act`: React does not go on with deferred values outside of them. */
async function shows(text: string): Promise<void> {
  const end = Date.now() + 60_000
  while (document.body.textContent !== text && Date.now() < end) await later(30)
  expect(document.body.textContent).toBe(text)
}
const later = (milliseconds: number) =>
  act(() => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)))

const WORD = 'zolazolazolazo'
const WAYS = ['directly', 'in a transition'] as const

test.each(WAYS)(
  'a search box that changes the filter %s, faster than the server answers, shows the last result',
  async (way) => {
    const server = openServer({ live: { maxStreamsPerSession: 3 } })
    server.slowDown(120)
    let type = (_: string): void => {}
    const List = ({ text }: { readonly text: string }) =>
      useLive(server.db.Employee.query`lastName begin ${text}`)
        .map(({ lastName }) => lastName)
        .join(' ')
    function Search() {
      const [text, setText] = useState('')
      type = (next) =>
        way === 'in a transition' ? startTransition(() => setText(next)) : setText(next)
      return <List text={text} />
    }
    const { unmount } = render(
      <StrictMode>
        <Boundary>
          <Suspense fallback="loading">
            <Search />
          </Suspense>
        </Boundary>
      </StrictMode>,
    )
    await shows('Ng Ada Zola')
    for (let i = 1; i <= WORD.length; i++) {
      act(() => type(WORD.slice(0, i)))
      await later(40)
    }
    act(() => type('Zo'))
    await shows('Zola')
    expect(server.mostStreams()).toBeLessThanOrEqual(2)
    await expect.poll(() => server.streams().open).toBe(1)
    await act(async () => unmount())
    expect(server.streams().open).toBe(0)
  },
)

test('a component that is removed while it loads leaves no stream', async () => {
  const server = openServer()
  server.slowDown(1500)
  const List = ({ least }: { readonly least: number }) =>
    useLive(server.db.Employee.query`salary > ${least}`).length
  const { unmount } = render(
    <Suspense fallback="loading">
      {[1, 2, 3].map((least) => (
        <List key={least} least={least} />
      ))}
    </Suspense>,
  )
  await later(50)
  unmount()
  await later(1600)
  expect(server.streams().opened).toBe(0)
})

test('a component that waits for a slow server gets its one stream', async () => {
  const server = openServer()
  server.slowDown(1200)
  const List = () => useLive(server.db.Employee.all()).length
  render(
    <Suspense fallback="loading">
      <List />
    </Suspense>,
  )
  await shows('3')
  expect(server.requests.filter((request) => request.includes('$live'))).toHaveLength(1)
})

test('a first attempt that is refused because of too many streams is tried again', async () => {
  const server = openServer({ live: { maxStreams: 1 } })
  const abort = new AbortController()
  const events = server.db.Company.all().live({ signal: abort.signal })
  await events.next()
  const List = () => useLive(server.db.Employee.all()).length
  render(
    <Boundary>
      <Suspense fallback="loading">
        <List />
      </Suspense>
    </Boundary>,
  )
  await later(100)
  expect(document.body.textContent).toBe('loading')
  abort.abort()
  await shows('3')
})

test('without a network the last result stays for a new filter, useConnected says so, and both recover', async () => {
  const server = openServer()
  let setLeast = (_: number): void => {}
  const seen = new Set<string>()
  function List() {
    const [least, set] = useState(50_000)
    setLeast = set
    return useLive(server.db.Employee.query`salary > ${least}`)
      .map(({ lastName }) => lastName)
      .join(' ')
  }
  const Status = () => (useConnected(server.db) ? 'online ' : 'offline ')
  render(
    <Boundary>
      <Status />
      <Suspense fallback="loading">
        <List />
      </Suspense>
    </Boundary>,
  )
  await shows('online Ng Zola')
  const observer = new MutationObserver(() => seen.add(document.body.textContent ?? ''))
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  })
  act(() => void window.dispatchEvent(new Event('offline')))
  await later(20)
  expect(document.body.textContent).toBe('offline Ng Zola')
  server.stop()
  act(() => setLeast(80_000))
  await later(50)
  act(() => setLeast(100_000))
  await later(50)
  expect(document.body.textContent).toBe('offline Ng Zola')
  act(() => setLeast(85_000))
  server.start()
  act(() => void window.dispatchEvent(new Event('online')))
  await shows('online Zola')
  expect([...seen].filter((text) => text.includes('loading') || text.includes('Error'))).toEqual([])
  observer.disconnect()
})
