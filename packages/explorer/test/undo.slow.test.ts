import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, type RestOptions } from '@entia/rest'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { queryOf } from '../src/page/addresses.ts'
import { type Ask, Refusal } from '../src/page/api.ts'
import { deleteAll, snapshotOf } from '../src/page/deletion.ts'
import { readModel } from '../src/page/model.ts'
import { createStamps } from '../src/page/undo.ts'
import { executable, type OpenExplorer, openExplorer, patiently } from './browser.ts'
import { createPeople, type People } from './people.ts'

test('stamps of restored entities stand for those before, over several undos', () => {
  const stamps = createStamps()
  stamps.restored('A', '1', 2, 4)
  stamps.restored('A', '1', 4, 6)
  expect([stamps.now('A', '1', 2), stamps.now('A', '1', 3), stamps.now('B', '1', 2)]).toEqual([
    6, 3, 2,
  ])
  // A deleted entity begins again with stamp 1.
  stamps.restored('A', '2', 1, 1)
  expect(stamps.now('A', '2', 1)).toBe(1)
})

/** Deletes an entity as the dialog does; `between` runs before the undo. */
async function deleteAndUndo(
  store: AnyDataStore,
  [className, key]: [string, string],
  between: () => void,
  options: RestOptions = {},
) {
  const rest = createRestHandler(store, options)
  const ask: Ask = async (path, { method = 'GET', parameters = {}, body } = {}) => {
    const request = new Request(`http://localhost/rest/${path}${queryOf(parameters)}`, {
      method,
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    })
    const answer = await rest.fetch(request)
    if (!answer.ok) throw new Refusal(answer.status, await answer.json())
    return answer.json()
  }
  vi.stubGlobal('fetch', (uri: string) => rest.fetch(new Request(`http://localhost${uri}`)))
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  const model = readModel(await ask('$catalog/$all'))
  const dataClass = model.classes.get(className)!
  const snapshot = await snapshotOf(ask, model, {
    dataClass,
    key,
    path: `${className}[${key}]`,
    count: 1,
  })
  const { signal } = new AbortController()
  const { step } = await deleteAll(ask, '/rest', 'a deletion', snapshot, signal, () => {})
  if (step === null) return { snapshot, undone: null }
  between()
  // Each connection is lost after one save. Then the undo is tried again, as by a user.
  for (;;) {
    let saves = 0
    const breaking: Ask = async (path, options) => {
      const isSave = options?.method === 'POST' && path !== '$upload'
      if (isSave && saves === 1) throw new Refusal(0, null)
      const answer = await ask(path, options)
      if (isSave) saves++
      return answer
    }
    try {
      const context = { ask: breaking, stamps: createStamps(), report: () => {} }
      return { snapshot, undone: await step.undo(context) }
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 0) throw error
    }
  }
}

test('an undone deletion restores read-only values of the entity and of those that refer to it', async () => {
  const Order = defineDataClass('Order', {
    ID: attribute.long({ key: true }),
    placed: attribute.date({ notNull: true, readOnly: true, dateOnly: true }),
    lines: attribute.relatedEntities('Line', 'order'),
  })
  const Line = defineDataClass('Line', {
    ID: attribute.long({ key: true }),
    serial: attribute.long({ readOnly: true }),
    order: attribute.relatedEntity('Order', { onDelete: 'cascade' }),
  })
  const store = createDataStore({ name: 'orders', dataClasses: [Order, Line] })
  store.Order.insert({ ID: 1, placed: '2024-02-29' })
  store.Line.insert({ ID: 5, serial: 77, order: 1 })
  const { undone } = await deleteAndUndo(store, ['Order', '1'], () => {
    expect([store.Order.count, store.Line.count]).toEqual([0, 0])
  })
  expect(undone).toEqual({ restored: 1, left: [] })
  expect(store.Order.get(1)?.placed).toBe('2024-02-29')
  expect(store.Line.get(5)?.serial).toBe(77)
})

