import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { durationText } from '../src/page/labels.ts'
import { isSelected, rangeOfRows, selectedCount, withRows } from '../src/page/selected.ts'
import { batchesOf, filterParts } from '../src/page/write-batches.ts'
import { executable, type OpenExplorer, openExplorer, patiently } from './browser.ts'
import { createPeople, type People } from './people.ts'

test('rows are selected one by one and by ranges, also from all of the selection', () => {
  const all = withRows({ isAll: true, keys: new Set() }, ['2', '3'], false)
  expect([selectedCount(all, 9), isSelected(all, '2'), isSelected(all, '4')]).toEqual([
    7,
    false,
    true,
  ])
  expect(withRows(all, ['2', '3'], true)).toEqual({ isAll: true, keys: new Set() })
  expect(rangeOfRows(['a', null, 'c', 'd'], 'd', 'a')).toEqual(['a', 'c', 'd'])
  expect(rangeOfRows(['a', 'b'], 'gone', 'b')).toEqual(['b'])
})

test('batches have no more items and bytes than a server takes', () => {
  const small = Array.from({ length: 2500 }, (_, ID) => ({ ID }))
  const lengthsOf = (parts: Iterable<readonly unknown[]>) => Array.from(parts, (one) => one.length)
  expect(lengthsOf(batchesOf(small))).toEqual([1000, 1000, 500])
  const large = Array.from({ length: 9 }, () => ({ text: 'x'.repeat(60_000) }))
  expect(lengthsOf(batchesOf(large))).toEqual([2, 2, 2, 2, 1])
  const keys = Array.from({ length: 90 }, (_, at) => `${at} ${'k'.repeat(100)}`)
  expect([...filterParts(keys)].flat()).toEqual(keys)
  expect(lengthsOf(filterParts(keys))).toEqual([34, 34, 22])
  expect(['8 s', '2 min', '3 h']).toEqual([8000, 61_000, 8_000_000].map(durationText))
})

