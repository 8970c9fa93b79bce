import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  choose,
  executable,
  type OpenExplorer,
  openExplorer,
  patiently,
  violationsOf,
} from './browser.ts'
import { createOrders, type Orders } from './orders.ts'
import { createPeople, type People } from './people.ts'

describe.skipIf(executable === null)('values in the explorer', () => {
  let store: Orders
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createOrders()
    site = await openExplorer(store)
    page = site.page
    await page.goto(`${site.origin}/#/Order?columns=code,total,note,placed,status`)
    await page.locator('.grid td').first().waitFor()
  })

  afterAll(() => site?.close())

  const cell = (row: number, column: number) =>
    page.locator('.grid tbody tr').nth(row).locator('td').nth(column)
  const editor = () => page.locator('.cell-editor')
  const notice = (hasText: string | RegExp) => page.locator('.notice', { hasText })
  /** Holds the response to the next save; resolves when it is requested, to its release. */
  const holdSaves = (dataClass = 'Order') =>
    new Promise<() => Promise<void>>((held) => {
      page.route(`**/rest/${dataClass}`, (route) => held(() => route.continue()), { times: 1 })
    })
  const panel = () => page.locator('aside.panel')

  test('are null or empty, which cells show', async () => {
    expect(await cell(0, 2).innerText()).toBe('null')
    expect(await cell(1, 2).innerText()).toBe('empty')
  })

  test('are edited in a cell: Enter saves, Escape cancels, Tab goes on', async () => {
    await cell(0, 1).dblclick()
    await editor().getByRole('textbox', { name: 'total of A-001' }).fill('77')
    await page.keyboard.press('Enter')
    await expect.poll(() => store.Order.get('A-001')?.total, patiently).toBe(77)
    await expect.poll(() => cell(0, 1).innerText(), patiently).toBe('77')
    await expect.poll(() => page.locator('td:focus').innerText()).toBe('77')
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('5')
    await page.keyboard.press('Escape')
    await editor().waitFor({ state: 'detached' })
    expect(store.Order.get('A-001')?.total).toBe(77)
    await page.keyboard.press('Enter')
    await editor().waitFor()
    await page.keyboard.type('78')
    await page.keyboard.press('Tab')
    await editor().getByRole('textbox', { name: 'note of A-001' }).waitFor()
    await page.keyboard.type('by Tab')
    await page.keyboard.press('Shift+Tab')
    await editor().getByRole('textbox', { name: 'total of A-001' }).waitFor()
    expect(store.Order.get('A-001')).toMatchObject({ total: 78, note: 'by Tab' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('F2')
    await page.locator('.notice', { hasText: 'code cannot be edited here.' }).waitFor()
  })

  test('refused in a cell stay there with their message', async () => {
    await cell(1, 1).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('-1')
    await page.keyboard.press('Enter')
    await editor().getByRole('alert').waitFor()
    expect(await editor().getByRole('alert').innerText()).toContain('cannot be less than 0')
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test('keep the focus and the caret when a typed text becomes long, and short again', async () => {
    await cell(2, 2).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('x'.repeat(59))
    await page.keyboard.press('Home')
    await page.keyboard.type('12345')
    await page.keyboard.press('Backspace')
    const focused = () =>
      page
        .locator(':focus')
        .evaluate((input: { readonly value?: string; readonly selectionStart?: number }) => ({
          value: input.value,
          selectionStart: input.selectionStart,
        }))
    expect(await focused()).toEqual({ value: `1234${'x'.repeat(59)}`, selectionStart: 4 })
    for (let typed = 4; typed > 0; typed--) await page.keyboard.press('Backspace')
    expect(await focused()).toEqual({ value: 'x'.repeat(59), selectionStart: 0 })
    await page.keyboard.press('Escape')
    await editor().waitFor({ state: 'detached' })
  })

  test('changed by others meanwhile are shown beside the own value', async () => {
    await cell(2, 2).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('mine')
    store.Order.update('A-003', { note: 'theirs' })
    await page.keyboard.press('Enter')
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await conflict.waitFor()
    expect(await conflict.locator('tbody tr').allInnerTexts()).toEqual(['note\tmine\ttheirs'])
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click()
    await expect.poll(() => store.Order.get('A-003')?.note, patiently).toBe('mine')
    await conflict.waitFor({ state: 'detached' })
  })

  test('open an editor when the first click moves the cell away', async () => {
    await page.goto(`${site.origin}/#/Order?columns=code,total,note`)
    await page.locator('.panel').waitFor({ state: 'detached' })
    const box = await cell(0, 2).boundingBox()
    if (box === null) throw new Error('The cell is not shown.')
    const [x, y] = [box.x + 20, box.y + box.height / 2]
    await page.mouse.click(x, y)
    await panel().waitFor()
    // As if the panel had wrapped what is above the grid: the header is below the pointer now.
    const head = await page.locator('.grid thead').boundingBox()
    const shift = y - (head?.y ?? 0) - (head?.height ?? 0) / 2
    await page.evaluate(
      `Object.assign(document.querySelector('.grid').style, { position: 'relative', top: '${shift}px' })`,
    )
    const below = await page.evaluate(
      `document.elementFromPoint(${x}, ${y}).closest('th') !== null`,
    )
    expect(below).toBe(true)
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await editor().getByRole('textbox', { name: 'note of A-001' }).waitFor()
    expect(page.url()).not.toContain('order')
    await page.keyboard.type('typed')
    await page.keyboard.press('Enter')
    await expect.poll(() => store.Order.get('A-001')?.note, patiently).toBe('typed')
  })

  test('stay in the editor that is open when an earlier save ends', async () => {
    const held = holdSaves()
    await page.goto(`${site.origin}/#/Order?columns=code,total,note,status`)
    await cell(6, 1).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('700')
    await page.keyboard.press('Enter')
    const release = await held
    await cell(7, 1).dblclick()
    const other = editor().getByRole('textbox', { name: 'total of A-008' })
    await other.waitFor()
    await page.keyboard.type('80')
    await release()
    await expect.poll(() => cell(6, 1).innerText(), patiently).toBe('700')
    await page.keyboard.type('0')
    expect(await other.inputValue()).toBe('800')
    await page.keyboard.press('Enter')
    await expect.poll(() => store.Order.get('A-008')?.total, patiently).toBe(800)
  })

  test('typed in a cell while it is saved stay there', async () => {
    const held = holdSaves()
    await cell(10, 2).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('first')
    await page.keyboard.press('Tab')
    const release = await held
    await page.keyboard.type(' and more')
    await release()
    await expect.poll(() => store.Order.get('A-011')?.note, patiently).toBe('first')
    await page.keyboard.type('!')
    await page.keyboard.press('Tab')
    await editor().getByRole('textbox', { name: 'status of A-011' }).waitFor()
    expect(store.Order.get('A-011')?.note).toBe('first and more!')
    await page.keyboard.press('Escape')
  })

  test('typed in a cell while it is saved are saved by a key that was pressed meanwhile', async () => {
    const held = holdSaves()
    await cell(15, 2).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('first')
    await page.keyboard.press('Enter')
    const release = await held
    await page.keyboard.type(' and more')
    await page.keyboard.press('Tab')
    await release()
    await editor().getByRole('textbox', { name: 'status of A-016' }).waitFor()
    expect(store.Order.get('A-016')?.note).toBe('first and more')
    await page.keyboard.press('Escape')
  })

  test('that a save refuses after its editor has gone are reported', async () => {
    const held = holdSaves()
    await cell(8, 1).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('-9')
    await page.keyboard.press('Enter')
    const release = await held
    await page.keyboard.press('Escape')
    await release()
    await notice(/^total of A-009 is not saved: .*cannot be less than 0/).waitFor()
  })

  test('that are typed are reported as lost if a reload removes the row', async () => {
    await cell(9, 1).focus()
    await page.keyboard.press('F2')
    await editor().waitFor()
    await page.keyboard.type('1000')
    store.Order.query('code = :1', ['A-010']).remove()
    // A reload without a click, as Live does.
    await page.getByRole('button', { name: 'Refresh' }).dispatchEvent('click')
    await notice('total of A-010 is not saved: its cell is no longer shown.').waitFor()
    expect(await editor().count()).toBe(0)
    expect(await page.locator('.grid td:focus').count()).toBe(1)
  })

  test('of a form are null or empty, and date-times have a picker', async () => {
    await page.goto(`${site.origin}/#/Order?open=A-005`)
    const note = panel().getByLabel(/^note/)
    const isNull = panel().getByRole('button', { name: 'null for note' })
    await isNull.click()
    await expect.poll(() => note.getAttribute('placeholder')).toBe('empty text')
    const placed = panel().getByLabel(/^placed/)
    expect(await placed.getAttribute('type')).toBe('datetime-local')
    await placed.fill('2024-02-29T13:30')
    await panel().getByRole('button', { name: 'Save' }).click()
    await page.locator('.notice', { hasText: 'Saved.' }).waitFor()
    expect(store.Order.get('A-005')?.note).toBe('')
    expect(store.Order.get('A-005')?.placed).toBe('2024-02-29T13:30:00.000Z')
    await isNull.click()
    await panel().getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => store.Order.get('A-005')?.note, patiently).toBeNull()
  })

  test.each([
    ['-000001-12-31', 'text'],
    ['0000-02-29', 'text'],
    ['+012345-01-01', 'text'],
    ['1582-10-04', 'date'],
  ])('that are dates show %s, and change it', async (day, type) => {
    const { ID } = store.Visit.insert({ day })
    await page.goto(`${site.origin}/#/Visit?open=${ID}`)
    const field = panel().getByLabel(/^day/)
    await expect.poll(() => field.inputValue(), patiently).toBe(day)
    expect(await field.getAttribute('type')).toBe(type)
    await field.fill('2024-05-06')
    await panel().getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => store.Visit.get(ID)?.day, patiently).toBe('2024-05-06')
  })

  test('typed in a form while it is saved stay, and are saved next', async () => {
    await page.goto(`${site.origin}/#/Order?open=A-012`)
    const held = holdSaves()
    const total = panel().getByLabel(/^total/)
    const note = panel().getByLabel(/^note/)
    const save = panel().getByRole('button', { name: 'Save' })
    await total.fill('12')
    await total.press('Enter')
    const release = await held
    await total.fill('120')
    await note.fill('typed meanwhile')
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
    await note.press('Enter')
    await release()
    const first = { total: 12, note: 'fragile, "glass"' }
    await expect.poll(() => store.Order.get('A-012'), patiently).toMatchObject(first)
    expect([await total.inputValue(), await note.inputValue()]).toEqual(['120', 'typed meanwhile'])
    await save.click()
    const saved = { total: 120, note: 'typed meanwhile' }
    await expect.poll(() => store.Order.get('A-012'), patiently).toMatchObject(saved)
    await expect.poll(() => save.isDisabled(), patiently).toBe(true)
    expect(await page.locator('.conflict').count()).toBe(0)
  })

  test.each([
    ['after', '13'],
    ['before', '14'],
  ])(
    'of a form that the user leaves while it is saved, and opens %s the answer, are saved',
    async (when, text) => {
      await page.goto(`${site.origin}/#/Order?open=A-013`)
      const held = holdSaves()
      const total = panel().getByLabel(/^total/)
      await total.fill(text)
      await total.press('Enter')
      const release = await held
      const opened = async (key: string) => {
        await page.goto(`${site.origin}/#/Order?open=${key}`)
        await panel()
          .getByRole('heading', { name: `Order ${key}` })
          .waitFor()
      }
      await opened('A-014')
      if (when === 'before') await opened('A-013')
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await release()
      await answered
      expect(store.Order.get('A-013')?.total).toBe(Number(text))
      await opened('A-013')
      await expect.poll(() => total.inputValue(), patiently).toBe(text)
      await expect.poll(() => panel().locator('.field.changed').count(), patiently).toBe(0)
    },
  )

  test('of a new entity that is created once are saved for it when typed meanwhile', async () => {
    const count = store.Customer.all().count
    await page.goto(`${site.origin}/#/Customer?open=`)
    const held = holdSaves('Customer')
    const city = panel().getByLabel(/^city/)
    await panel().getByLabel(/^name/).fill('New')
    await panel().getByRole('button', { name: 'Create' }).click()
    const release = await held
    await city.press('Enter')
    await city.fill('late')
    await release()
    await panel().getByRole('heading', { name: 'Customer 4' }).waitFor()
    await expect.poll(() => city.inputValue(), patiently).toBe('late')
    expect(await panel().locator('.field.changed').count()).toBe(1)
    await panel().getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => store.Customer.get(4)?.city, patiently).toBe('late')
    expect(store.Customer.all().count).toBe(count + 1)
    await page.goto(`${site.origin}/#/Customer?open=`)
    await panel().getByRole('heading', { name: 'New Customer' }).waitFor()
    expect(await city.inputValue()).toBe('')
  })

  test('refused in a form are all marked', async () => {
    await page.goto(`${site.origin}/#/Order?open=`)
    await panel().getByLabel(/^code/).fill('N-1')
    await panel()
      .getByLabel(/^total/)
      .fill('-4')
    await panel()
      .getByLabel(/^status/)
      .fill('much too long')
    await panel().getByRole('button', { name: 'Create' }).click()
    await expect
      .poll(() => panel().locator('.field.wrong label').allInnerTexts(), patiently)
      .toEqual([expect.stringMatching(/^total/), expect.stringMatching(/^status/)])
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('field-total')
    expect(await violationsOf(page)).toEqual([])
    expect(site.problems).toEqual([])
  })
})