test('an undone deletion restores cascades of any depth, and references without an inverse', async () => {
  const Order = defineDataClass('Order', { ID: attribute.long({ key: true }) })
  const Line = defineDataClass('Line', {
    ID: attribute.long({ key: true }),
    order: attribute.relatedEntity('Order', { onDelete: 'cascade' }),
    first: attribute.relatedEntity('Order'),
    // Of a dataclass that the model has later.
    parcel: attribute.relatedEntity('Parcel', { onDelete: 'cascade', notNull: true }),
  })
  const Note = defineDataClass('Note', {
    ID: attribute.long({ key: true }),
    line: attribute.relatedEntity('Line', { onDelete: 'cascade' }),
  })
  const Parcel = defineDataClass('Parcel', {
    ID: attribute.long({ key: true }),
    order: attribute.relatedEntity('Order', { onDelete: 'cascade' }),
  })
  const Mark = defineDataClass('Mark', {
    ID: attribute.long({ key: true }),
    order: attribute.relatedEntity('Order'),
  })
  const Tag = defineDataClass('Tag', {
    ID: attribute.long({ key: true }),
    mark: attribute.relatedEntity('Mark'),
  })
  const dataClasses = [Order, Line, Note, Parcel, Mark, Tag]
  const store = createDataStore({ name: 'orders', dataClasses })
  store.Order.load([{ ID: 1 }, { ID: 2 }])
  store.Parcel.insert({ ID: 3, order: 1 })
  store.Line.insert({ ID: 5, order: 1, first: 1, parcel: 3 })
  store.Note.insert({ ID: 7, line: 5 })
  store.Mark.insert({ ID: 8, order: 1 })
  store.Tag.insert({ ID: 9, mark: 8 })
  const { undone } = await deleteAndUndo(store, ['Order', '1'], () => {
    expect([store.Line.count, store.Parcel.count, store.Note.count]).toEqual([0, 0, 0])
    // The mark was not deleted, so its tags stay as they are.
    store.Tag.update(9, { mark: null })
  })
  expect(undone).toEqual({ restored: 1, left: [] })
  expect(store.Line.get(5)).toMatchObject({ order: { ID: 1 }, first: { ID: 1 }, parcel: { ID: 3 } })
  expect([store.Note.get(7)?.line?.ID, store.Mark.get(8)?.order?.ID]).toEqual([5, 1])
  expect(store.Tag.get(9)?.mark).toBeNull()
})

test('a deletion reads what the user may read, and its undo says what is refused', async () => {
  const Order = defineDataClass('Order', { ID: attribute.long({ key: true }) })
  const Line = defineDataClass('Line', {
    ID: attribute.long({ key: true }),
    price: attribute.long(),
    order: attribute.relatedEntity('Order', { onDelete: 'cascade' }),
  })
  const Secret = defineDataClass('Secret', {
    ID: attribute.long({ key: true }),
    order: attribute.relatedEntity('Order'),
  })
  const store = createDataStore({ name: 'orders', dataClasses: [Order, Line, Secret] })
  store.Order.insert({ ID: 1 })
  store.Line.insert({ ID: 5, price: 3, order: 1 })
  store.Secret.insert({ ID: 6, order: 1 })
  const authorize: RestOptions['authorize'] = ({ dataClass, action, attribute }) =>
    (dataClass !== 'Secret' || action === 'describe') &&
    (attribute !== 'price' || action !== 'create')
  const { snapshot, undone } = await deleteAndUndo(store, ['Order', '1'], () => {}, {
    authorize,
    identify: () => ({ ID: 'ada' }),
  })
  expect(snapshot.referring.map(({ dataClass }) => dataClass.name)).toEqual(['Line'])
  expect(undone?.restored).toBe(1)
  expect(undone?.left).toEqual([{ key: 'Line 5', message: expect.stringContaining('price') }])
  expect([store.Order.count, store.Line.count]).toEqual([1, 0])
})

test('an undone deletion restores an entity without its image of an unknown type', async () => {
  const Logo = defineDataClass('Logo', {
    ID: attribute.long({ key: true }),
    image: attribute.image(),
    source: attribute.blob(),
  })
  const store = createDataStore({ name: 'logos', dataClasses: [Logo] })
  const bytes = new TextEncoder().encode('<svg/>')
  store.Logo.insert({ ID: 1, image: bytes, source: bytes })
  const { undone } = await deleteAndUndo(store, ['Logo', '1'], () => {})
  expect(undone).toEqual({ restored: 1, left: [] })
  expect(store.Logo.get(1)?.image).toBeNull()
  expect(store.Logo.get(1)?.source?.bytes()).toEqual(bytes)
})

test('a deletion whose entities the user may not create has no undo, as its dialog knows before', async () => {
  const store = createDataStore({
    name: 'orders',
    dataClasses: [defineDataClass('Order', { ID: attribute.long({ key: true }) })],
  })
  store.Order.insert({ ID: 1 })
  const authorize: RestOptions['authorize'] = ({ action }) => action !== 'create'
  const { snapshot, undone } = await deleteAndUndo(store, ['Order', '1'], () => {}, { authorize })
  expect([snapshot.mayUndo, undone, store.Order.count]).toEqual([false, null, 0])
})

