// `npm run explorer:measure`: measures each interaction of the explorer with the three million
// flights, in a headless Chromium: the time to the first change on the screen, and to the last one
// before 300 ms without a change or a request; on Linux also the processor time of the server until
// then, which depends less on what else runs. Prints the table of docs/how-to/explorer.md.
// `-- --origin http://localhost:8080` measures a server that runs already; other words take only
// the interactions whose names contain one of them. Needs a Chromium: see find-chromium.mjs.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { findChromium, launchOptions } from './find-chromium.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ first: number, result: number, progress: boolean, problem: string }} Measured */

const longest = 120_000

/** Runs in the page: notes the times of the events, changes and requests after `arm`. */
const probe = `(() => {
  const quiet = 300
  let run = null
  let running = 0
  let ended = 0
  const end = () => {
    running--
    ended = performance.now()
  }
  const ask = window.fetch
  window.fetch = async (...request) => {
    if (/\\$live=/.test(String(request[0]))) return ask(...request)
    running++
    try {
      const answer = await ask(...request)
      const text = answer.text.bind(answer)
      answer.text = () => text().finally(end)
      return answer
    } catch (error) {
      end()
      throw error
    }
  }
  const begin = (event) => {
    if (run !== null && run.start === null) run.start = event.timeStamp
  }
  for (const type of ['pointerdown', 'keydown', 'paste'])
    window.addEventListener(type, begin, { capture: true })
  const painted = (note) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => note(performance.now())
    port2.postMessage(null)
  })
  const observer = new MutationObserver(() => {
    const of = run
    if (of === null || of.start === null) return
    if (document.querySelector('progress') !== null) of.progress = true
    painted((time) => {
      of.first ??= time - of.start
      of.last = time - of.start
    })
  })
  const begun = () => observer.observe(document, {
    subtree: true, childList: true, characterData: true, attributes: true })
  begun()
  window.probe = {
    arm() {
      run = { start: null, first: null, last: 0, progress: false }
    },
    /** Resolves once nothing has changed for a while and no request runs. */
    settled: () => new Promise((resolve) => {
      const of = run
      const armed = performance.now()
      const look = () => {
        const now = performance.now()
        const isDue = of.first !== null && running === 0 && now - ended >= quiet &&
          now - of.start - of.last >= quiet
        if (!isDue && now - armed < ${longest}) return setTimeout(look, 20)
        const problem = document.querySelector('.problem, .notice.problem')
        resolve({
          first: of.first ?? -1,
          result: of.last,
          progress: of.progress,
          problem: problem === null ? '' : problem.textContent,
        })
      }
      look()
    }),
  }
})()`

/** @param {Page} page @param {string} name */
const button = (page, name) => page.getByRole('button', { name, exact: true }).first()
/** @param {Page} page @param {string} name */
const header = (page, name) =>
  page.locator('.grid thead th button', { hasText: new RegExp(`^${name}\\b`) }).first()
/** @param {Page} page @param {string} text */
const filter = async (page, text) => {
  await page.locator('#filter').fill(text)
  return () => page.locator('#filter').press('Enter')
}
/** @param {Page} page @param {string} name */
const choose = async (page, name) => {
  await page.getByRole('button', { name: 'More' }).click()
  return () => page.getByRole('menuitem', { name }).click()
}
/** @param {Page} page @param {string} name */
const values = async (page, name) => {
  const select = page.getByLabel('Values of', { exact: true }).first()
  await select.focus()
  return async () => {
    await page.keyboard.press('Shift') // the event from which the time counts
    await select.selectOption(name)
  }
}
/** @param {Page} page @param {number} count */
const select = async (page, count) => {
  const boxes = page.locator('.grid tbody input[type=checkbox]')
  await boxes.first().click()
  await boxes.nth(count - 1).click({ modifiers: ['Shift'] })
}

/**
 * The interactions: the address before them, and what prepares them, which returns what is
 * measured. An interaction without an address continues on the page of the one before it.
 * @type {readonly { name: string, hash?: string, prepare: (page: Page) => Promise<() => unknown> }[]}
 */