describe.skipIf(executable === null)('objects whose members look like the protocol', () => {
  const object = {
    __deferred: { uri: '/rest/Company(1)', __KEY: '1' },
    __KEY: '2',
    __STAMP: 9,
    __STATUS: { success: false },
    __ENTITIES: [{ __KEY: '3', lastName: 'Other' }],
    __ERROR: [{ message: 'None' }],
  }
  let store: People
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createPeople()
    store.Employee.update(6, { notes: object })
    site = await openExplorer(store, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    page = site.page
    await page.goto(`${site.origin}/#/Employee?filter=ID%20%3D%206&columns=ID,notes`)
    await page.locator('.grid td').first().waitFor()
  })

  afterAll(() => site?.close())

  const cell = () => page.locator('.grid tbody td').nth(1)
  const panel = () => page.locator('aside.panel')
  const copied = async () => JSON.parse(await page.evaluate('navigator.clipboard.readText()'))

  test('are shown, copied and exported unchanged', async () => {
    expect(JSON.parse(await cell().innerText())).toEqual(object)
    await cell().focus()
    await page.keyboard.press('Control+c')
    await page.locator('.notice', { hasText: 'Copied' }).waitFor()
    expect(await copied()).toEqual({ ID: 6, notes: object })
    await choose(page, 'Export…')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'JSON' }).click(),
    ])
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toEqual([
      { ID: 6, notes: object },
    ])
  })

  test('are edited in a cell and in the form', async () => {
    await cell().focus()
    await page.keyboard.press('F2')
    const editor = page.locator('.cell-editor textarea')
    expect(JSON.parse(await editor.inputValue())).toEqual(object)
    await editor.fill(JSON.stringify({ ...object, __KEY: '7' }))
    await page.keyboard.press('Enter')
    await expect
      .poll(() => store.Employee.get(6)?.notes, patiently)
      .toEqual({
        ...object,
        __KEY: '7',
      })
    // The cell has the focus again when the editor has closed.
    await page.locator('td:focus').waitFor()
    await page.keyboard.press('Space')
    const field = panel().getByLabel(/^notes/)
    await expect.poll(() => field.inputValue(), patiently).toContain('"7"')
    await field.fill(JSON.stringify({ ...object, floor: 3 }))
    await panel().getByRole('button', { name: 'Save' }).click()
    await page.locator('.notice', { hasText: 'Saved.' }).waitFor()
    expect(store.Employee.get(6)?.notes).toEqual({ ...object, floor: 3 })
    expect(store.Employee.get(6)?.lastName).toBe('Name 006')
  })

  test('are back after a deletion is undone', async () => {
    await panel().getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.notice', { hasText: 'Undone: Employee 6 deleted.' }).waitFor()
    expect(store.Employee.get(6)?.notes).toEqual({ ...object, floor: 3 })
    expect(site.problems).toEqual([])
  })
})