describe.skipIf(executable === null)('the changes of a session', () => {
  let store: People
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createPeople()
    site = await openExplorer(store)
    page = site.page
  })

  afterAll(() => site?.close())

  const show = async (query: string) => {
    await page.goto(`${site.origin}/#/Employee?${query}`)
    await page.locator('.grid td').first().waitFor()
  }
  const cell = (row: number, column: number) =>
    page.locator('.grid tbody tr').nth(row).locator('td').nth(column)
  const edit = async (row: number, column: number, text: string) => {
    await cell(row, column).focus()
    await page.keyboard.press('F2')
    await page.locator('.cell-editor input').fill(text)
    await page.keyboard.press('Enter')
    await page.locator('.cell-editor').waitFor({ state: 'detached' })
  }
  const notice = (text: string) => page.locator('.notice', { hasText: text }).waitFor()
  const undo = async () => {
    await page.locator('body').press('Control+z')
  }
  const name = (ID: number) => store.Employee.get(ID)?.lastName
  const panel = () => page.locator('aside.panel')
  const dialog = () => page.getByRole('dialog')

  test('of one entity are undone one after the other with Ctrl Z', async () => {
    await show('filter=ID%20%3C%205&columns=ID,lastName,salary,employer')
    await edit(0, 1, 'First')
    await edit(0, 1, 'Second')
    await edit(0, 2, '5')
    expect(store.Employee.get(1)).toMatchObject({ lastName: 'Second', salary: 5 })
    await undo()
    await notice('Undone: salary of Employee 1.')
    expect(store.Employee.get(1)).toMatchObject({ lastName: 'Second', salary: 1000 })
    // A key that is pressed while an undo runs undoes the change before it.
    await undo()
    await undo()
    await expect.poll(() => name(1), patiently).toBe('Name 001')
    await page.getByText('1 change').waitFor({ state: 'detached' })
    await undo()
    await notice('There is no change of this session to undo.')
  })

  test('of others since stay, and are named', async () => {
    await show('filter=ID%20in%20[5,6,7]&columns=ID,lastName,salary')
    await page.getByRole('checkbox', { name: 'Select the rows of this page' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    await dialog().getByLabel('Attribute').selectOption('lastName')
    await dialog().getByLabel('New value').fill('Same')
    await dialog().getByRole('button', { name: 'Change', exact: true }).click()
    await notice('lastName of 3 of Employee changed.')
    expect([5, 6, 7].map(name)).toEqual(['Same', 'Same', 'Same'])
    store.Employee.update(6, { salary: 1 })
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
    await notice('Undone for 2 of 3')
    await notice('Left alone: 6: somebody has changed it since.')
    expect([5, 6, 7].map(name)).toEqual(['Name 005', 'Same', 'Name 007'])
  })

  test('in forms, creations and deletions are undone down to a chosen one', async () => {
    await show('filter=ID%20%3E%20118&open=119')
    await panel()
      .getByLabel(/^employer/)
      .waitFor()
    await panel()
      .getByLabel(/^salary/)
      .fill('7')
    await panel()
      .getByLabel(/^lastName/)
      .fill('In a form')
    await panel().getByRole('button', { name: 'Save' }).click()
    await notice('Employee 119 saved.')
    await panel().getByRole('button', { name: 'Delete…' }).click()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await notice('Employee 119 deleted.')
    await page.getByRole('button', { name: 'New Employee' }).click()
    await panel()
      .getByLabel(/^lastName/)
      .fill('New')
    await panel().getByRole('button', { name: 'Create' }).click()
    await notice('Employee 121 created.')
    expect([store.Employee.get(119), store.Employee.count]).toEqual([undefined, 120])
    // Each undo shows its numbers before the server answers.
    let shown = 0
    await page.route(/\/rest\/Employee\b/, async (route) => {
      if (route.request().method() === 'POST') {
        await page.locator('.notice', { hasText: '0 of 1' }).waitFor()
        shown++
      }
      await route.continue()
    })
    await page.getByText('3 changes').click()
    await page.getByRole('button', { name: 'Employee 119 saved' }).click()
    await page.getByText('3 changes').waitFor({ state: 'detached' })
    await notice('Undone: Employee 119 saved.')
    await page.unroute(/\/rest\/Employee\b/)
    expect(shown).toBe(3)
    expect(store.Employee.get(121)).toBeUndefined()
    expect(store.Employee.get(119)).toMatchObject({ lastName: 'Name 119', salary: 119_000 })
    expect(site.problems).toEqual([])
  })

  test('of images are undone with their content', async () => {
    const photo = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await show('filter=ID%20%3D%209&open=9')
    const file = panel().locator('input[type=file]')
    await file.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: photo })
    await notice('photo of Employee 9.')
    await panel().getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => store.Employee.get(9)?.photo ?? null, patiently).toBeNull()
    await panel().getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' })
    await undo()
    await expect.poll(() => store.Employee.get(9)?.photo?.size, patiently).toBe(photo.length)
    await notice('Undone')
    await undo()
    await expect.poll(() => store.Employee.get(9)?.photo ?? null, patiently).toBeNull()
    expect(site.problems).toEqual([])
  })
})