describe.skipIf(executable === null)('selected rows', () => {
  let store: People
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createPeople()
    site = await openExplorer(store, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    page = site.page
  })

  afterAll(() => site?.close())

  const show = async (filter: string, columns = 'ID,lastName,salary') => {
    await page.goto(`${site.origin}/#/`)
    const query = `filter=${encodeURIComponent(filter)}&columns=${columns}`
    await page.goto(`${site.origin}/#/Employee?${query}`)
    await page.locator('.grid td').first().waitFor()
  }
  const box = (key: string) => page.getByRole('checkbox', { name: `Select ${key}`, exact: true })
  const bar = () => page.getByRole('toolbar', { name: 'Selected rows' })
  const selected = (count: string) => bar().getByText(`${count} selected`).waitFor()
  const dialog = () => page.getByRole('dialog')
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  const notice = (text: string) => page.locator('.notice', { hasText: text }).waitFor()
  const salaries = (ids: readonly number[]) => ids.map((ID) => store.Employee.get(ID)?.salary)

  test('are chosen with boxes, Shift and Ctrl, and on all pages at once', async () => {
    await show('')
    await box('2').click()
    await box('5').click({ modifiers: ['Shift'] })
    await selected('4')
    expect(await page.locator('tr[aria-selected=true]').count()).toBe(4)
    await page
      .locator('.grid tbody tr')
      .nth(2)
      .locator('td')
      .nth(1)
      .click({ modifiers: ['Control'] })
    await selected('3')
    // Another page keeps them.
    await page.getByRole('button', { name: 'Next page' }).click()
    await box('52').click()
    await selected('4')
    await bar().getByRole('button', { name: 'Select all 120' }).click()
    await selected('120')
    await box('60').click()
    await selected('119')
    await bar().getByRole('button', { name: 'Select no row' }).click()
    await bar().waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select the rows of this page' }).click()
    await selected('50')
    // Another filter selects other entities.
    await show('ID < 9')
    expect(await bar().count()).toBe(0)
  })

  test('are chosen with the keyboard, and copied as a table and as JSON', async () => {
    await show('ID < 9')
    await page.locator('.grid tbody td').nth(0).focus()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await selected('3')
    await page.keyboard.press('Shift+Space')
    await selected('2')
    store.Employee.update(2, { lastName: 'Two\t"lines"' })
    // The numbers come before the server answers.
    await page.route('**/*entityset*', async (route) => {
      await notice('Copying 0 of 2 of Employee')
      await route.continue()
    })
    await page.keyboard.press('Control+c')
    await notice('Copied 2 of Employee as a table.')
    await page.unroute('**/*entityset*')
    expect(await copied()).toBe(
      'ID\tlastName\tsalary\r\n1\tName 001\t1000\r\n2\t"Two\t""lines"""\t2000',
    )
    await bar().getByRole('button', { name: 'Copy JSON' }).click()
    await notice('Copied 2 of Employee as JSON.')
    expect(JSON.parse(await copied())[0]).toEqual({ ID: 1, lastName: 'Name 001', salary: 1000 })
    await page.locator('.grid tbody td').nth(0).focus()
    await page.keyboard.press('Control+a')
    await selected('8')
  })

  test('change together, or not at all if the server refuses one', async () => {
    await show('ID > 10 and ID < 15')
    await box('11').click()
    await box('13').click({ modifiers: ['Shift'] })
    await bar().getByRole('button', { name: 'Change…' }).click()
    await dialog().getByLabel('Attribute').selectOption('salary')
    await dialog().getByLabel('New value').fill('-1')
    await dialog().getByRole('button', { name: 'Change', exact: true }).click()
    await dialog()
      .getByText(/11, 12, 13: .*salary/)
      .waitFor()
    expect(salaries([11, 12, 13])).toEqual([11_000, 12_000, 13_000])
    await dialog().getByLabel('New value').fill('7')
    await dialog().getByRole('button', { name: 'Change', exact: true }).click()
    await notice('salary of 3 of Employee changed.')
    expect(salaries([11, 12, 13, 14])).toEqual([7, 7, 7, 14_000])
  })

  test('change to the end when each change takes them out of the selection', async () => {
    const IDs = Array.from({ length: 2500 }, (_, at) => 1001 + at)
    store.Employee.load(IDs.map((ID) => ({ ID, lastName: 'New', salary: 1 })))
    await show('ID > 1000 and salary = 1')
    await page.locator('.grid tbody td').nth(0).focus()
    await page.keyboard.press('Control+a')
    await selected('2,500')
    await bar().getByRole('button', { name: 'Change…' }).click()
    await dialog().getByLabel('Attribute').selectOption('salary')
    await dialog().getByLabel('New value').fill('2')
    // Between two batches the page loads again, and in the end it has no row.
    await page.route('**/Employee?*atomic*', async (route) => {
      const reply = await route.fetch()
      await page.evaluate("document.querySelector('[aria-label=Refresh]').click()")
      await page.locator('.grid-frame[aria-busy=false]').waitFor()
      const numbers = await dialog().locator('.progress').innerText()
      expect(numbers).toContain('of 2,500')
      await route.fulfill({ response: reply })
    })
    await dialog().getByRole('button', { name: 'Change', exact: true }).click()
    await notice('salary of 2,500 of Employee changed.')
    await page.unroute('**/Employee?*atomic*')
    expect(store.Employee.query('salary = 2').count).toBe(2500)
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('Clear the filter').waitFor()
    store.Employee.query('ID > 1000').remove()
  })

  test('are exported and deleted without the other rows', async () => {
    await show('ID > 20 and ID < 30')
    await page.getByRole('checkbox', { name: 'Select the rows of this page' }).click()
    await bar().getByRole('button', { name: 'Select all' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+a')
    await box('25').click()
    await selected('8')
    await bar().getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog().getByRole('button', { name: 'JSON' }).click(),
    ])
    const exported: { ID: number }[] = JSON.parse(readFileSync(await download.path(), 'utf8'))
    expect(exported.map(({ ID }) => ID)).toEqual([21, 22, 23, 24, 26, 27, 28, 29])
    await bar().getByRole('button', { name: 'Delete' }).click()
    await dialog().getByRole('heading', { name: 'Delete 8 of Employee?' }).waitFor()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await expect.poll(() => store.Employee.count, patiently).toBe(112)
    expect(store.Employee.get(25)?.ID).toBe(25)
    await bar().waitFor({ state: 'detached' })
    expect(site.problems).toEqual([])
  })
})
