import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { searchOptions } from '../../docs/site/.vitepress/search.mjs'
import {
  executable,
  launch,
  patiently,
  violationsOf,
} from '../../packages/explorer/test/browser.ts'
import { searchTasks } from './search-tasks.ts'
import { root } from './source-files.ts'

const site = join(root, 'docs/site')
const dist = join(site, 'dist')

// A dead link fails the build.
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/docs.mjs'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined, NO_COLOR: '1' },
    maxBuffer: 64 << 20,
  })
  expect(stdout).toContain('build complete')
}, 600_000)

test('the search of the site finds tasks first', async () => {
  const chunks = join(dist, 'assets/chunks')
  const file = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'))
  const { default: json } = await import(pathToFileURL(join(chunks, file!)).href)
  const MiniSearch = createRequire(join(site, 'package.json'))('minisearch')
  const fields = ['title', 'titles', 'text']
  const index = MiniSearch.loadJSON(json, { fields, searchOptions })
  for (const [task, place] of searchTasks) {
    const [first] = index.search(task) as readonly { readonly id: string }[]
    const found = place.includes('#') ? first?.id : first?.id.split('#')[0]
    expect([task, found]).toEqual([task, `/${place}`])
  }
})

test('every anchor of a link is on the page that it leads to', () => {
  const files = (readdirSync(dist, { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.html'),
  )
  const pages = new Map(
    files.map((name) => [
      `/${name.replaceAll('\\', '/').replace(/(^|\/)index\.html$|\.html$/, '$1')}`,
      readFileSync(join(dist, name), 'utf8'),
    ]),
  )
  const anchors = new Map(
    [...pages].map(([page, html]) => [
      page,
      new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  )
  const links = [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<a [^>]*?href="([^"#]*#[^"]+)"/g)].flatMap(([, href = '']) => {
      const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://x${page}`)
      return origin === 'http://x' ? [{ page, to: pathname, anchor: hash.slice(1) }] : []
    }),
  )
  const broken = links.filter(
    ({ to, anchor }) => anchors.get(decodeURI(to))?.has(decodeURIComponent(anchor)) !== true,
  )
  expect(links.length).toBeGreaterThan(2000)
  expect(broken).toEqual([])
})

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** Serves the built site as a host of static files does. */
function serveSite() {
  return createServer(({ url = '/' }, response) => {
    const path = join(dist, decodeURI(new URL(url, 'http://x').pathname))
    const file = [path, join(path, 'index.html'), `${path}.html`].find(
      (name) => existsSync(name) && statSync(name).isFile(),
    )
    const type = types[extname(file ?? '')] ?? 'application/octet-stream'
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type })
    response.end(file === undefined ? '' : readFileSync(file))
  }).listen(0, '127.0.0.1')
}

const long = { timeout: 600_000 }
test.skipIf(executable === null)('axe finds enough contrast in both themes', long, async () => {
  const server = serveSite()
  const browser = await launch()
  try {
    const { port } = server.address() as AddressInfo
    const page = await browser.newPage()
    page.setDefaultTimeout(patiently.timeout)
    for (const path of ['/', '/how-to/express', '/explanation/comparison', '/api/rest']) {
      await page.goto(`http://127.0.0.1:${port}${path}`, { waitUntil: 'networkidle' })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const theme = page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)')
        await theme.waitFor()
        // Colours that fade from one theme to the other.
        await page.evaluate('for (const fade of document.getAnimations()) fade.finish()')
        expect([colorScheme, path, await violationsOf(page, 'colors')]).toEqual([
          colorScheme,
          path,
          [],
        ])
      }
    }
  } finally {
    await browser.close()
    server.close()
  }
})
