import type { Page } from 'playwright-core'
import { choose, resize } from './browser.ts'
import type { People } from './people.ts'

/** A view of the explorer: its address, and the steps that lead to it from there. */
export interface View {
  readonly name: string
  readonly hash: string
  /** Shown when the view is complete. */
  readonly ready: string
  readonly act?: (page: Page, store: People) => Promise<unknown>
}

const few = encodeURIComponent('ID < 9')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const cell = (page: Page, row: number, column: number) =>
  page.locator('.grid tbody tr').nth(row).locator('td').nth(column)
const panel = (page: Page) => page.locator('aside.panel')

/** Every view of the page for users who may do everything. */
export const views: readonly View[] = [
  { name: 'diagram', hash: '#/', ready: '.class-box' },
  {
    name: 'diagram from afar, with a search',
    hash: '#/',
    ready: '.class-box',
    async act(page) {
      for (let times = 0; times < 6; times++) await button(page, 'Zoom out').click()
      await page.getByRole('searchbox', { name: 'Find in the diagram' }).fill('emp')
    },
  },
  { name: 'grid', hash: `#/Employee?filter=${few}&order=salary%20desc`, ready: '.grid td' },
  { name: 'grid without an entity', hash: '#/Employee?filter=ID%20%3D%200', ready: '.empty' },
  {
    name: 'relation with its trail',
    hash: '#/Employee?via=Company/1/staff&filter=ID%20%3C%209',
    ready: '.grid td',
  },
  {
    name: 'columns',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    act: (page) => page.getByText('Columns', { exact: true }).click(),
  },
  {
    name: 'saved views, and a sized column',
    hash: `#/Employee?filter=${few}&columns=salary,ID,lastName&widths=ID:90&name=Nine`,
    ready: '.grid td',
    async act(page) {
      await page.getByText('Views', { exact: true }).click()
      await button(page, 'Save').click()
      await page.getByRole('link', { name: 'Nine' }).waitFor()
    },
  },
  {
    name: 'menu of the selection',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await button(page, 'More').click()
      await page.getByRole('menuitem', { name: 'Delete…' }).waitFor()
    },
  },
  {
    name: 'completions',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await page.locator('#filter').fill('')
      await page.locator('#filter').pressSequentially('sal')
      await page.locator('#completions [role=option]').first().waitFor()
      await page.keyboard.press('ArrowDown')
    },
  },
  { name: 'wrong filter', hash: '#/Employee?filter=slary%20%3E%201', ready: '.filter-error mark' },
  {
    name: 'values, as text and as a range',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await button(page, 'Values').click()
      await page.getByLabel('Values of', { exact: true }).selectOption('salary')
      await page.locator('.facet').nth(3).waitFor()
    },
  },
  {
    name: 'conditions of a filter, and values of two attributes',
    hash: '#/Employee?filter=ID%20%3C%209%20and%20salary%20%3E%201%20and%20active%20%3D%20true',
    ready: '.pills',
    async act(page) {
      const values = page.getByRole('region', { name: 'Values' })
      if ((await values.count()) === 0) await button(page, 'Values').click()
      if ((await values.getByRole('group').count()) < 2)
        await values.getByRole('button', { name: /^\+ values of/ }).click()
      await values.getByRole('group').nth(1).locator('.facet').first().waitFor()
    },
  },
  {
    name: 'menu of a cell',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    act: (page) => cell(page, 1, 1).click({ button: 'right' }),
  },
  {
    name: 'edited cell with a refusal',
    hash: `#/Employee?filter=${few}&columns=ID,salary,lastName`,
    ready: '.grid td',
    async act(page) {
      await cell(page, 1, 1).dblclick()
      await page.locator('.cell-editor input').fill('-1')
      await page.keyboard.press('Enter')
      await page.locator('.cell-problem').waitFor()
    },
  },
  {
    name: 'edited relation',
    hash: `#/Employee?filter=${few}&columns=ID,employer`,
    ready: '.grid td',
    async act(page) {
      await cell(page, 1, 1).focus()
      await page.keyboard.press('F2')
      await page.locator('.cell-editor input').fill('Eng')
      await page.locator('.cell-editor [role=option]').waitFor()
    },
  },
  {
    name: 'selected rows',
    hash: `#/Employee?filter=${few}&columns=ID,lastName,salary`,
    ready: '.grid td',
    async act(page) {
      await page.getByRole('checkbox', { name: 'Select 1', exact: true }).click()
      await page.locator('.selected-bar').waitFor()
    },
  },
  {
    name: 'refused change of selected rows',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await page.getByRole('checkbox', { name: 'Select the rows of this page' }).click()
      await button(page, 'Change…').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Attribute').selectOption('salary')
      await dialog.getByLabel('New value').fill('-1')
      await dialog.getByRole('button', { name: 'Change', exact: true }).click()
      await page.locator('.refused').waitFor()
    },
  },
  {
    name: 'paste with refused values',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await choose(page, 'Paste…')
      const cells = 'ID\tsalary\tactive\n1\t-5\ttrue\n2\t7\tno\n3\t8\ttrue\n'
      await page.getByRole('dialog').getByRole('textbox').fill(cells)
      await page.getByText('1 of 3 rows can be saved').waitFor()
    },
  },
  { name: 'entity', hash: `#/Employee?filter=${few}&open=3`, ready: '.panel form' },
  { name: 'new entity', hash: `#/Employee?filter=${few}&open=`, ready: '.panel form' },
  {
    name: 'entity that does not exist',
    hash: `#/Employee?filter=${few}&open=999`,
    ready: '.panel .problem',
  },
  {
    name: 'refused entity',
    hash: `#/Employee?filter=${few}&open=4`,
    ready: '.panel form',
    async act(page) {
      await panel(page)
        .getByLabel(/^salary/)
        .fill('-5')
      await panel(page).getByRole('button', { name: 'Save' }).click()
      await panel(page).locator('.field-problem').waitFor()
    },
  },
  {
    name: 'conflict',
    hash: `#/Employee?filter=${few}&open=5`,
    ready: '.panel form',
    async act(page, store) {
      await panel(page)
        .getByLabel(/^lastName/)
        .fill('Mine')
      store.Employee.update(5, { lastName: 'Theirs', salary: 1 })
      await panel(page).getByRole('button', { name: 'Save' }).click()
      await page.locator('.conflict').waitFor()
    },
  },
  {
    name: 'locked entity',
    hash: `#/Employee?filter=${few}&open=8`,
    ready: '.panel form',
    async act(page) {
      const { origin } = new URL(page.url())
      await fetch(`${origin}/rest/Employee[8]?$lock=true`)
      await button(page, 'Lock').click()
      await page.locator('.lock-note').waitFor()
    },
  },
  {
    name: 'deletion of an entity',
    hash: '#/Company?open=1',
    ready: '.panel form',
    async act(page) {
      await panel(page).getByRole('button', { name: 'Delete…' }).click()
      await page.locator('.doomed').waitFor()
    },
  },
  {
    name: 'undo after a deletion',
    hash: '#/Employee?filter=ID%20%3D%20120',
    ready: '.grid td',
    async act(page) {
      await choose(page, 'Delete…')
      await page.locator('.doomed').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await page.locator('.notice').getByRole('button', { name: 'Undo' }).waitFor()
      await page.getByText('1 change', { exact: false }).click()
    },
  },
  {
    name: 'export',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    act: (page) => choose(page, 'Export…'),
  },
  {
    name: 'plan',
    hash: '#/Employee?filter=employer.city%20%3D%20London%20and%20salary%20%3E%209&view=plan',
    ready: '.plan svg',
  },
  { name: 'chart over time', hash: '#/Employee?view=chart', ready: 'figure.chart' },
  {
    name: 'bars with their numbers',
    hash: '#/Employee?view=chart&chart=lastName,count,',
    ready: 'figure.chart',
    act: (page) => page.getByText('Numbers').click(),
  },
  {
    name: 'entity sets, one of them gone, and a deleted member',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page, store) {
      await choose(page, 'Keep this selection')
      await page.locator('.kept').first().waitFor()
      await choose(page, 'Keep this selection')
      const kept = page.locator('.kept-name')
      await kept.nth(1).click()
      await page.waitForURL(/set=/)
      await page.locator('.grid td').first().waitFor()
      const id = /set=(\w+)/.exec(page.url())?.[1]
      await kept.nth(0).click()
      store.Employee.remove(2)
      await fetch(`${new URL(page.url()).origin}/rest/Employee/$entityset/${id}?$method=release`)
      await kept.nth(1).click()
      await page.getByText('The set is gone.').waitFor()
      await kept.nth(0).click()
      await page.locator('tr.deleted').waitFor()
    },
  },
  {
    name: 'combination of entity sets',
    hash: `#/Employee?filter=${few}`,
    ready: '.kept',
    async act(page) {
      await choose(page, 'Keep this selection')
      await button(page, /^Combine/)
        .first()
        .click()
    },
  },
  {
    name: 'entity set that is gone',
    hash: '#/Employee?set=00000000000000000000000000000000',
    ready: '.empty',
  },
  { name: 'unknown dataclass', hash: '#/Nothing', ready: '.problem' },
  { name: 'unknown relation', hash: '#/Employee?via=Company/1/nothing', ready: '.problem' },
  {
    name: 'keys',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    act: (page) => page.keyboard.press('?'),
  },
  {
    name: 'sidebar with a search',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await page.keyboard.press('c')
      await page.keyboard.type('comp')
      await page.getByText('1 of 2').waitFor()
    },
  },
  {
    name: 'drawer of a phone',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await resize(page, { width: 390, height: 844 })
      await button(page, 'Show the sidebar').click()
      await page.locator('.backdrop').waitFor()
    },
  },
  {
    name: 'server that does not answer',
    hash: `#/Employee?filter=${few}`,
    ready: '.grid td',
    async act(page) {
      await page.context().setOffline(true)
      await button(page, 'Refresh').click()
      await page.getByText('The server does not answer.').first().waitFor()
      await page.context().setOffline(false)
    },
  },
]

