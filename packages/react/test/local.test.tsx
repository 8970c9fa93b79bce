// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react'
import { memo, StrictMode, useState } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useEntity, useLive, usePage } from '../src/use-live.ts'
import { Boundary } from './boundary.tsx'
import { type CompanyStore, createCompany } from './company.ts'
import { countLiveQueries } from './count-live-queries.ts'

let store: CompanyStore
let live: ReturnType<typeof countLiveQueries>
beforeEach(() => {
  store = createCompany()
  live = countLiveQueries(store.Employee.all())
})
afterEach(async () => {
  cleanup()
  await act(async () => {})
  expect(live.running()).toBe(0)
})

const text = () => document.body.textContent
/** Renders a list of names, and counts how often. */
function listOf(useNames: () => readonly { readonly lastName: string | null }[]) {
  const shown = { renders: 0, lists: new Set<unknown>() }
  function List() {
    const list = useNames()
    shown.renders++
    shown.lists.add(list)
    return list.map(({ lastName }) => lastName).join(' ')
  }
  return { shown, List }
}

test('useLive shows a selection made inline in its order, and every change of it', () => {
  const { shown, List } = listOf(() =>
    useLive(store.Employee.query('salary > :1', [50_000]).orderBy('salary desc')),
  )
  render(<List />)
  expect([text(), shown.renders, shown.lists.size]).toEqual(['Zola Ng', 1, 1])
  act(() => void store.Employee.update(2, { salary: 80_000 }))
  expect(text()).toBe('Zola Ada Ng')
  act(() => void store.Employee.update(1, { salary: 95_000 }))
  expect(text()).toBe('Ng Zola Ada')
  act(() => store.Employee.remove(3))
  expect([text(), shown.renders]).toEqual(['Ng Ada', 4])
  expect(live.started()).toBe(2)
})

test('with select, a list renders again when a related value that it shows changes', () => {
  let renders = 0
  function List() {
    renders++
    const list = useLive(store.Employee.all().orderBy('ID'), { select: 'employer.name' })
    return list.map(({ employer }) => employer?.name ?? '-').join(' ')
  }
  render(<List />)
  const before = text()
  const { key, name } = store.Company.all().orderBy('ID').first()!
  expect(before).toContain(name)
  act(() => void store.Company.update(key, { name: 'Renamed' }))
  expect([text(), renders]).toEqual([before?.replaceAll(String(name), 'Renamed'), 2])
  act(() => void store.Company.insert({ name: 'Elsewhere' }))
  expect(renders).toBe(2)
})

test('commits that do not change the result render nothing', () => {
  const { shown, List } = listOf(() => useLive(store.Employee.query('salary > 50000')))
  render(<List />)
  act(() => {
    store.Employee.update(2, { salary: 45_000 })
    store.Company.insert({ name: 'Initech' })
  })
  expect([shown.renders, shown.lists.size]).toEqual([1, 1])
})

test('a component that renders again keeps the array, its entities and the live query', () => {
  const seen: unknown[] = []
  let rerender = () => {}
  function List() {
    const [count, setCount] = useState(0)
    rerender = () => setCount(count + 1)
    const list = useLive(store.Employee.query('salary > :1', [50_000]))
    seen.push(list)
    return list.length
  }
  render(<List />)
  act(() => rerender())
  act(() => rerender())
  expect([seen.length, new Set(seen).size]).toEqual([3, 1])
  const [ng] = seen[0] as readonly unknown[]
  act(() => void store.Employee.update(3, { salary: 91_000 }))
  const last = seen.at(-1) as readonly { readonly salary: number | null }[]
  expect(last[0]).toBe(ng)
  expect(last[1]?.salary).toBe(91_000)
  expect(live.running()).toBe(1)
})

test('only the rows of changed entities render again', () => {
  const rendered: (string | null)[] = []
  const Row = memo(({ employee }: { employee: { readonly lastName: string | null } }) => {
    rendered.push(employee.lastName)
    return <li>{employee.lastName}</li>
  })
  function List() {
    return useLive(store.Employee.all().orderBy('lastName')).map((employee) => (
      <Row key={employee.key} employee={employee} />
    ))
  }
  render(<List />)
  expect(rendered.splice(0)).toEqual(['Ada', 'Ng', 'Zola'])
  act(() => void store.Employee.update(1, { lastName: 'Ngo' }))
  expect(rendered.splice(0)).toEqual(['Ngo'])
  act(() => store.Employee.remove(2))
  expect(rendered).toEqual([])
})

