import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  executable,
  noChromium,
  openPage,
  violationsOf,
  type Watched,
} from '../../../packages/explorer/test/browser.ts'
import { serve } from '../serve.mjs'
import { createStore } from '../store.mjs'

if (executable === null) console.warn(`the React application: ${noChromium}`)

const folder = mkdtempSync(join(tmpdir(), 'entia-react-app-'))
const DESKTOP = { width: 1100, height: 800 }
const PHONE = { width: 390, height: 844 }

/** Waits until the page shows what is expected. */
const poll = <T>(read: () => T) => expect.poll(read, { timeout: 50_000, interval: 20 })
const names = (page: Page) => poll(() => page.locator('.name').allTextContents())
const text = (locator: Locator) => poll(() => locator.textContent())

describe.skipIf(executable === null)('the React application, in two tabs', () => {
  const store = createStore()
  let served: Awaited<ReturnType<typeof serve>>
  let desktop: Page
  let phone: Page
  let tabs: readonly Watched[] = []
  const problems = () => tabs.flatMap((tab) => tab.problems)

  const rowOf = (page: Page, name: string) => page.locator('li', { hasText: name })
  async function edit(page: Page, name: string) {
    await rowOf(page, name).getByRole('button', { name: 'Edit' }).click()
    const row = page.locator('li', { has: page.locator('form') })
    const fill = (label: string, value: string) => row.getByLabel(label).fill(value)
    return { fill, save: () => row.getByRole('button', { name: 'Save' }).click() }
  }
  const rendersOf = (page: Page) =>
    page.locator('li').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-renders')))

  beforeAll(async () => {
    const example = join(import.meta.dirname, '..')
    const vite = join(example, '../../node_modules/vite/bin/vite.js')
    execFileSync(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], {
      cwd: example,
      env: { ...process.env, NODE_ENV: 'production' },
    })
    served = await serve(store, 0, folder)
    tabs = await Promise.all([DESKTOP, PHONE].map((viewport) => openPage(served.url, { viewport })))
    ;[desktop, phone] = tabs.map(({ page }) => page) as [Page, Page]
    await Promise.all([desktop, phone].map((page) => page.goto(served.url)))
  })
  afterAll(async () => {
    for (const tab of tabs) await tab.close()
    await served?.close()
    rmSync(folder, { recursive: true })
  })

  const byPay = () => store.Person.all().orderBy('salary desc, name').toArray()
  const expectSame = async () => {
    for (const page of [desktop, phone]) await names(page).toEqual(byPay().map(({ name }) => name))
  }

  test('both show the list in order, without violations of accessibility', async () => {
    await expectSame()
    await text(desktop.getByRole('status')).toBe('Up to date')
    for (const page of [desktop, phone]) {
      expect(await violationsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    expect(await rendersOf(desktop)).toEqual(byPay().map(() => '1'))
  })

  test('an edit is shown before the server answers, and moves the row in both', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await desktop.route(/\$method=update/, async (route) => {
      await answered
      await route.continue()
    })
    const form = await edit(desktop, 'Ada Byron')
    await form.fill('Salary', '99000')
    await form.save()
    const row = rowOf(desktop, 'Ada Byron')
    await text(row.locator('.salary')).toBe('99,000')
    expect(await row.getAttribute('class')).toBe('saving')
    expect(store.Person.get(1)?.salary).toBe(72_000)
    answer()
    // The server has the request later than it may go.
    await poll(() => store.Person.get(1)?.salary).toBe(99_000)
    await expectSame()
    expect(byPay()[0]?.name).toBe('Ada Byron')
    await poll(() => row.getAttribute('class')).toBe(null)
    // In the other tab, only the changed row rendered again.
    expect(await rendersOf(phone)).toEqual(['2', '1', '1', '1', '1', '1', '1', '1'])
    await desktop.unroute(/\$method=update/)
  })

  test('a conflict shows both states, and either can be kept', async () => {
    for (const { choice, salary } of [
      { choice: 'Save mine', salary: 61_000 },
      { choice: 'Keep theirs', salary: 57_000 },
    ]) {
      const mine = await edit(desktop, 'Charles Babbage')
      const theirs = await edit(phone, 'Charles Babbage')
      await theirs.fill('Salary', '57000')
      await theirs.save()
      await text(rowOf(desktop, 'Charles Babbage').locator('.salary')).toBe('57,000')
      await mine.fill('Salary', '61000')
      await mine.save()
      const alert = desktop.getByRole('alert')
      await text(alert.locator('tbody')).toBe(
        'NameCharles BabbageCharles BabbageSalary57,00061,000',
      )
      expect(await violationsOf(desktop)).toEqual([])
      await alert.getByRole('button', { name: choice }).click()
      await poll(() => store.Person.get(2)?.salary).toBe(salary)
      await poll(() => alert.count()).toBe(0)
      await expectSame()
    }
  })

  test('a lost connection is shown, and what happened meanwhile once it is back', async () => {
    await served.close()
    for (const page of [desktop, phone])
      await text(page.getByRole('status')).toContain('No connection')
    const form = await edit(desktop, 'Alan Turing')
    await form.fill('Name', 'Alan M. Turing')
    await form.save()
    await text(desktop.getByRole('alert')).toContain('The server does not answer.')
    store.Person.insert({ name: 'Donald Knuth', salary: 90_000, team: 2 })
    served = await serve(store, served.port, folder)
    for (const page of [desktop, phone]) await text(page.getByRole('status')).toBe('Up to date')
    await expectSame()
    await desktop.getByRole('button', { name: 'Try again' }).click()
    await text(rowOf(phone, 'Turing').locator('.name')).toBe('Alan M. Turing')
    await expectSame()
  })

  test('no tab had an error or asked another server', () => {
    const isLost = (problem: string) => problem.includes('ERR_')
    expect(problems().filter((problem) => !isLost(problem))).toEqual([])
  })
})
