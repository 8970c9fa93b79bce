import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { connect } from '../src/connect.ts'
import { createCompany } from './company.ts'

/** Guests do not see salaries, bosses and codes. `hold` delays answers until it is called. */
function openGuarded() {
  const store = createCompany()
  const rest = createRestHandler(store, {
    users: [{ name: 'ada', password: 'x', fullName: 'Ada B' }],
    live: true,
    authorize: ({ session, dataClass, attribute }) =>
      session?.user != null ||
      !(attribute === 'salary' || attribute === 'boss' || dataClass === 'Code'),
  })
  let delay: ((path: string) => Promise<void>) | null = null
  const requests: string[] = []
  const fetch = async (request: Request): Promise<Response> => {
    const path = request.url.slice('http://x.example/rest/'.length)
    requests.push(path.split('?')[0] ?? '')
    const response = await rest.fetch(request)
    await delay?.(path)
    return response
  }
  const db = connect<typeof store>('http://x.example/rest', { fetch })
  return {
    store,
    db,
    requests,
    hold: (wait: typeof delay) => {
      delay = wait
    },
  }
}

test('a login shows what guests may not see, and a logout hides it again', async () => {
  const { db, requests } = openGuarded()
  expect((await db.Employee.get(2))?.salary).toBeUndefined()
  await expect(db.Code.insert({ code: 'a' })).rejects.toMatchObject({ status: 404, errCode: 1800 })
  expect(await db.login('ada', 'x')).toBe(true)
  expect((await db.Employee.get(2))?.salary).toBe(100)
  const boss = await db.Employee.update(2, { boss: { key: 1 } })
  expect(boss).toMatchObject({ kind: 'saved', entity: { boss: { key: 1 } } })
  expect((await db.Code.insert({ code: 'a' })).key).toBe('a')
  expect(requests.filter((path) => path === '$catalog/$all')).toHaveLength(3)
  await db.logout()
  expect('salary' in (await db.Employee.get(2))!).toBe(false)
})

test('a catalog that was requested before the login does not hide values after it', async () => {
  const { db, hold } = openGuarded()
  let answerCatalog = (): void => {}
  const held = new Promise<void>((resolve) => {
    answerCatalog = resolve
  })
  let catalogs = 0
  hold((path) => (path.startsWith('$catalog') && ++catalogs === 1 ? held : Promise.resolve()))
  const asGuest = db.Employee.get(2)
  await expect.poll(() => catalogs).toBe(1)
  await db.login('ada', 'x')
  const asUser = Promise.all([
    db.Employee.get(3),
    db.Employee.query`ID < ${4}`.toArray(),
    db.Employee.update(3, { salary: 7 }),
  ])
  answerCatalog()
  expect((await asGuest)?.salary).toBeUndefined()
  expect(await asUser).toMatchObject([
    { salary: 200 },
    [{ salary: 0 }, { salary: 100 }, { salary: 200 }],
    { kind: 'saved', entity: { salary: 7 } },
  ])
  expect(catalogs).toBe(2)
})

test('requests during the login are read with the catalog of their user', async () => {
  const { db, hold } = openGuarded()
  await db.Employee.get(1)
  // The server has logged the user in, and the client does not know yet.
  let answerLogin = (): void => {}
  const held = new Promise<void>((resolve) => {
    answerLogin = resolve
  })
  hold((path) => (path.startsWith('$directory/login') ? held : Promise.resolve()))
  const login = db.login('ada', 'x')
  const before = db.Employee.get(2)
  answerLogin()
  await login
  hold(null)
  const list = await Promise.all([before, db.Employee.get(2), db.Employee.all().first()])
  expect(list.map((each) => each?.salary)).toEqual([undefined, 100, 0])
})

test('a session that changes elsewhere is noticed by the names in its answers', async () => {
  const store = createCompany()
  const state = { isOpen: false }
  const { fetch } = createRestHandler(store, {
    authorize: ({ attribute }) => state.isOpen || attribute !== 'salary',
    onError: () => {},
  })
  let catalogs = 0
  const db = connect<typeof store>('http://x.example/rest', {
    fetch: (request) => {
      if (request.url.includes('$catalog')) catalogs++
      return fetch(request)
    },
  })
  expect((await db.Employee.get(2))?.salary).toBeUndefined()
  state.isOpen = true
  const read = [db.Employee.get(2), db.Employee.all().select('salary').page(1, 1)] as const
  expect(await Promise.all(read)).toMatchObject([{ salary: 100 }, { entities: [{ salary: 100 }] }])
  expect(catalogs).toBe(2)
  // A name that no catalog has is asked for once.
  const wrong = { lastName: 'x', slary: 1 }
  await expect(db.Employee.insert(wrong)).rejects.toMatchObject({ errCode: 1500 })
  await expect(db.Employee.insert(wrong)).rejects.toMatchObject({ errCode: 1500 })
  expect(catalogs).toBe(3)
})
