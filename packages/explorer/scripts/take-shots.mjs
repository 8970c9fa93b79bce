// `npm run explorer:shots`: takes screenshots of the explorer with the flights example into
// docs/images, in both themes and in desktop and phone sizes; names of views take only these.
// Needs a Chromium: see find-chromium.mjs.

import { spawn } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium, launchOptions } from './find-chromium.mjs'

const root = new URL('../../../', import.meta.url)
const images = fileURLToPath(new URL('docs/images/', root))
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
const filter = encodeURIComponent("delay > 60 and origin.city = 'Chicago'")
const inHawaii = encodeURIComponent("state = 'HI'")
const twoStates = encodeURIComponent("origin.state = 'TX' and destination.state = 'CA'")

/** @typedef {import('playwright-core').Page} Page */

/**
 * The views: address, and steps before the screenshot. With `viewport`, one light picture. With
 * `height`, no higher. With `isBusy`, of the store that reads keep busy.
 * @type {readonly { name: string, hash: string, ready: string, act?: (page: Page) => Promise<void>,
 * viewport?: { width: number, height: number }, height?: number, isBusy?: boolean }[]}
 */
const views = [
  {
    name: 'plan-readme',
    hash: `#/Flight?filter=${twoStates}&view=plan`,
    ready: '.step',
    viewport: { width: 1240, height: 590 },
  },
  { name: 'diagram', hash: '#/', ready: '.class-box' },
  {
    name: 'grid',
    hash: `#/Flight?filter=${filter}&order=delay%20desc`,
    ready: 'table.grid td',
    act: complete,
  },
  { name: 'plan', hash: `#/Flight?filter=${filter}&view=plan`, ready: '.step' },
  {
    name: 'edit',
    hash: `#/Airport?filter=${encodeURIComponent("city = 'Chicago'")}&open=ORD`,
    ready: '.panel form',
    act: conflict,
  },
  { name: 'console', hash: '#/$console', ready: '#filter', act: runInConsole },
  { name: 'requests', hash: '#/$requests', ready: '.server', act: runForLong, isBusy: true },
  { name: 'sizes', hash: '#/$sizes', ready: '.sizes tbody tr' },
  { name: 'indexes', hash: '#/$indexes', ready: '.server', act: readSlowly, isBusy: true },
  { name: 'streams', hash: '#/$streams', ready: '.server', act: followSome, isBusy: true },
  { name: 'storage', hash: '#/$storage', ready: '.fact-list' },
  { name: 'chart', hash: '#/Flight?view=chart', ready: 'figure.chart', act: keepSets },
  {
    name: 'rows',
    height: 560,
    hash: `#/Flight?filter=${filter}&order=delay%20desc`,
    ready: 'table.grid td',
    act: changeSelected,
  },
  {
    name: 'paste',
    height: 720,
    hash: `#/Airport?filter=${inHawaii}`,
    ready: 'table.grid td',
    act: pasteRefused,
  },
  { name: 'views', height: 400, hash: '#/Flight', ready: 'table.grid td', act: saveViews },
  {
    name: 'facets',
    height: 560,
    hash: `#/Flight?filter=${filter}`,
    ready: 'table.grid td',
    act: showValues,
  },
]

/** @param {Page} page */
async function complete(page) {
  const box = page.locator('#filter')
  await box.focus()
  await box.press('End')
  await box.pressSequentially(' and destination.c')
  await page.locator('#completions [role=option]').first().waitFor()
}

/** @param {Page} page */
async function runInConsole(page) {
  await page.getByRole('combobox', { name: 'Dataclass' }).selectOption('Flight')
  for (const [text, values] of [
    ['delay > :1', '[150]'],
    ["delay > :1 and origin.city = 'Chicago'", '[60]'],
  ]) {
    await page.getByLabel('Values of').fill(values ?? '')
    await page.getByLabel('Attributes').fill('ID, delay, distance, origin.city')
    await page.getByRole('textbox', { name: 'Order' }).fill('delay desc')
    await page.locator('#filter').fill(text ?? '')
    await page.locator('#filter').press('Escape')
    await page.locator('#filter').press('Enter')
    await page.locator('.step').first().waitFor()
  }
  await page.waitForTimeout(200)
}

