import { attribute, createDataStore, defineDataClass } from '@entia/core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, type OpenExplorer, openExplorer, patiently, violationsOf } from './browser.ts'
import { createOrders, type Orders } from './orders.ts'

/** Dataclasses whose label has a type other than text, and a booking that refers to each. */
function createBookings() {
  const key = attribute.string({ key: true })
  const Seat = defineDataClass('Seat', { ID: key, no: attribute.number() }, { label: 'no' })
  const Day = defineDataClass(
    'Day',
    { ID: key, on: attribute.date({ dateOnly: true }) },
    { label: 'on' },
  )
  const Row = defineDataClass(
    'Row',
    {
      ID: key,
      no: attribute.long(),
      shown: attribute.computed('string', { get: ({ no }: { no: number | null }) => `row ${no}` }),
    },
    { label: 'shown' },
  )
  const Hold = defineDataClass('Hold', { ID: key, paid: attribute.bool() }, { label: 'paid' })
  const Booking = defineDataClass('Booking', {
    ID: attribute.long({ key: true }),
    seat: attribute.relatedEntity('Seat'),
    day: attribute.relatedEntity('Day'),
    row: attribute.relatedEntity('Row'),
    hold: attribute.relatedEntity('Hold'),
  })
  const store = createDataStore({ name: 'bookings', dataClasses: [Booking, Seat, Day, Row, Hold] })
  store.Seat.load([1, 12, 12.5].map((no) => ({ ID: `s${no}`, no })))
  store.Day.load(['2024-02-29', '2024-03-01', '2025-01-01'].map((on) => ({ ID: `d${on}`, on })))
  store.Row.load([7, 8].map((no) => ({ ID: `r${no}`, no })))
  store.Hold.load([true, false].map((paid) => ({ ID: `h-${paid}`, paid })))
  store.Booking.load([{ ID: 1, seat: 's12', day: 'd2025-01-01', row: 'r7', hold: 'h-false' }])
  return store
}

describe.skipIf(executable === null)('relations in the explorer', () => {
  let store: Orders
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createOrders()
    site = await openExplorer(store)
    page = site.page
  })

  afterAll(() => site?.close())

  const panel = () => page.locator('aside.panel')
  const picker = () => panel().getByRole('combobox', { name: /^customer/ })
  const cell = (row: number, column: number) =>
    page.locator('.grid tbody tr').nth(row).locator('td').nth(column)
  const editor = () => page.locator('.cell-editor')
  const options = () => panel().getByRole('option').allInnerTexts()

  test('show their counts, with one request for each relation and page', async () => {
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('groupby')) asked.push(request.url())
    })
    await page.goto(`${site.origin}/#/Customer`)
    await page.getByRole('link', { name: '30 orders ⇉' }).waitFor()
    await page.getByRole('link', { name: '2 visits ⇉' }).waitFor()
    expect(await page.locator('.grid tbody tr').nth(2).innerText()).toMatch(/0 orders.*1 visits/s)
    expect(asked).toHaveLength(2)
  })

  test('to one entity show its label, and sort by it', async () => {
    await page.goto(`${site.origin}/#/Order?columns=code,customer`)
    const shown = page.locator('.grid td a')
    await expect
      .poll(async () => (await shown.allInnerTexts()).slice(0, 2), patiently)
      .toEqual(['Ada Byron →', "O'Neill & Sons →"])
    await page.getByRole('button', { name: 'customer' }).click()
    await expect.poll(() => page.url()).toContain('order=customer.name%20asc')
    await expect
      .poll(async () => (await shown.allInnerTexts()).slice(0, 2), patiently)
      .toEqual(['Ada Byron →', 'Ada Byron →'])
    const header = page.locator('.grid th', { hasText: 'customer' })
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
  })

  test('are chosen by label with the keyboard', async () => {
    await page.goto(`${site.origin}/#/Order?open=A-001`)
    await expect.poll(() => picker().inputValue(), patiently).toBe('Ada Byron (1)')
    await picker().fill('o')
    await expect.poll(options, patiently).toEqual([expect.stringMatching(/^O'Neill & Sons\s2$/)])
    expect(await violationsOf(page)).toEqual([])
    await picker().press('Enter')
    expect(await picker().inputValue()).toBe("O'Neill & Sons (2)")
    await panel().getByRole('button', { name: 'Save' }).click()
    await page.locator('.notice', { hasText: 'Saved.' }).waitFor()
    expect(store.Order.get('A-001')?.customer?.ID).toBe(2)
    await picker().press('ArrowDown')
    await expect.poll(options, patiently).toHaveLength(3)
    await picker().press('Escape')
    await picker().fill('')
    await panel().getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => store.Order.get('A-001')?.customer, patiently).toBeNull()
  })

  test('are chosen by key, and in a cell', async () => {
    await picker().fill('3')
    await expect.poll(options, patiently).toEqual([expect.stringMatching(/^Zoë\s3$/)])
    await panel().getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => store.Order.get('A-001')?.customer?.ID, patiently).toBe(3)
    await expect.poll(() => picker().inputValue(), patiently).toBe('Zoë (3)')
    await page.goto(`${site.origin}/#/Order?columns=code,customer&order=code%20asc`)
    await panel().waitFor({ state: 'detached' })
    await cell(0, 1).focus()
    await page.keyboard.press('F2')
    await editor().getByRole('combobox').fill('ada')
    await editor().getByRole('option', { name: 'Ada Byron' }).waitFor()
    await editor().getByRole('combobox').press('Tab')
    await expect.poll(() => store.Order.get('A-001')?.customer?.ID, patiently).toBe(1)
    expect(site.problems).toEqual([])
  })

  test('are typed over a label that arrives after the editor has opened', async () => {
    await page.keyboard.press('Escape')
    await editor().waitFor({ state: 'detached' })
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const labels = (url: URL) => url.pathname.endsWith('/Customer[1]')
    await page.route(labels, async (route) => {
      await held
      await route.continue()
    })
    await cell(0, 1).focus()
    await page.keyboard.press('F2')
    const input = editor().getByRole('combobox')
    await expect.poll(() => input.inputValue(), patiently).toBe('1')
    answer()
    await expect.poll(() => input.inputValue(), patiently).toBe('Ada Byron (1)')
    await page.unroute(labels)
    await page.keyboard.type('zo')
    await expect.poll(() => input.inputValue(), patiently).toBe('zo')
    await editor().getByRole('option', { name: 'Zoë' }).waitFor()
  })

  test('that are found stay when a reload moves the row', async () => {
    const input = editor().getByRole('combobox')
    expect(await input.inputValue()).toBe('zo')
    store.Order.insert({ code: 'A-000', total: 1, status: 'new', customer: 2 })
    await page.getByRole('button', { name: 'Refresh' }).dispatchEvent('click')
    await page.locator('.grid tbody tr', { hasText: 'A-000' }).waitFor()
    await page.evaluate('document.activeElement.blur()')
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("role")'))
      .toBe('combobox')
    await editor().getByRole('option', { name: 'Zoë' }).waitFor()
    await input.press('Enter')
    await input.press('Enter')
    await expect.poll(() => store.Order.get('A-001')?.customer?.ID, patiently).toBe(3)
    expect(site.problems).toEqual([])
  })
})