test('equal selections of several components share one live query', () => {
  const first = listOf(() => useLive(store.Employee.query('salary > :1', [50_000])))
  const second = listOf(() => useLive(store.Employee.query('salary > 50000')))
  const other = listOf(() => useLive(store.Employee.query('salary > 50001')))
  render(
    <>
      <first.List /> <second.List /> <other.List />
    </>,
  )
  expect(live.running()).toBe(2)
  expect([...first.shown.lists]).toEqual([...second.shown.lists])
  expect([...first.shown.lists][0]).toBe([...second.shown.lists][0])
})

test('StrictMode leaves one live query, and none after the end', async () => {
  const { List } = listOf(() => useLive(store.Employee.all()))
  const { unmount } = render(
    <StrictMode>
      <List />
    </StrictMode>,
  )
  expect(live.running()).toBe(1)
  await act(async () => unmount())
  expect([live.running(), live.started()]).toEqual([0, live.stopped()])
})

test('a change between rendering and mounting is shown', () => {
  const { List } = listOf(() => useLive(store.Employee.query('salary > 50000')))
  let isWritten = false
  function Writer() {
    return (
      <span
        ref={() => {
          if (!isWritten) store.Employee.update(2, { salary: 60_000 })
          isWritten = true
        }}
      />
    )
  }
  render(
    <>
      <List />
      <Writer />
    </>,
  )
  expect(text()).toBe('Ng Ada Zola')
})

test('another filter replaces the live query', async () => {
  let setMinimum = (_: number) => {}
  const { List } = listOf(() => {
    const [minimum, set] = useState(50_000)
    setMinimum = set
    return useLive(store.Employee.query('salary > :1', [minimum]))
  })
  render(<List />)
  await act(async () => setMinimum(80_000))
  expect([text(), live.running()]).toEqual(['Zola', 1])
  act(() => void store.Employee.update(2, { salary: 60_000 }))
  expect(text()).toBe('Zola')
})

test('a selection that was created before rendering is shown in its current state', () => {
  const rich = store.Employee.query('salary > 50000').orderBy('lastName')
  store.Employee.update(2, { salary: 60_000 })
  store.Employee.remove(1)
  const { List } = listOf(() => useLive(rich))
  expect(renderToString(<List />)).toBe('Ada Zola')
  render(<List />)
  expect(text()).toBe('Ada Zola')
})

test('usePage shows one page, and useLive a selection that is a page', () => {
  const page = listOf(() => usePage(store.Employee.all().orderBy('salary'), { skip: 1, top: 1 }))
  const first = listOf(() => useLive(store.Employee.all().orderBy('salary').page(0, 2)))
  render(
    <>
      <page.List />|<first.List />
    </>,
  )
  expect(text()).toBe('Ng|Ada Ng')
  act(() => void store.Employee.insert({ lastName: 'Poor', salary: 1 }))
  expect(text()).toBe('Ada|Poor Ada')
})

test('useEntity shows one entity until it is removed, also for keys with wildcards', () => {
  function Name() {
    const employee = useEntity(store.Employee, 1)
    return employee?.lastName ?? 'nobody'
  }
  function Seals() {
    return `${useEntity(store.Seal, 'a@')?.key} ${useEntity(store.Seal, 'b')?.key}`
  }
  render(
    <>
      <Name /> <Seals />
    </>,
  )
  expect(text()).toBe('Ng l undefined')
  act(() => void store.Employee.update(1, { lastName: 'Ngo' }))
  act(() => void store.Seal.update('a@', { key: 'm' }))
  expect(text()).toBe('Ngo m undefined')
  act(() => store.Employee.remove(1))
  expect(text()).toBe('nobody m undefined')
})

test('errors of a selection reach the error boundary', () => {
  const { List } = listOf(() => useLive(store.Employee.from([1])))
  render(
    <Boundary>
      <List />
    </Boundary>,
    { onCaughtError: () => {} },
  )
  expect(text()).toContain('use one filter instead')
})

test('a store in this process renders on the server, without a live query', () => {
  const { List } = listOf(() => useLive(store.Employee.all().orderBy('lastName')))
  const html = () => renderToString(<List />)
  expect(html()).toBe('Ada Ng Zola')
  store.Employee.remove(3)
  expect(html()).toBe('Ada Ng')
  expect(live.running()).toBe(0)
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = html()
  const problems: unknown[] = []
  render(<List />, { container, hydrate: true, onRecoverableError: (e) => problems.push(e) })
  expect([container.textContent, problems]).toEqual(['Ada Ng', []])
})

test('a restored snapshot is shown', () => {
  const { List } = listOf(() => useLive(store.Employee.all()))
  const snapshot = store.snapshot()
  render(<List />)
  act(() => void store.Employee.all().remove())
  expect(text()).toBe('')
  act(() => store.restore(snapshot))
  expect(text()).toBe('Ng Ada Zola')
})