/** A read that scans, and sorts by an attribute without an index. */
const longRead = `/rest/Flight?$filter=${encodeURIComponent('"distance > 300 or delay = 7"')}&$orderby=distance%20desc&$top=3`

/** Keeps the server busy with reads until the page is closed. @param {Page} page */
async function runForLong(page) {
  const { origin } = new URL(page.url())
  let isOpen = true
  page.once('close', () => {
    isOpen = false
  })
  for (let at = 0; at < 12; at++)
    (async () => {
      while (isOpen) await (await fetch(origin + longRead)).text()
    })().catch(() => {})
  await page
    .getByRole('button', { name: /^Plan of request/ })
    .first()
    .waitFor()
  // A request that has just begun waits for those before it, long enough to show its plan.
  for (let attempt = 0; attempt < 20; attempt++) {
    await page
      .getByRole('button', { name: /^Plan of request/ })
      .last()
      .click()
    const shown = page.locator('.facts pre').waitFor({ timeout: 3000 })
    if (
      await shown.then(
        () => true,
        () => false,
      )
    )
      return
  }
  throw new Error('No plan of a running request was shown.')
}

/** Reads slowly until there is advice. @param {Page} page */
async function readSlowly(page) {
  const { origin } = new URL(page.url())
  const filter = encodeURIComponent('"latitude > 70"')
  for (let at = 0; at < 12; at++)
    await (await fetch(`${origin}/rest/Airport?$filter=${filter}&$top=3`)).text()
  await page.reload()
  await page.getByRole('button', { name: 'Create this index' }).first().waitFor()
}

/** Opens a live query and a replica, until the page is closed. @param {Page} page */
async function followSome(page) {
  const { origin } = new URL(page.url())
  const filter = encodeURIComponent('"delay > 120"')
  const closed = new AbortController()
  page.once('close', () => closed.abort())
  const { signal } = closed
  const live = await fetch(`${origin}/rest/Flight?$live=true&$filter=${filter}&$top=5`, { signal })
  const body = { replica: 'aReplicaOfThePicturesPage', shapes: { Airport: true } }
  const replica = await fetch(`${origin}/rest/$replica`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal,
  })
  // Read what comes, as clients do.
  for (const { body } of [live, replica])
    (async () => {
      for await (const _ of body ?? []);
    })().catch(() => {})
  await page.reload()
  await page.locator('.facts tbody tr').nth(1).waitFor()
}

