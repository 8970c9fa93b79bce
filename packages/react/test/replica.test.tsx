// @vitest-environment happy-dom
import { configure, render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { connect } from '../../client/src/index.ts'
import { replicate } from '../../replica/src/index.ts'
import { CLASSES, createOffice, PAUSES } from '../../replica/test/office.ts'
import { useLive, useReplica } from '../src/index.ts'

// A slow machine must not fail a test.
configure({ asyncUtilTimeout: 60_000 })

test('a component shows what waits, what was refused, and entities as of any store', async () => {
  const office = createOffice()
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 1 })
  const replica = await replicate(office.db, {
    dataClasses: CLASSES,
    shapes: { Employee: true, Company: true },
    pauses: PAUSES,
  })
  function Page() {
    const { state, waiting, problems } = useReplica(replica)
    const employees = useLive(replica.store.Employee.query('salary > 0').orderBy('name'))
    const salaries = employees.map(({ salary }) => salary).join()
    return <p>{`${state} ${waiting} ${problems.length} ${salaries}`}</p>
  }
  render(<Page />)
  const shows = (text: string) => waitFor(() => expect(screen.getByText(text)).toBeTruthy())
  await shows('current 0 0 1')
  office.cut()
  await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 2 }))
  office.store.Employee.update(ann.ID, { salary: 9 })
  await shows('offline 1 0 2')
  office.connect()
  await shows('current 0 1 9')
  await replica.close()
})

test('a component shows the reason of the newest attempt, in the same state too', async () => {
  const { rest } = createOffice()
  let problem = ''
  const fetch = (request: Request) =>
    problem === '' ? rest.fetch(request) : Promise.reject(new TypeError(problem))
  const replica = await replicate(connect('http://office.test/rest', { fetch }), {
    dataClasses: CLASSES,
    shapes: { Employee: true },
    pauses: PAUSES,
  })
  function Page() {
    const { state, error } = useReplica(replica)
    return <p>{error === null ? state : `${state}: ${(error as Error).message}`}</p>
  }
  render(<Page />)
  const shows = (text: RegExp) => waitFor(() => expect(screen.getByText(text)).toBeTruthy())
  await shows(/^current$/)
  for (problem of ['no route', 'no name']) {
    rest.endStreams()
    await shows(new RegExp(`^offline: .*${problem}`))
  }
  await replica.close()
})
