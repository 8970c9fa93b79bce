import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AnyDataStore } from '@entia/core'
import { type Browser, chromium, type Page, type ViewportSize } from 'playwright-core'
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
  /** Gives the page back for the next test, without storage, routes and listeners. */
  readonly close: () => Promise<void>
}

export interface PageOptions {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
  readonly headers?: Readonly<Record<string, string>>
  readonly permissions?: readonly string[]
  readonly hasTouch?: boolean
  /** Of a page with a clock or an init script, which cannot be removed: no other test uses it. */
  readonly isOwn?: boolean
}

// The test files of a worker share a browser and its pages. A page that is used again takes a third
// of the CPU time of a new one, which starts a process and compiles the explorer.
let browser: Promise<Browser> | null = null
let freePages: { readonly page: Page; readonly hasTouch: boolean }[] = []
let pagesInUse = 0
let closing: NodeJS.Timeout | undefined

/** Takes a page that no test uses, or opens one. */
async function takePage({ hasTouch = false, isOwn = false }: PageOptions): Promise<Page> {
  clearTimeout(closing)
  pagesInUse++
  const at = isOwn ? -1 : freePages.findIndex((free) => free.hasTouch === hasTouch)
  const [free] = at === -1 ? [] : freePages.splice(at, 1)
  if (free !== undefined) return free.page
  browser ??= startBrowser()
  const page = await (await browser).newPage({ reducedMotion: 'reduce', hasTouch })
  page.setDefaultTimeout(patiently.timeout)
  return page
}

function startBrowser(): Promise<Browser> {
  const starting = launch()
  // After a crash, too, the next test starts another one.
  void starting.then((started) =>
    started.on('disconnected', () => {
      if (browser === starting) forgetBrowser()
    }),
  )
  return starting
}

function forgetBrowser(): void {
  browser = null
  freePages = []
  pagesInUse = 0
}

/** Removes what the test left in its page, and keeps the page for the next one. */
async function leavePage(page: Page, origin: string, options: PageOptions): Promise<void> {
  const { hasTouch = false, isOwn = false } = options
  if (isOwn) await page.close()
  else {
    for (const event of ['console', 'pageerror', 'request', 'response', 'download'])
      page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // The storage of a tab stays when the tab leaves the origin.
    if (page.url().startsWith(origin)) await page.evaluate('sessionStorage.clear()')
    await page.goto('about:blank')
    const client = await page.context().newCDPSession(page)
    await client.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await client.detach()
    await page.mouse.move(0, 0)
    freePages.push({ page, hasTouch })
  }
  pagesInUse--
  clearTimeout(closing)
  // Another test file may take a page soon, but none of a browser that closes.
  const close = () => {
    const closed = browser
    forgetBrowser()
    void closed?.then((open) => open.close())
  }
  if (pagesInUse === 0) closing = setTimeout(close, 5000).unref()
}

/**
 * Opens a page that records its errors. Refusals of the server are not errors: the page shows them.
 */
export async function openPage(origin: string, options: PageOptions = {}): Promise<Watched> {
  const page = await takePage(options)
  const context = page.context()
  await page.setViewportSize(options.viewport ?? { width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' })
  await page.setExtraHTTPHeaders({ ...options.headers })
  await context.clearCookies()
  await context.clearPermissions()
  await context.grantPermissions([...(options.permissions ?? [])])
  await context.setOffline(false)
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
  return { page, problems, refusals, close: () => leavePage(page, origin, options) }
}

export interface OpenExplorer extends Watched {
  readonly origin: string
}

/** Serves a store with its explorer, and opens a page. */
export async function openExplorer(
  store: AnyDataStore,
  options?: PageOptions,
): Promise<OpenExplorer> {
  const site = await serveExplorer(store)
  const watched = await openPage(site.origin, options)
  return {
    ...watched,
    origin: site.origin,
    close: async () => {
      await watched.close()
      site.close()
    },
  }
}

/** Gives the window a size, and waits until the page has been drawn at it. */
export async function resize(page: Page, size: ViewportSize): Promise<void> {
  await page.setViewportSize(size)
  // What listens to the width renders before the first frame; what measures itself, in the second.
  const frame = 'await new Promise(requestAnimationFrame)'
  await page.evaluate(`(async () => { ${frame}; ${frame} })()`)
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