/** Views of a store that is larger than one request may read. */
export const viewsOfLarge: readonly View[] = [
  {
    name: 'order that is too expensive',
    hash: '#/Flight?order=origin.name%20asc',
    ready: '.problem .actions',
  },
  { name: 'chart that is too expensive', hash: '#/Flight?view=chart', ready: '.problem .actions' },
  {
    name: 'chart of a sample',
    hash: '#/Flight?view=chart',
    ready: '.problem .actions',
    async act(page) {
      await button(page, 'Show a sample').first().click()
      await page.locator('figure.chart').waitFor()
    },
  },
  {
    name: 'values of a sample',
    hash: '#/Flight?filter=ID%20%3C%209',
    ready: '.grid td',
    async act(page) {
      await button(page, 'Values').click()
      await page.locator('.facet').first().waitFor()
      await button(page, 'Clear').click()
      await button(page, 'Show a sample').click()
      await page.locator('.sample').waitFor()
      await page.locator('.facet').nth(5).waitFor()
    },
  },
]

async function logIn(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Log in' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('ada')
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Log in' }).click()
}

/** The views of a server that asks for a login. The last one logs in. */
export const viewsOfUsers: readonly View[] = [
  {
    name: 'login',
    hash: '#/Employee',
    ready: 'dialog.login',
    async act(page) {
      await logIn(page, 'wrong')
      await page.getByText('The login is refused').waitFor()
    },
  },
  {
    name: 'page without a login',
    hash: '#/Company',
    ready: 'main',
    async act(page) {
      await page.reload()
      await page.locator('dialog.login').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('dialog.login').waitFor({ state: 'detached' })
    },
  },
  {
    name: 'page of a user',
    hash: `#/Employee?filter=${few}`,
    ready: 'main',
    async act(page) {
      await page.reload()
      await logIn(page, 'engine')
      await page.locator('.user', { hasText: 'Ada Byron' }).waitFor()
      await page.locator('.grid td').first().waitFor()
    },
  },
]

