import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AnyDataStore } from '@entia/core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium, launchOptions } from '../scripts/find-chromium.mjs'
import { serveExplorer } from './people.ts'

/** The installed Chromium; null if there is none. */
export const executable = findChromium()

/** The reason for skipped tests. */
export const noChromium =
  'no Chromium was found: install one (apt-get install chromium), or name it in the variable ENTIA_CHROMIUM'

export function launch(): Promise<Browser> {
  if (executable === null) throw new Error(noChromium)
  return chromium.launch(launchOptions(executable))
}

/** Options of `expect.poll`: as long as the page may take on a busy machine. */
export const patiently = { timeout: 60_000 }

export interface Watched {
  readonly page: Page
  /** Errors of the page, and requests to other servers. */
  readonly problems: string[]
  /** Requests that the server refused. */
  readonly refusals: string[]
}

/**
 * Opens a page that records its errors. Refusals of the server are not errors: the page shows them.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Watched> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  const problems: string[] = []
  const refusals: string[] = []
  page.on('console', (message) => {
    const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d /.test(
      message.text(),
    )
    if ((message.type() === 'error' || message.type() === 'warning') && !isRefusal)
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) problems.push(`asked ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) refusals.push(`${response.status()} ${response.url()}`)
  })
  return { page, problems, refusals }
}

export interface OpenExplorer extends Watched {
  readonly origin: string
  readonly close: () => Promise<void>
}

/** Serves a store with its explorer, and opens a page in a browser of its own. */
export async function openExplorer(
  store: AnyDataStore,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<OpenExplorer> {
  const { origin, close } = await serveExplorer(store)
  const browser = await launch()
  const watched = await openPage(browser, origin, options)
  watched.page.setDefaultTimeout(patiently.timeout)
  return {
    ...watched,
    origin,
    close: async () => {
      await browser.close()
      close()
    },
  }
}

/** Chooses an action of the toolbar's menu. */
export async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The accessibility violations that axe finds: rule and elements. `colors`: only of the rules that
 * judge colours, for a page whose other rules are checked in another colour scheme.
 */
export async function violationsOf(page: Page, only?: 'colors'): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  const options =
    only === 'colors'
      ? { runOnly: ['color-contrast', 'link-in-text-block'] }
      : { rules: { 'target-size': { enabled: true } } }
  const found = await page.evaluate<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }>(`axe.run(document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })})`)
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  )
}

/**
 * The controls and headings that are smaller than 24 pixels, covered, or cut off by a toolbar.
 * Links in running text and boxes of the diagram may be small; menus and notices may cover.
 */
export async function misplacedIn(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(findMisplaced)
}

/** Runs in the page. */
const findMisplaced = `(() => {
  const controls = 'a, button, input, select, textarea, summary, h1, h2'
  const inText = 'h1, h2, h1 a, p a, td a, .trail a, .addresses a, .field a, .brand'
  const scrollers = '.bar, .scroll, .panel, .classes, .trail ol, .shelf ul, main, .keys, .links'
  const above = '.notice, .backdrop, .sidebar, .panel-frame, .completions, .popup, .bar > .menu, ' +
    '.cell-editor, .grid thead'
  const found = []
  const isInside = (x, y, { left, top, right, bottom }) =>
    x >= left && x <= right && y >= top && y <= bottom
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
  for (const element of (dialog ?? document).querySelectorAll(controls)) {
    const isShown = element.checkVisibility({ visibilityProperty: true })
    if (!isShown || element.closest('svg, .unseen, [inert], :disabled') !== null) continue
    const say = (problem) => found.push(element.outerHTML.slice(0, 160) + ' ' + problem)
    const { left, top, right, width, height } = element.getBoundingClientRect()
    const isTarget = !element.matches(inText) && element.closest('label') === null
    if (isTarget && (width < 24 || height < 24)) say(width + ' by ' + height + ' pixels')
    const bar = element.closest('.bar')
    const scrolls = bar !== null && getComputedStyle(bar).overflowX === 'auto'
    if (bar !== null && !scrolls && right > bar.getBoundingClientRect().right + 1) say('is cut off')
    const [x, y] = [left + width / 2, top + height / 2]
    const scroller = element.closest(scrollers)?.getBoundingClientRect()
    const on = document.elementFromPoint(x, y)
    if (on === null || (scroller !== undefined && !isInside(x, y, scroller))) continue
    const isLabel = on.closest('label')?.contains(element) === true
    if (!isLabel && !element.contains(on) && !on.contains(element) && on.closest(above) === null)
      say('is covered by ' + on.outerHTML.slice(0, 100))
  }
  return found
})()`
