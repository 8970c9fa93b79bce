import { setTimeout as wait } from 'node:timers/promises'
import { pageKeys, summary } from './data.js'
import { processTree } from './processes.js'
import { SubjectServer } from './server-of-subject.js'
import { Wire } from './wire.js'

const SINGLE_CHANGES = 9
const OWN_CHANGES = 1000
const OTHER_CHANGES = 20_000
const LONGEST = 180_000

/** All steps of one subject in one round. */
export class Measurement {
  #name
  #rows
  #site
  #options
  #steps = {}
  #server
  #wire
  #browser
  #salary = 2_000_000

  constructor(name, rows, site, options) {
    this.#name = name
    this.#rows = rows.map((row) => ({ ...row }))
    this.#site = site
    this.#options = options
  }

  /** @returns {Promise<{ steps: object, fault: string | null }>} */
  async run(tabs) {
    let fault = null
    try {
      this.#server = await SubjectServer.start(this.#options)
      this.#wire = await Wire.open(this.#server.port)
      const profile = this.#site.newProfile()
      await this.#start(profile)
      await this.#step('first', () => this.#open(false))
      await this.#ask('kept')
      await this.#browser.context.close()
      await this.#start(profile)
      await this.#step('kept', () => this.#open(true))
      await this.#singleChanges()
      await this.#away('changed100', 0, 100)
      const { length } = this.#rows
      await this.#away(
        'hour',
        Math.min(OWN_CHANGES, length / 50),
        Math.min(OTHER_CHANGES, length / 5),
      )
      if (tabs > 0) await this.#moreTabs(tabs)
      await this.#narrow()
    } catch (error) {
      fault = error.message
    }
    await this.#browser?.context.close()
    this.#wire?.close()
    await this.#server?.close()
    return { steps: this.#steps, fault }
  }

  async #start(profile) {
    this.#browser = await this.#site.openPage(this.#name, profile)
  }

  /** Runs a method of the page. */
  #ask(command, ...values) {
    return inTime(
      command,
      this.#browser.page.evaluate(
        ([name, given]) => globalThis.subject[name](...given),
        [command, values],
      ),
    )
  }

  /** Milliseconds from opening to the answer, measured in the page. */
  async #open(isKept, page = this.#browser.page, method = 'open') {
    const opening = page.evaluate(
      async ([name, origin, kept]) => {
        const start = performance.now()
        const found = await globalThis.subject[name](origin, kept)
        return { found, milliseconds: performance.now() - start }
      },
      [method, this.#wire.origin, isKept],
    )
    const { found, milliseconds } = await inTime(method, opening)
    if (found.join() !== pageKeys(this.#rows).join())
      throw new Error(`The page of ${found.length} entities is another one.`)
    return milliseconds
  }

  /** Runs a step; notes its time, processor time and bytes; compares both sides. */
  async #step(name, run) {
    await this.#wire.quiet()
    this.#wire.reset()
    process.stderr.write(`  ${name}\n`)
    const before = this.#usage()
    const milliseconds = await run()
    const answered = this.#usage()
    await this.#wire.quiet()
    const { up, down } = this.#wire
    this.#steps[name] = {
      milliseconds,
      pageCpu: answered.page.milliseconds - before.page.milliseconds,
      serverCpu: answered.server.milliseconds - before.server.milliseconds,
      serverBytes: answered.server.bytes,
      pageBytes: answered.page.bytes,
      up,
      down,
    }
    await this.#compare(name)
  }

  #usage() {
    return { page: processTree([this.#browser.pid]), server: this.#server.usage() }
  }

  async #compare(step) {
    const expected = summary(this.#rows)
    const server = await this.#server.ask('summary')
    const page = await this.#ask('summary')
    if (server !== expected || page !== expected)
      throw new Error(`${step}: expected ${expected}, server ${server}, page ${page}.`)
  }

  /** New salaries of entities at these places. */
  #changes(places) {
    return places.map((at) => {
      const row = this.#rows[at % this.#rows.length]
      row.salary = this.#salary++
      return { ID: row.ID, salary: row.salary }
    })
  }

  async #singleChanges() {
    const bytes = []
    for (let at = 0; at < SINGLE_CHANGES; at++) {
      const changes = this.#changes([at * 31])
      await this.#wire.quiet(300)
      this.#wire.reset()
      await this.#server.ask('change', changes)
      await this.#ask('untilSeen', changes)
      await this.#wire.quiet(300)
      bytes.push([this.#wire.up, this.#wire.down])
    }
    const middle = bytes.sort((a, b) => a[0] + a[1] - b[0] - b[1])[SINGLE_CHANGES >> 1]
    this.#steps.single = { up: middle[0], down: middle[1] }
    await this.#compare('single')
  }

  /** Both sides change without a connection, and meet again. */
  async #away(name, own, others) {
    this.#wire.cut()
    await wait(500)
    const mine = this.#changes(Array.from({ length: own }, (_, at) => at * 50))
    // Every fifth entity from 1 on: others than those of the page.
    const theirs = this.#changes(
      Array.from({ length: others }, (_, at) => 1 + (others < 1000 ? at * 997 * 5 : at * 5)),
    )
    const start = performance.now()
    if (own > 0) await this.#ask('write', mine)
    this.#steps[`${name}Writes`] = { milliseconds: performance.now() - start }
    await this.#server.ask('change', theirs)
    await this.#ask('kept')
    const some = (changes) => changes.filter((_, at) => (changes.length - 1 - at) % 499 === 0)
    await this.#step(name, async () => {
      const begin = performance.now()
      this.#wire.connect()
      await this.#ask('reconnect')
      await Promise.all([
        this.#ask('untilSeen', some(theirs)),
        this.#server.ask('untilSeen', some(mine)),
      ])
      return performance.now() - begin
    })
  }

  /** Further replicas in contexts of their own, without stored data. */
  async #moreTabs(count) {
    const before = this.#server.usage()
    const browser = await this.#site.openBrowser()
    for (let at = 0; at < count; at++) {
      const page = await this.#site.openTab(this.#name, await browser.newContext())
      await this.#open(false, page)
    }
    await this.#wire.quiet()
    await wait(2000)
    const after = this.#server.usage()
    this.#steps.tabs = {
      serverCpu: (after.milliseconds - before.milliseconds) / count,
      serverBytes: (after.bytes - before.bytes) / count,
    }
    await browser.close()
  }

  /** The answer to the query alone, for subjects that hold what a query asks for. */
  async #narrow() {
    await this.#browser.context.close()
    await this.#start(this.#site.newProfile())
    if (!(await this.#browser.page.evaluate(() => 'openOne' in globalThis.subject))) return
    await this.#wire.quiet()
    this.#wire.reset()
    const before = this.#usage()
    const milliseconds = await this.#open(false, this.#browser.page, 'openOne')
    const after = this.#usage()
    await this.#wire.quiet()
    this.#steps.narrow = {
      milliseconds,
      pageCpu: after.page.milliseconds - before.page.milliseconds,
      serverCpu: after.server.milliseconds - before.server.milliseconds,
      up: this.#wire.up,
      down: this.#wire.down,
    }
  }
}

/** Rejects after `LONGEST`. */
async function inTime(what, running) {
  const end = new AbortController()
  const late = wait(LONGEST, true, { signal: end.signal }).catch(() => false)
  const result = await Promise.race([
    running,
    late.then((isLate) => {
      if (isLate) throw new Error(`${what} has not ended after ${LONGEST / 1000} s.`)
    }),
  ])
  end.abort()
  return result
}
