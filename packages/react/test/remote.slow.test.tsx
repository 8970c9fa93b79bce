// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ReactNode, StrictMode, Suspense, startTransition, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GRACE_MILLISECONDS } from '../src/live-result.ts'
import { preload, preloadPage } from '../src/preload.ts'
import { useConnected } from '../src/use-connected.ts'
import { useEntity, useLive, usePage } from '../src/use-live.ts'
import { Boundary } from './boundary.tsx'
import { openServer } from './server.ts'

let server: ReturnType<typeof openServer>
beforeEach(() => {
  server = openServer()
})
afterEach(async () => {
  cleanup()
  vi.useRealTimers()
  await expect.poll(() => server.streams().open).toBe(0)
})

const shows = (text: string) => expect.poll(() => document.body.textContent).toBe(text)
const show = (children: ReactNode) =>
  render(
    <Boundary>
      <Suspense fallback="loading">{children}</Suspense>
    </Boundary>,
    { onCaughtError: () => {} },
  )
const namesOf = (list: readonly { readonly lastName: string | null }[]) =>
  list.map(({ lastName }) => lastName).join(' ')

test('useLive suspends until the first result, and then shows every change in order', async () => {
  const lists = new Set<unknown>()
  let renders = 0
  function List() {
    const list = useLive(server.db.Employee.query`salary > ${50_000}`.orderBy('salary desc'))
    lists.add(list)
    renders++
    return namesOf(list)
  }
  show(<List />)
  expect(document.body.textContent).toBe('loading')
  await shows('Zola Ng')
  expect([renders, lists.size]).toEqual([1, 1])
  server.store.Employee.update(2, { salary: 80_000 })
  await shows('Zola Ada Ng')
  server.store.Employee.update(1, { salary: 95_000 })
  await shows('Ng Zola Ada')
  server.store.Employee.remove(3)
  await shows('Ng Ada')
  expect([renders, server.streams()]).toEqual([4, { open: 1, opened: 1 }])
})

test('an entity whose selected attributes did not change renders nothing', async () => {
  let renders = 0
  function List() {
    const list = useLive(server.db.Employee.all().select('lastName, employer.name'))
    renders++
    return list.map(({ lastName, employer }) => `${lastName} ${employer?.name}`).join(' ')
  }
  show(<List />)
  await shows('Ng Acme Ada Acme Zola Globex')
  server.store.Employee.update(1, { salary: 1 })
  server.store.Employee.update(3, { lastName: 'Zo' })
  await shows('Ng Acme Ada Acme Zo Globex')
  expect(renders).toBe(2)
})

test('StrictMode opens one stream and ends it', async () => {
  const List = () => namesOf(useLive(server.db.Employee.all()))
  const { unmount } = show(
    <StrictMode>
      <List />
    </StrictMode>,
  )
  await shows('Ng Ada Zola')
  expect(server.streams()).toEqual({ open: 1, opened: 1 })
  await act(async () => unmount())
  expect(server.streams().open).toBe(0)
})

test('a transition to another selection keeps the previous result until the next one', async () => {
  let setMinimum = (_: number) => {}
  function List() {
    const [minimum, set] = useState(50_000)
    setMinimum = (value) => startTransition(() => set(value))
    return namesOf(useLive(server.db.Employee.query`salary > ${minimum}`))
  }
  show(<List />)
  await shows('Ng Zola')
  act(() => setMinimum(80_000))
  expect(document.body.textContent).toBe('Ng Zola')
  await shows('Zola')
  await expect.poll(() => server.streams()).toEqual({ open: 1, opened: 1 })
})

test('usePage and useEntity follow a page and an entity', async () => {
  const { db, store } = server
  function Page() {
    const page = usePage(db.Employee.all().orderBy('salary'), { skip: 1, top: 1 })
    return `${namesOf(page)} ${useEntity(db.Employee, 1)?.lastName} ${useEntity(db.Seal, 'a@')?.key}`
  }
  show(<Page />)
  await shows('Ng Ng l')
  store.Employee.insert({ lastName: 'Poor', salary: 1 })
  await shows('Ada Ng l')
  store.Employee.remove(1)
  await shows('Ada undefined l')
})