const interactions = [
  {
    name: 'open the dataclass',
    hash: '#/',
    prepare: async (page) => {
      const link = page.locator('nav [data-class="Flight"]').first()
      await link.waitFor()
      return () => link.click()
    },
  },
  { name: 'next page', prepare: async (page) => () => button(page, 'Next page').click() },
  { name: 'last page', prepare: async (page) => () => button(page, 'Last page').click() },
  {
    name: 'sort by delay',
    hash: '#/Flight',
    prepare: async (page) => () => header(page, 'delay').click(),
  },
  {
    name: 'sort by key, descending',
    hash: '#/Flight?order=ID%20asc',
    prepare: async (page) => () => header(page, 'ID').click(),
  },
  {
    name: 'sort by the label of a relation',
    hash: '#/Flight',
    prepare: async (page) => () => header(page, 'origin').click(),
  },
  {
    name: 'then by another label',
    prepare: async (page) => () => header(page, 'destination').click({ modifiers: ['Shift'] }),
  },
  {
    name: 'a page in the middle of an order by label',
    hash: '#/Flight?order=origin.name%20asc&page=30001',
    prepare: async (page) => () => button(page, 'Next page').click(),
  },
  {
    name: 'last page of an order by label',
    prepare: async (page) => () => button(page, 'Last page').click(),
  },
  { name: 'filter by a range', hash: '#/Flight', prepare: (page) => filter(page, 'delay > 120') },
  {
    name: 'filter over a relation',
    hash: '#/Flight',
    prepare: (page) => filter(page, "origin.state = 'TX'"),
  },
  {
    name: 'filter that most pass, sorted by a label',
    hash: '#/Flight?order=origin.name%20asc',
    prepare: (page) => filter(page, 'delay > -10'),
  },
  {
    name: 'filter by a range of keys',
    hash: '#/Flight',
    prepare: (page) => filter(page, 'ID > 1000000 and ID < 2000000'),
  },
  {
    name: 'search all texts',
    hash: '#/Flight',
    prepare: async (page) => {
      const box = page.getByRole('searchbox', { name: /Search/ })
      await box.fill('ORD')
      return () => box.press('Enter')
    },
  },
  {
    name: 'values of a text',
    hash: '#/Flight',
    prepare: async (page) => () => button(page, 'Values').click(),
  },
  { name: 'values of distance', prepare: (page) => values(page, 'distance') },
  { name: 'values of delay', prepare: (page) => values(page, 'delay') },
  { name: 'values of date', prepare: (page) => values(page, 'date') },
  {
    name: 'aggregates and a chart by month',
    hash: '#/Flight',
    prepare: async (page) => () => page.getByRole('link', { name: 'Aggregates' }).click(),
  },
  {
    name: 'chart of another attribute',
    prepare: async (page) => {
      const by = page.locator('.chart-choice select').last()
      await by.focus()
      return async () => {
        await page.keyboard.press('Shift')
        await by.selectOption('distance')
      }
    },
  },
  {
    name: 'plan',
    hash: '#/Flight?filter=delay%20%3E%20120%20and%20origin.state%20%3D%20%27TX%27',
    prepare: async (page) => () => page.getByRole('link', { name: 'Plan' }).click(),
  },
  {
    name: 'console',
    hash: '#/$console',
    prepare: async (page) => {
      await page.getByLabel('Dataclass', { exact: true }).selectOption('Flight')
      return filter(page, "delay > 60 and origin.city = 'Chicago'")
    },
  },
  {
    name: 'open an entity',
    hash: '#/Flight',
    prepare: async (page) => {
      await page.locator('.grid tbody tr').first().locator('td').nth(1).focus()
      return () => page.keyboard.press('Space')
    },
  },
  {
    name: 'save a cell',
    hash: '#/Flight?columns=ID,delay,distance',
    prepare: async (page) => {
      await page.locator('.grid tbody tr').first().locator('td').nth(2).dblclick()
      await page.locator('.cell-editor input').fill(String(Math.floor(Math.random() * 900)))
      return () => page.keyboard.press('Enter')
    },
  },
  { name: 'undo it', prepare: async (page) => () => page.keyboard.press('Control+z') },
  {
    name: 'select all rows',
    hash: '#/Flight',
    prepare: async (page) => {
      await select(page, 2)
      return () => page.getByRole('button', { name: /^Select all/ }).click()
    },
  },
  {
    name: 'keep the selection',
    hash: '#/Flight',
    prepare: (page) => choose(page, 'Keep this selection'),
  },
  {
    name: 'keep it in the order of a label',
    hash: '#/Flight?order=origin.name%20asc',
    prepare: (page) => choose(page, 'Keep this selection'),
  },
  ...['CSV', 'JSON'].map((format) => ({
    name: `export of all rows as ${format}`,
    hash: '#/Flight',
    prepare: async (/** @type {Page} */ page) => {
      await (await choose(page, 'Export…'))()
      const start = page.getByRole('dialog').getByRole('button', { name: format, exact: true })
      await start.waitFor()
      return () => start.click()
    },
  })),
  {
    name: 'preview of 1,000 pasted rows',
    hash: '#/Flight',
    prepare: async (page) => {
      await (await choose(page, 'Paste…'))()
      const cells = page.getByRole('dialog').getByLabel(/^Cells/)
      await cells.waitFor()
      const lines = Array.from({ length: 1000 }, (_, at) => `${at * 2990 + 1}\t${at % 700}`)
      const text = JSON.stringify(['ID\tdelay', ...lines].join('\n'))
      await page.evaluate(`navigator.clipboard.writeText(${text})`)
      await cells.focus()
      return () => page.keyboard.press('Control+v')
    },
  },
  {
    name: 'save of 1,000 pasted rows',
    prepare: async (page) => {
      const change = page.getByRole('dialog').getByRole('button', { name: /^Change/ })
      await change.waitFor()
      return () => change.click()
    },
  },
  { name: 'undo of the paste', prepare: async (page) => () => page.keyboard.press('Control+z') },
  {
    name: 'deletion of ten rows: the question',
    hash: '#/Flight?filter=ID%20%3C%2011',
    prepare: async (page) => {
      await select(page, 10)
      return () => button(page, 'Delete the selected rows…').click()
    },
  },
  {
    name: 'deletion of ten rows',
    prepare: async (page) => () =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^Delete/ })
        .click(),
  },
  {
    name: 'undo of ten deletions',
    prepare: async (page) => () => page.keyboard.press('Control+z'),
  },
]