describe.skipIf(executable === null)('relations whose label is not a text', () => {
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    site = await openExplorer(createBookings())
    page = site.page
    await page.goto(`${site.origin}/#/Booking?open=1`)
  })

  afterAll(() => site?.close())

  test.each([
    { name: 'seat', shown: '12 (s12)', typed: '12.5', found: ['12.5 s12.5'] },
    { name: 'seat', shown: '12.5', typed: 's1', found: ['1 s1', '12 s12', '12.5 s12.5'] },
    {
      name: 'day',
      shown: '2025-01-01 (d2025-01-01)',
      typed: '2024',
      found: ['2024-02-29 d2024-02-29', '2024-03-01 d2024-03-01'],
    },
    { name: 'day', shown: '2024', typed: '2024-02', found: ['2024-02-29 d2024-02-29'] },
    { name: 'row', shown: 'row 7 (r7)', typed: 'row', found: ['row 7 r7', 'row 8 r8'] },
    { name: 'hold', shown: 'false (h-false)', typed: 'true', found: ['true h-true'] },
  ])('are found by typing: $name $typed', async ({ name, shown, typed, found }) => {
    const picker = page.locator('aside.panel').getByRole('combobox', { name })
    await expect.poll(() => picker.inputValue(), patiently).toBe(shown)
    await picker.fill(typed)
    const options = page.locator('aside.panel').getByRole('option')
    await expect
      .poll(
        async () => (await options.allInnerTexts()).map((one) => one.replace(/\s+/g, ' ')),
        patiently,
      )
      .toEqual(found)
    await picker.press('Escape')
  })

  test('offer nothing where neither label nor key can begin with it', async () => {
    const picker = page.locator('aside.panel').getByRole('combobox', { name: 'seat' })
    await picker.fill('zz')
    await expect.poll(() => picker.getAttribute('aria-expanded')).toBe('false')
    await picker.press('Escape')
    // Of a key that was typed but does not exist, the label is asked with a 404.
    expect(site.refusals.filter((one) => !one.startsWith('404 '))).toEqual([])
  })

  test('are named in the dialog of a deletion', async () => {
    await page.goto(`${site.origin}/#/Seat?open=s12`)
    await page.locator('aside.panel').getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('listitem').first().innerText()).toBe('s12 12')
    expect(site.problems).toEqual([])
  })
})