test('preload requests several results at once, before the component that shows them', async () => {
  const { db, requests } = server
  const [employees, companies] = [db.Employee.all(), db.Company.all()]
  const page = { skip: 0, top: 1 }
  await Promise.all([preload(employees, companies), preloadPage(db.Employee.all(), page)])
  const asked = requests.length
  const Both = () => {
    const first = usePage(db.Employee.all(), page)
    return `${useLive(db.Employee.all()).length} ${useLive(db.Company.all()).length} ${first.length}`
  }
  show(<Both />)
  expect(document.body.textContent).toBe('3 2 1')
  expect([requests.length, server.streams().open]).toEqual([asked, 1])
})

test('a component that preloads what it shows has no waterfall', async () => {
  const { db, requests } = server
  const Both = () => {
    preload(db.Employee.all(), db.Company.all())
    return `${useLive(db.Employee.all()).length} ${useLive(db.Company.all()).length}`
  }
  show(<Both />)
  expect(requests.filter((request) => request.includes('$live'))).toHaveLength(2)
  await shows('3 2')
  expect(server.streams().opened).toBe(1)
})

test('a result that no component shows is dropped after a while', async () => {
  vi.useFakeTimers()
  await preload(server.db.Employee.all())
  expect(server.streams()).toEqual({ open: 1, opened: 1 })
  await vi.advanceTimersByTimeAsync(GRACE_MILLISECONDS)
  expect(server.streams()).toEqual({ open: 0, opened: 1 })
})

test('a refused selection reaches the error boundary, which can try again', async () => {
  server = openServer({ live: { maxEntities: 2 } })
  const List = () => namesOf(useLive(server.db.Employee.all()))
  show(<List />)
  await expect.poll(() => document.body.textContent).toContain('RemoteError')
  server.store.Employee.remove(1)
  // The next attempt is possible after this task.
  await new Promise((resolve) => setTimeout(resolve, 1))
  fireEvent.click(screen.getByRole('button'))
  await shows('Ada Zola')
})

test('preload rejects, and the component that shows the selection throws the same', async () => {
  server = openServer({ live: { maxEntities: 2 } })
  await expect(preload(server.db.Employee.all())).rejects.toThrow('above 2')
  const List = () => namesOf(useLive(server.db.Employee.all()))
  show(<List />)
  expect(document.body.textContent).toContain('above 2')
  expect(server.requests.filter((request) => request.includes('$live'))).toHaveLength(1)
})

test('a filter that is wrong reaches the error boundary', async () => {
  const List = () => namesOf(useLive(server.db.Employee.query`salery > ${1}`))
  show(<List />)
  await expect.poll(() => document.body.textContent).toContain('salery')
})

test('useConnected shows a lost connection, and the list then shows the missed changes', async () => {
  const { db, store } = server
  let renders = 0
  function List() {
    const list = useLive(db.Employee.all())
    renders++
    return namesOf(list)
  }
  const Status = () => (useConnected(db) ? 'online ' : 'offline ')
  show(
    <>
      <Status />
      <List />
    </>,
  )
  await shows('online Ng Ada Zola')
  server.stop()
  await shows('offline Ng Ada Zola')
  store.Employee.update(1, { lastName: 'Ngo' })
  server.start()
  await shows('online Ngo Ada Zola')
  expect(renders).toBe(2)
  server.stop()
  await shows('offline Ngo Ada Zola')
  server.start()
  await shows('online Ngo Ada Zola')
  expect(renders).toBe(2)
})

test('a server that refuses to continue reaches the error boundary', async () => {
  const List = () => namesOf(useLive(server.db.Employee.all()))
  show(<List />)
  await shows('Ng Ada Zola')
  server.refuse()
  await shows('RemoteError: not here any more')
})