/** Starts the example; resolves to its address. */
async function serve() {
  const start = fileURLToPath(new URL('../../../examples/flights-3m/start.mjs', import.meta.url))
  const server = spawn(process.execPath, [start, '--serve', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: server.stdout })) {
    const [address] = /http:\/\/\S+(?=\/rest )/.exec(line) ?? []
    if (address !== undefined)
      return { origin: address, pid: server.pid, close: () => server.kill() }
  }
  throw new Error('The example does not start.')
}

/**
 * The processor time of a process in milliseconds, as Linux counts it; NaN elsewhere.
 * @param {number | undefined} pid
 */
function processorTime(pid) {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * @param {Page} page
 * @param {() => unknown} act
 * @returns {Promise<Measured>}
 */
async function measured(page, act) {
  await page.evaluate('probe.arm()')
  const [found] = await Promise.all([page.evaluate('probe.settled()'), act()])
  return /** @type {Measured} */ (found)
}

const { values: options, positionals: words } = parseArgs({
  options: { origin: { type: 'string' } },
  allowPositionals: true,
})
const executable = findChromium()
if (executable === null) throw new Error('No Chromium was found: name it in ENTIA_CHROMIUM.')
const server =
  options.origin === undefined
    ? await serve()
    : { origin: options.origin, pid: undefined, close() {} }
const browser = await chromium.launch(launchOptions(executable))
try {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await context.addInitScript(probe)
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  console.log('| interaction | first reaction | result | server |\n|---|--:|--:|--:|')
  let isTaken = false
  for (const { name, hash, prepare } of interactions) {
    if (hash !== undefined || words.length === 0)
      isTaken = words.length === 0 || words.some((word) => name.includes(word))
    if (!isTaken) continue
    try {
      if (hash !== undefined) {
        await page.goto('about:blank')
        await page.goto(`${server.origin}/${hash}`)
        await page.evaluate('probe.arm()')
        await page.locator('.grid td, .class-box, #filter, .problem').first().waitFor()
        await page.waitForTimeout(700)
      }
      const act = await prepare(page)
      const before = processorTime(server.pid)
      const { first, result, progress, problem } = await measured(page, act)
      const used = processorTime(server.pid) - before
      const ended = problem === '' ? '' : `, refused: ${problem.slice(0, 90)}`
      const times = [first, result, used].map((time) => `${Math.round(time)} ms`)
      const more = `${progress ? ', with progress' : ''}${ended}`
      console.log(`| ${name}${more} | ${times.join(' | ')} |`)
    } catch (error) {
      console.log(`| ${name} | – | – | ${String(error).split('\n')[0].slice(0, 120)} |`)
    }
  }
} finally {
  await browser.close()
  server.close()
}