/** The console, and the page of the server for operators. */
export const viewsOfTools: readonly View[] = [
  {
    name: 'console with an answer and its history',
    hash: '#/$console',
    ready: '#filter',
    async act(page) {
      await page.getByRole('combobox', { name: 'Dataclass' }).selectOption('Employee')
      await page.locator('#filter').fill('salary > :1')
      await page.getByLabel('Values of').fill('[50000]')
      await page.getByLabel('Values of').press('Enter')
      await page.locator('.step').first().waitFor()
    },
  },
  {
    name: 'console with a wrong filter and wrong values',
    hash: '#/$console',
    ready: '#filter',
    async act(page) {
      await page.locator('#filter').fill('slary = 1')
      await page.locator('#filter').press('Escape')
      await page.locator('#filter').press('Enter')
      await page.locator('.filter-error').waitFor()
      await page.getByLabel('Values of').fill('1')
    },
  },
  {
    name: 'running requests',
    hash: '#/$streams',
    ready: '.server',
    async act(page) {
      const facts = { method: 'GET', path: '/Employee', milliseconds: 3200, operation: 'page' }
      const asked = { name: 'Employee', filter: 'salary > ?', orderBy: 'lastName', canStop: true }
      await page.route('**/$operator/requests**', (route) =>
        route.fulfill({
          json: { plan: ['scan (about 120)'], requests: [{ id: 7, ...facts, ...asked }] },
        }),
      )
      await page.getByRole('link', { name: 'Requests' }).click()
      await button(page, 'Plan of request 7').click()
      await page.locator('.facts pre').waitFor()
    },
  },
  { name: 'sizes', hash: '#/$sizes', ready: '.sizes tbody tr' },
  {
    name: 'advice about an index',
    hash: '#/$streams',
    ready: '.server',
    async act(page) {
      const facts = { dataClass: 'Employee', attribute: 'hired', change: 'indexed: true' }
      const figures = { reads: 3, milliseconds: 900, looksAt: 120, finds: 2, bytes: 1920 }
      const reason = '3 slow reads of Employee took 300 ms on average.'
      await page.route('**/$operator/indexes', (route) =>
        route.fulfill({
          json: { indexes: [{ ...facts, ...figures, reason, buildMilliseconds: 0.2 }] },
        }),
      )
      await page.getByRole('link', { name: 'Indexes' }).click()
      await button(page, 'Create this index').waitFor()
    },
  },
  {
    name: 'streams',
    hash: '#/$storage',
    ready: '.server',
    async act(page) {
      const streams = [
        { kind: 'live', user: 'ada', dataClasses: ['Employee'], plan: 'incremental' },
        {
          kind: 'replica',
          user: null,
          dataClasses: ['Company', 'Employee'],
          replica: 'x'.repeat(22),
        },
      ].map((one, at) => ({ ...one, behindMilliseconds: at * 4000 }))
      await page.route('**/$operator/streams', (route) => route.fulfill({ json: { streams } }))
      await page.getByRole('link', { name: 'Streams' }).click()
      await page.locator('.facts tbody tr').nth(1).waitFor()
    },
  },
  { name: 'storage', hash: '#/$storage', ready: '.fact-list' },
]
