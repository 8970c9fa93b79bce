import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineOf } from '../src/page/export-data.ts'
import { cellsOf, withoutApostrophe } from '../src/page/table-text.ts'
import {
  choose,
  executable,
  type OpenExplorer,
  openExplorer,
  patiently,
  resize,
} from './browser.ts'
import { createPeople, type People } from './people.ts'

test('the cells of a copied table are those that were copied', () => {
  const texts = ['', 'a', 'tab\there', 'line\nbreak', 'carriage\r\nreturn', '"', 'say "x"', ' ']
  for (const one of texts)
    for (const other of texts) {
      const rows = [
        [one, other, 'end'],
        [other, one, ''],
      ]
      expect(cellsOf(rows.map((row) => lineOf(row, 'tsv')).join(''))).toEqual(rows)
    }
  expect(cellsOf('')).toEqual([])
  expect(cellsOf('a\tb\nc')).toEqual([['a', 'b'], ['c']])
  expect(cellsOf('"open')).toEqual([['open']])
  expect(["'=1+1", "'t is", '=1'].map(withoutApostrophe)).toEqual(['=1+1', "'t is", '=1'])
})

describe.skipIf(executable === null)('a paste from a spreadsheet', () => {
  let store: People
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createPeople()
    site = await openExplorer(store, { permissions: ['clipboard-read', 'clipboard-write'] })
    page = site.page
    await page.goto(
      `${site.origin}/#/Employee?filter=ID%20%3C%209&columns=ID,lastName,salary,active,hired,employer`,
    )
    await page.locator('.grid td').first().waitFor()
  })

  afterAll(() => site?.close())

  const dialog = () => page.getByRole('dialog')
  const paste = async (row: number, column: number, text: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await page.locator('.grid tbody tr').nth(row).locator('td').nth(column).focus()
    await page.keyboard.press('Control+v')
    await dialog().waitFor()
  }
  const says = (text: string | RegExp) => dialog().getByText(text).first().waitFor()
  const notice = (text: string) => page.locator('.notice', { hasText: text }).waitFor()
  const closed = () => dialog().waitFor({ state: 'detached' })
  const lines = () => dialog().locator('tbody tr').allInnerTexts()

  test('shows what would change from the focused cell on, and what is refused', async () => {
    await paste(0, 1, 'One\t11\tTRUE\n"Two"\t-5\tno\nName 003\t3000\tTRUE\n')
    await says('1 of 2 rows can be saved, 1 refused.')
    expect((await lines()).map((line) => line.replace(/\s+/g, ' ').trim())).toEqual([
      '2 lastName Name 002 Two',
      '2 salary 2000 -5',
      '2 active false no This is neither true nor false.',
      '1 lastName Name 001 One',
      '1 salary 1000 11',
    ])
    expect(store.Employee.get(1)?.lastName).toBe('Name 001')
    // On a phone, too, no name is broken.
    await resize(page, { width: 390, height: 844 })
    for (const cell of await dialog().locator('thead th').all())
      expect((await cell.boundingBox())?.height).toBeLessThan(30)
    await resize(page, { width: 1280, height: 800 })
    await dialog().getByRole('button', { name: 'Change the other 1' }).click()
    await closed()
    await notice('1 of Employee pasted.')
    expect(store.Employee.get(1)).toMatchObject({ lastName: 'One', salary: 11, active: true })
    expect(store.Employee.get(2)).toMatchObject({ lastName: 'Name 002', salary: 2000 })
  })

  test('shows what the server refuses, with its message at the value', async () => {
    await paste(1, 2, '-5')
    await says(/"salary" cannot be less than 0/)
    expect(
      await dialog()
        .getByRole('button', { name: /^Change/ })
        .isDisabled(),
    ).toBe(true)
    await page.keyboard.press('Escape')
    await closed()
  })

  test('finds entities by the key in its line of names, and can be undone', async () => {
    await paste(0, 0, 'ID\tsalary\temployer\n' + '4\t44\t2\n999\t1\t1\n')
    await says('There is no such entity.')
    await dialog().getByRole('button', { name: 'Change the other 1' }).click()
    await closed()
    await expect.poll(() => store.Employee.get(4)?.salary, patiently).toBe(44)
    await page.keyboard.press('Control+z')
    await expect.poll(() => store.Employee.get(4)?.salary, patiently).toBe(4000)
    // A reference that is as before is no change.
    expect(store.Employee.get(4)?.employer?.ID).toBe(2)
  })

  test('counts the checked rows while the server checks them', async () => {
    const checks: Route[] = []
    const isCheck = (url: URL) => url.searchParams.get('$refresh') === 'true'
    await page.route(isCheck, (route) => void checks.push(route))
    const goOn = async (count: number) => {
      await expect.poll(() => checks.length, patiently).toBe(count)
      await checks[count - 1]?.continue()
    }
    await choose(page, 'Paste…')
    const lines = Array.from({ length: 1010 }, (_, at) => `New ${at}\t${at}`)
    await dialog()
      .getByLabel(/^Cells/)
      .fill(['lastName\tsalary', ...lines].join('\n'))
    await dialog().getByRole('progressbar', { name: 'Checked rows' }).waitFor()
    await says('0 of 1,010')
    await goOn(1)
    await says('1,000 of 1,010, 99 %')
    await goOn(2)
    await dialog().getByRole('button', { name: 'Create 1,010' }).waitFor()
    await page.unroute(isCheck)
    await page.keyboard.press('Escape')
    await closed()
  })

  test('creates new entities, all or none', async () => {
    await choose(page, 'Paste…')
    await dialog()
      .getByLabel(/^Cells/)
      .fill('lastName\tsalary\thired\temployer\nNew A\t1\t2024-02-29\t1\nNew B\t2\t\t77\n')
    await dialog().getByRole('button', { name: 'Create 2' }).click()
    await says(/The server refuses the batch/)
    expect(store.Employee.count).toBe(120)
    await dialog()
      .getByLabel(/^Cells/)
      .fill('lastName\tsalary\thired\temployer\nNew A\t1\t2024-02-29\t1\nNew B\t2\t\t2\n')
    await dialog().getByRole('button', { name: 'Create 2' }).click()
    await closed()
    await notice('2 of Employee pasted.')
    expect(store.Employee.get(122)).toMatchObject({ lastName: 'New B', salary: 2, hired: null })
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => store.Employee.count, patiently).toBe(120)
    expect(site.problems).toEqual([])
  })
})
