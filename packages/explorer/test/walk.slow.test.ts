import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { choose, executable, noChromium, openPage, type Watched } from './browser.ts'
import { createPeople, hostileName, type People, serveExplorer } from './people.ts'

if (executable === null) console.warn(`SKIPPED: ${noChromium}`)

describe.skipIf(executable === null)('the explorer in a browser', () => {
  let store: People
  let site: Awaited<ReturnType<typeof serveExplorer>>
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    store = createPeople()
    site = await serveExplorer(store)
    watched = await openPage(site.origin)
    page = watched.page
    await page.goto(`${site.origin}/`)
  })

  afterAll(async () => {
    await watched?.close()
    site?.close()
  })

  const rows = () => page.locator('table.grid tbody tr')
  const cells = (column: number) =>
    page.locator(`table.grid tbody td:nth-of-type(${column})`).allInnerTexts()
  const filter = () => page.getByRole('combobox', { name: /^Filter of/ })
  const counted = (text: string) => page.locator('.pager output', { hasText: text }).waitFor()
  const panel = () => page.locator('aside.panel')
  const showsNotice = (text: string) => page.locator('.notice', { hasText: text }).waitFor()
  const find = async (text: string, count: string) => {
    await filter().fill(text)
    await filter().press('Escape')
    await filter().press('Enter')
    await counted(`of ${count}`)
  }

  test('shows the catalog as a diagram with links below; a click shows the entities', async () => {
    await page.getByRole('link', { name: 'Company: show entities' }).waitFor()
    expect(await page.locator('path.relation title').allTextContents()).toEqual([
      'Employee.employer → Company',
    ])
    expect(await page.getByRole('link', { name: 'All <companies>' }).getAttribute('href')).toBe(
      '/rest/Company?$top=5',
    )
    await page.getByRole('link', { name: 'Employee: show entities' }).click()
    await counted('1–50 of 120')
    expect(await rows().count()).toBe(50)
  })

  test('shows values as text, never as HTML', async () => {
    await page.goto(`${site.origin}/#/Company`)
    await counted('of 2')
    expect(await cells(2)).toEqual(['Engines', hostileName])
    expect(await page.locator('table.grid img').count()).toBe(0)
    await page.goto(`${site.origin}/#/Employee`)
    await counted('of 120')
  })

  test('completes attributes, paths over relations and operators', async () => {
    await page.locator('body').press('/')
    await page.keyboard.type('emp')
    await page.getByRole('option', { name: /employer/ }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('ci')
    await expect
      .poll(() => page.locator('#completions [role=option] b').allInnerTexts())
      .toEqual(['city'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await filter().inputValue()).toBe('employer.city ')
    await page.keyboard.type('= London and salary > 100000')
    await page.keyboard.press('Enter')
    await counted('of 10')
    expect(page.url()).toContain('filter=')
  })

  test('marks an error at its position, and recalls earlier filters with arrow up', async () => {
    await filter().fill('salary > 5 and cty = x')
    await filter().press('Escape')
    await filter().press('Enter')
    await page.locator('.filter-error mark').waitFor()
    expect(await page.locator('.filter-error mark').innerText()).toBe('cty')
    await filter().press('ArrowUp')
    await filter().press('ArrowUp')
    expect(await filter().inputValue()).toBe('employer.city = London and salary > 100000')
    await filter().press('Enter')
    await counted('of 10')
  })

  test('sorts by a header: ascending, descending, none; the address keeps the order', async () => {
    const salary = page.getByRole('button', { name: /^salary/ })
    await salary.click()
    await page.locator('th[aria-sort="ascending"]').waitFor()
    await salary.click()
    await page.locator('th[aria-sort="descending"]').waitFor()
    await expect
      .poll(() => cells(3))
      .toEqual([
        '119000',
        '117000',
        '115000',
        '113000',
        '111000',
        '109000',
        '107000',
        '105000',
        '103000',
        '101000',
      ])
    await page.reload()
    await page.locator('th[aria-sort="descending"]').waitFor()
    await page.goBack()
    await page.locator('th[aria-sort="ascending"]').waitFor()
    await expect.poll(async () => (await cells(3))[0]).toBe('101000')
  })

  test('sorts by single values and labels; an address with another order loses it', async () => {
    await page.goto(`${site.origin}/#/Employee?order=employer%20asc,%20salary%20desc,%20gone`)
    await counted('of 120')
    await page.locator('th[aria-sort="descending"]', { hasText: 'salary' }).waitFor()
    const heads = await page.locator('th button').allInnerTexts()
    expect(heads.map((head) => head.trim())).toEqual([
      'ID ◆',
      'lastName ●',
      'salary ● ↓',
      'active',
      'hired',
      'employer',
    ])
    await page.getByRole('button', { name: 'hired' }).click({ modifiers: ['Shift'] })
    await page.locator('th[aria-sort="ascending"]', { hasText: 'hired' }).waitFor()
    expect(decodeURIComponent(page.url())).toContain('order=salary desc, hired asc')
    expect(watched.refusals).toEqual([expect.stringContaining('cty')])
  })

  test('draws the plan of the query, with index, counts and time', async () => {
    await page.goto(`${site.origin}/#/Employee`)
    await find('employer.city = London and salary > 100000', '10')
    await page.getByRole('link', { name: 'Plan' }).click()
    const taken = page.getByRole('list', { name: 'Plan, step by step' })
    await taken.waitFor()
    expect(await taken.getByRole('listitem').first().getAttribute('aria-label')).toMatch(
      /^page, .*10 found, 10 expected/,
    )
    expect(await taken.innerHTML()).toContain('Employee.salary')
    const parts = page.getByRole('list', { name: 'Parts, step by step' }).getByRole('listitem')
    const labels = await Promise.all(
      (await parts.all()).map((part) => part.getAttribute('aria-label')),
    )
    const shown = labels
      .filter((label) => label !== null)
      .map((label) => label.replace(/, [\d.]+ ms$/, ', time'))
    expect(shown).toEqual([
      'AND, 10 found, time',
      'salary > 100000, index Employee.salary, 20 found, time',
      'Join with Company, Employee.employer = Company.ID, 60 found, time',
      "city === 'London', scans every Company, 1 found, time",
    ])
    await page.getByRole('link', { name: 'Entities' }).click()
  })

  test('works with the keyboard: arrows in the grid, Space opens, Escape closes', async () => {
    await page.goto(`${site.origin}/#/Employee`)
    await counted('of 120')
    await rows().nth(0).locator('td').nth(0).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.locator('td:focus').innerText()).toBe('Name 002')
    await page.keyboard.press('Space')
    await panel().getByRole('heading', { name: 'Employee 2' }).waitFor()
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
  })

  test('pages and selects columns', async () => {
    await page.getByRole('button', { name: 'Last page' }).click()
    await counted('101–120 of 120')
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('checkbox', { name: /^hired/ }).uncheck()
    await expect.poll(() => page.getByRole('columnheader', { name: /hired/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: /^hired/ }).waitFor({ state: 'hidden' })
    expect(page.url()).toContain('columns=')
  })

  test('follows relations there and back, with a trail', async () => {
    await page.goto(`${site.origin}/#/Company`)
    await counted('of 2')
    await page.getByRole('link', { name: 'staff ⇉' }).first().click()
    await counted('of 60')
    expect(await page.getByRole('navigation', { name: 'Trail' }).innerText()).toMatch(
      /people\s+Company 1 \.staff\s+Employee/,
    )
    await page.getByRole('link', { name: 'Engines →' }).first().click()
    await panel().getByRole('heading', { name: 'Company 1' }).waitFor()
    expect(await filter().inputValue()).toBe("ID === '1'")
    await page.goBack()
    await counted('of 60')
  })

  test('saves a change; shows a refused value at its field', async () => {
    await page.goto(`${site.origin}/#/Employee?open=7`)
    const salary = panel().getByLabel(/^salary/)
    await salary.fill('-5')
    await panel().getByRole('button', { name: 'Save' }).click()
    const problem = panel().locator('.field-problem')
    await problem.waitFor()
    expect(await problem.innerText()).toContain('"salary"')
    expect(await salary.getAttribute('aria-invalid')).toBe('true')
    await salary.fill('7777')
    await panel()
      .getByLabel(/^active/)
      .selectOption('false')
    await panel()
      .getByLabel(/^notes/)
      .fill('{"floor":3}')
    await panel()
      .getByLabel(/^hired/)
      .fill('2021-05-06')
    await panel().getByRole('button', { name: 'Save' }).click()
    await showsNotice('Saved.')
    const saved = store.Employee.get(7)
    expect([saved?.salary, saved?.active, saved?.notes, saved?.hired]).toEqual([
      7777,
      false,
      { floor: 3 },
      '2021-05-06',
    ])
    await expect.poll(async () => (await cells(3))[6]).toBe('7777')
  })

  test('shows both values of a conflict, to take or to overwrite', async () => {
    await panel()
      .getByLabel(/^lastName/)
      .fill('Mine')
    store.Employee.update(7, { lastName: 'Theirs', salary: 1 })
    await panel().getByRole('button', { name: 'Save' }).click()
    const conflict = panel().getByRole('alert', { name: 'Conflict' })
    await conflict.waitFor()
    expect(await conflict.locator('tbody tr').allInnerTexts()).toEqual([
      'lastName\tMine\tTheirs',
      'salary\t7777\t1',
    ])
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click()
    await conflict.waitFor({ state: 'detached' })
    expect([store.Employee.get(7)?.lastName, store.Employee.get(7)?.salary]).toEqual(['Mine', 1])

    await panel()
      .getByLabel(/^lastName/)
      .fill('Mine again')
    await page.keyboard.press('Escape')
    await showsNotice('Not saved yet')
    store.Employee.update(7, { lastName: 'Theirs again' })
    await panel().getByRole('button', { name: 'Save' }).click()
    await conflict.getByRole('button', { name: 'Take theirs' }).click()
    await expect
      .poll(() =>
        panel()
          .getByLabel(/^lastName/)
          .inputValue(),
      )
      .toBe('Theirs again')
    expect(store.Employee.get(7)?.lastName).toBe('Theirs again')
  })

  test('keeps an unsaved form while other entities are open', async () => {
    const field = panel().getByLabel(/^lastName/)
    await page.goto(`${site.origin}/#/Employee?open=10`)
    await panel().getByRole('heading', { name: 'Employee 10' }).waitFor()
    await field.fill('Begun')
    await page.goto(`${site.origin}/#/Employee?open=11`)
    await showsNotice('Not saved: Employee 10 keeps your changes')
    await panel().getByRole('heading', { name: 'Employee 11' }).waitFor()
    expect(await field.inputValue()).toBe('Name 011')
    store.Employee.update(10, { salary: 5 })
    await page.goto(`${site.origin}/#/Employee?open=10`)
    await panel().getByRole('heading', { name: 'Employee 10' }).waitFor()
    expect(await field.inputValue()).toBe('Begun')
    // Editing began before the other change: saving shows a conflict and does not overwrite.
    await panel().getByRole('button', { name: 'Save' }).click()
    await panel().getByRole('alert', { name: 'Conflict' }).waitFor()
    await panel().getByRole('button', { name: 'Close' }).click()
    await page.goto(`${site.origin}/#/Employee?open=10`)
    await panel().getByRole('heading', { name: 'Employee 10' }).waitFor()
    await expect.poll(() => field.inputValue()).toBe('Name 010')
  })

  test('locks an entity, and reports a lock of another session', async () => {
    const login = await fetch(`${site.origin}/rest/Employee[8]?$lock=true`)
    expect(await login.json()).toMatchObject({ result: true })
    await page.goto(`${site.origin}/#/Employee?open=8`)
    await panel()
      .getByLabel(/^lastName/)
      .fill('Locked out')
    await panel().getByRole('button', { name: 'Save' }).click()
    await panel()
      .getByText(/Already locked/)
      .first()
      .waitFor()
    await panel().getByRole('button', { name: 'Close' }).click()
    await page.goto(`${site.origin}/#/Employee?open=9`)
    await panel().getByRole('button', { name: 'Lock' }).click()
    await panel().getByRole('button', { name: 'Unlock' }).click()
    await showsNotice('Unlocked.')
  })

  test('uploads an image, shows it in the grid and removes it', async () => {
    await page.goto(`${site.origin}/#/Employee?open=3`)
    const base64 =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
    await panel()
      .getByLabel(/^photo/)
      .setInputFiles(file)
    const thumbnail = page.getByRole('img', { name: 'photo of 3', exact: true })
    await thumbnail.waitFor()
    await expect
      .poll(() => thumbnail.evaluate((image) => Reflect.get(image, 'naturalWidth')))
      .toBe(1)
    await panel().getByRole('img', { name: 'photo of Employee 3' }).waitFor()
    await panel().getByRole('button', { name: 'Remove' }).click()
    await thumbnail.waitFor({ state: 'detached' })
    expect(store.Employee.get(3)?.photo).toBeNull()
  })

  test('creates and deletes entities', async () => {
    await page.goto(`${site.origin}/#/Employee`)
    await page.getByRole('button', { name: 'New Employee' }).click()
    await panel()
      .getByLabel(/^lastName/)
      .fill('New one')
    await panel()
      .getByLabel(/^employer/)
      .fill('2')
    await panel().getByRole('button', { name: 'Create' }).click()
    await panel().getByRole('heading', { name: 'Employee 121' }).waitFor()
    expect(store.Employee.get(121)?.lastName).toBe('New one')
    const remove = async () => {
      await panel().getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    }
    await remove()
    await panel().waitFor({ state: 'detached' })
    expect(store.Employee.get(121)).toBeUndefined()
  })

  test('stores selections as sets, combines them by mouse or keyboard, and releases them', async () => {
    await find('salary > 100000', '20')
    await choose(page, 'Keep this selection')
    await showsNotice('Kept 20 of Employee')
    await find('active = true', '59')
    await choose(page, 'Keep this selection')
    await showsNotice('Kept 59 of Employee')
    const kept = page.getByRole('region', { name: 'Entity sets' }).getByRole('listitem')
    expect(await kept.count()).toBe(2)
    expect(await kept.nth(0).locator('.countdown').innerText()).toMatch(/^(1:59|2:00):\d\d$/)

    await kept.nth(0).dragTo(kept.nth(1))
    await page.getByRole('dialog').getByRole('button', { name: /^AND/ }).click()
    await showsNotice('Kept 10 of Employee as "salary > 100000 ∩ active = true"')
    await kept
      .nth(2)
      .getByRole('button', { name: /10 of Employee/ })
      .click()
    await counted('of 10')
    expect(await page.getByRole('navigation', { name: 'Trail' }).innerText()).toContain(
      'salary > 100000 ∩ active = true',
    )

    await kept.nth(0).getByRole('button', { name: 'Combine salary > 100000' }).press('Enter')
    await page.getByRole('button', { name: /^INTERSECT/ }).press('Enter')
    await showsNotice('share entities.')
    await kept
      .nth(1)
      .getByRole('button', { name: /^Release/ })
      .click()
    await showsNotice('Released "active = true".')
    expect(await kept.count()).toBe(2)
  })

  test('marks an expired set', async () => {
    const id = /set=([0-9A-F]+)/.exec(page.url())?.[1]
    await fetch(`${site.origin}/rest/Employee/$entityset/${id}?$method=release`)
    await page.reload()
    await page.getByText('The set is gone.').waitFor()
    await page.locator('.kept.gone', { hasText: '∩' }).waitFor()
  })

  test('computes aggregates and draws a chart', async () => {
    await page.goto(`${site.origin}/#/Employee?view=chart`)
    const facts = page.getByRole('region', { name: 'Aggregates of the selection' })
    await facts.getByText('120', { exact: true }).first().waitFor()
    expect(await facts.locator('tbody tr', { hasText: 'salary' }).innerText()).toMatch(
      /^salary\t120\t7,2\d\d,\d{3}\t/,
    )
    await page.getByRole('img', { name: 'Chart: average of salary by hired, 7 values' }).waitFor()
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('count')
    await page.getByRole('combobox', { name: 'by', exact: true }).selectOption('active')
    const chart = page.getByRole('img', { name: 'Chart: count by active, 2 values' })
    await chart.waitFor()
    expect(await chart.locator('rect title').allTextContents()).toEqual(['false: 61', 'true: 59'])
  })

  test('sent requests only to its server, without errors', () => {
    expect(watched.problems).toEqual([])
  })
})