/** Saves the open entity from another session. @param {Page} page */
async function conflict(page) {
  await page.getByLabel(/^name/).fill('Orchard Field')
  await fetch(`${new URL(page.url()).origin}/rest/Airport`, {
    method: 'POST',
    body: JSON.stringify({ __KEY: 'ORD', name: `O'Hare ${Date.now() % 1000}`, state: 'IL' }),
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.conflict').waitFor()
}

/** Stores two entity sets and their intersection. @param {Page} page */
async function keepSets(page) {
  for (const text of ['delay > 60', 'distance > 1000']) {
    await page.locator('#filter').fill(text)
    await page.locator('#filter').press('Escape')
    await page.locator('#filter').press('Enter')
    await page.waitForURL(`**filter=${encodeURIComponent(text)}**`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Keep this selection' }).click()
    await page.locator('.kept', { hasText: text }).waitFor()
  }
  await page.getByRole('button', { name: 'Combine delay > 60' }).click()
  await page.getByRole('button', { name: /^AND/ }).click()
  await page.locator('.kept', { hasText: '∩' }).waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
}

/** Selects rows and chooses what to change. @param {Page} page */
async function changeSelected(page) {
  await page.getByRole('checkbox', { name: 'Select the rows of this page' }).click()
  const bar = page.getByRole('toolbar', { name: 'Selected rows' })
  await bar.getByRole('button', { name: 'Change…' }).click()
  await page.getByLabel('Attribute').selectOption('delay')
  await page.getByLabel('New value').fill('60')
}

/** Pastes cells of a spreadsheet, some of which are refused. @param {Page} page */
async function pasteRefused(page) {
  const keys = await page.locator('.grid tbody tr td:nth-child(2)').allInnerTexts()
  const lines = keys.slice(0, 4).map((key, at) => {
    const latitude = at === 1 ? 'north' : at === 2 ? 95 : 21.5 + at
    return [key, ['Kapolei', 'Hilo', 'Lihue', 'Kahului'][at], latitude].join('\t')
  })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Paste…' }).click()
  await page
    .getByLabel('Cells of a spreadsheet')
    .fill(['iata\tcity\tlatitude', ...lines].join('\n'))
  await page.locator('.preview tbody tr').first().waitFor()
}

/** Saves two views, and opens their menu. @param {Page} page */
async function saveViews(page) {
  const views = [
    ['Late from Chicago', "delay > 60 and origin.city = 'Chicago'", 'date,delay,destination'],
    ['Long flights', 'distance > 2500', 'distance,origin,destination,delay'],
  ]
  for (const [name = '', text = '', columns] of views) {
    await page.goto(
      page.url().replace(/#.*/, `#/Flight?filter=${encodeURIComponent(text)}&columns=${columns}`),
    )
    await page.locator('.pills, .filter button', { hasText: 'Clear' }).first().waitFor()
    await page.locator('summary', { hasText: 'Views' }).click()
    await page.getByLabel('Name of the view').fill(name)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(`**name=${encodeURIComponent(name)}**`)
    await page.locator('.notice').getByRole('button', { name: 'Dismiss' }).click()
  }
  await page.locator('summary', { hasText: 'Views' }).click()
}

/** Shows the values of three attributes with their counts. @param {Page} page */
async function showValues(page) {
  await page.getByRole('button', { name: 'Values', exact: true }).click()
  for (const [at, name] of ['originCity', 'destinationCode', 'distance'].entries()) {
    if (at > 0) await page.getByRole('button', { name: /^\+ values of / }).click()
    await page.getByLabel('Values of', { exact: true }).nth(at).selectOption(name)
  }
  await page.locator('.facet-row').nth(2).locator('.facet').first().waitFor()
}

/** @param {string} module */
async function serveFlights(module) {
  const bin = fileURLToPath(new URL('packages/cli/bin/entia.mjs', root))
  const flights = fileURLToPath(new URL(module, root))
  const child = spawn(process.execPath, [bin, 'serve', flights, '--port', '0', '--operator'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  const origin = await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      const found = /at (http:\/\/[^/\s]+)/.exec((printed += text))
      if (found?.[1] !== undefined) resolve(found[1])
    })
    child.once('exit', () => reject(new Error(`entia ended: ${printed}`)))
  })
  return { origin, stop: () => child.kill('SIGTERM') }
}

/**
 * @param {typeof views[number]} view
 * @param {{ width: number, height: number }} viewport
 * @param {'light' | 'dark'} colorScheme
 * @param {string} name
 */
async function take({ hash, ready, act, isBusy }, viewport, colorScheme, name) {
  const { origin } = isBusy === true ? await busy() : await quiet()
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' })
  await page.goto(`${origin}/${hash}`)
  await page.locator(ready).first().waitFor()
  await act?.(page)
  await page.waitForTimeout(300)
  const path = `${images}explorer-${name}.png`
  await page.screenshot({ path })
  console.log(`explorer-${name}.png ${Math.round(statSync(path).size / 1000)} kB`)
  await page.close()
}

const named = process.argv.slice(2)
const chosen = views.filter(({ name }) => named.length === 0 || named.includes(name))
const executable = findChromium()
if (executable === null)
  throw new Error('No Chromium was found. Name one in the variable ENTIA_CHROMIUM.')
mkdirSync(images, { recursive: true })
/** @type {Map<string, Promise<{ origin: string, stop: () => void }>>} */
const servers = new Map()
/** @param {string} module */
const serving = (module) => () => {
  const server = servers.get(module) ?? serveFlights(module)
  servers.set(module, server)
  return server
}
const quiet = serving('examples/flights/flights.mjs')
const busy = serving('packages/explorer/scripts/busy-flights.mjs')
const browser = await chromium.launch(launchOptions(executable))
try {
  for (const view of chosen) {
    if (view.viewport !== undefined) await take(view, view.viewport, 'light', view.name)
    else
      for (const [size, viewport] of Object.entries(sizes))
        for (const theme of /** @type {const} */ (['light', 'dark']))
          await take(
            view,
            { ...viewport, height: Math.min(viewport.height, view.height ?? viewport.height) },
            theme,
            `${view.name}-${size}-${theme}`,
          )
  }
} finally {
  await browser.close()
  for (const server of servers.values()) (await server).stop()
}
