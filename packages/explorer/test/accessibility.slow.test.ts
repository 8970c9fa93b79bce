import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import type { RestOptions } from '@entia/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { executable, misplacedIn, openPage, resize, violationsOf, type Watched } from './browser.ts'
import { createFlights } from './flights.ts'
import { createPeople, type People, serveExplorer } from './people.ts'
import { type View, views, viewsOfLarge, viewsOfTools, viewsOfUsers } from './views.ts'

const desktop = { width: 1440, height: 900 }
const tablet = { width: 800, height: 900 }
const phone = { width: 390, height: 844 }

/**
 * Where axe looks at a view. The gate makes the first two: every rule, each width and each theme.
 * The others look at the colours alone.
 */
const LOOKS = [
  { viewport: desktop, colorScheme: 'light' },
  { viewport: phone, colorScheme: 'dark' },
  { viewport: desktop, colorScheme: 'dark', only: 'colors' },
  { viewport: phone, colorScheme: 'light', only: 'colors' },
] as const
const looks: readonly { viewport: object; colorScheme: 'light' | 'dark'; only?: 'colors' }[] =
  LOOKS.slice(0, runs(LOOKS.length, 2).numRuns)

type Site = Awaited<ReturnType<typeof serveExplorer>>

/** Serves a store, and opens its page at the size of a desktop. */
async function open(store: AnyDataStore, rules: RestOptions) {
  const site = await serveExplorer(store, rules)
  const watched = await openPage(site.origin, { viewport: desktop })
  await watched.page.goto(`${site.origin}/#/`)
  return { site, watched }
}

/** Shows a view and returns what is wrong with it at three widths and in both themes. */
async function violationsIn(
  { page }: Watched,
  { origin }: Site,
  store: People,
  { hash, ready, act }: View,
): Promise<readonly string[]> {
  // Leaving the selection closes its dialogs; the page is loaded only once.
  await page.evaluate(
    'for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close()',
  )
  await page.goto(`${origin}/#/`)
  await page.locator('.selection').waitFor({ state: 'detached' })
  await page.goto(`${origin}/${hash}`)
  await page.locator(ready).first().waitFor()
  await act?.(page, store)
  const found: string[] = []
  const add = (where: string, problems: readonly string[]) =>
    found.push(...problems.map((problem) => `${where}: ${problem}`))
  for (const viewport of [desktop, tablet, phone]) {
    await resize(page, viewport)
    add(`${viewport.width} pixels`, await misplacedIn(page))
    for (const { colorScheme, only } of looks.filter((look) => look.viewport === viewport)) {
      await page.emulateMedia({ colorScheme })
      // A mark that fades, and a wait that begins, keep the colours of the other theme for a while.
      await page.evaluate('for (const animation of document.getAnimations()) animation.finish()')
      add(`${viewport.width} pixels, ${colorScheme}`, await violationsOf(page, only))
    }
  }
  await resize(page, desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

describe.skipIf(executable === null)('no accessibility violation has', () => {
  let store: People
  let everybody: Awaited<ReturnType<typeof open>>
  let users: typeof everybody
  let large: typeof everybody

  beforeAll(async () => {
    // A name of the usual length.
    store = createPeople('people of the engines')
    const ada = { name: 'ada', password: 'engine', fullName: 'Ada Byron', groups: [] }
    everybody = await open(store, {
      live: true,
      slow: { milliseconds: 0 },
      operator: () => true,
    })
    users = await open(createPeople(), { users: [ada], forceLogin: true })
    large = await open(createFlights(), {})
  })

  afterAll(async () => {
    for (const one of [everybody, users, large]) {
      await one?.watched.close()
      one?.site.close()
    }
  })

  test.each(views)('$name', async (view) => {
    const { watched, site } = everybody
    expect(await violationsIn(watched, site, store, view)).toEqual([])
  })

  test.each(viewsOfTools)('$name', async (view) => {
    const { watched, site } = everybody
    expect(await violationsIn(watched, site, store, view)).toEqual([])
  })

  test.each(viewsOfUsers)('$name', async (view) => {
    const { watched, site } = users
    expect(await violationsIn(watched, site, store, view)).toEqual([])
  })

  test.each(viewsOfLarge)('$name', async (view) => {
    const { watched, site } = large
    expect(await violationsIn(watched, site, store, view)).toEqual([])
  })

  test('the diagram of long and composed names, near and from afar', async () => {
    const names = ['OrderLine', 'order_line_of_2024', 'N'.repeat(60), 'WordAfterWord'.repeat(3)]
    const ID = attribute.long({ key: true })
    const dataClasses = names.map((name) => defineDataClass(name, { ID }))
    const { watched, site } = await open(createDataStore({ name: 'names', dataClasses }), {})
    const { page } = watched
    await page.locator('.class-box').first().waitFor()
    for (let zoom = 0; zoom < 6; zoom++) {
      expect(await violationsOf(page)).toEqual([])
      await page.getByRole('button', { name: 'Zoom out' }).click()
    }
    await watched.close()
    site.close()
  })

  test('any page that these views opened: no errors', () => {
    const problems = [...everybody.watched.problems, ...users.watched.problems]
    expect(problems.filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
  })
})
