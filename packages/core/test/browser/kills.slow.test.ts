import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, Site, skipped, type Tab } from './chromium.ts'

if (executable === null) console.warn(`journals in a browser: ${skipped}`)

/** `npm run test:kills:browser` sets 100. */
const kills = Number(process.env.ENTIA_KILLS ?? 4)
/** Kills of the writer among three tabs: each of the two kinds once. */
const writerKills = Number(process.env.ENTIA_KILLS ?? 2)

const KINDS = ['crashed tab', 'closed tab', 'killed browser', 'crashed worker'] as const

interface State {
  readonly role: string
  readonly batches: number
  readonly isWhole: boolean
  readonly errors: readonly string[]
  readonly seen: readonly number[]
}

describe.skipIf(executable === null)(
  `a journal in a browser${executable === null ? `: ${skipped}` : ''}`,
  () => {
    let site: Site
    beforeAll(async () => {
      site = await Site.open('./notes-program.ts')
    })
    afterAll(() => site?.close())

    test(
      `loses no saved transaction, and saves none in part, in ${kills} kills`,
      async () => {
        const profile = site.newProfile()
        let chromium = await site.startBrowser(profile)
        let saved = 0
        let inFlight = 0
        const killed: Record<string, number> = {}
        try {
          for (let kill = 0; kill < kills; kill++) {
            const kind = KINDS[kill % KINDS.length]!
            const tab = await chromium.openTab(
              `${site.origin}/${kind === 'crashed worker' ? '#worker' : ''}`,
            )
            const opened = (await tab.ask('open')) as State
            expect(opened).toMatchObject({ role: 'writer', isWhole: true, errors: [] })
            expect(opened.batches).toBeGreaterThanOrEqual(saved)
            inFlight += opened.batches - saved
            const problem = tab.ask('write').catch((error: Error) => error.message)
            await Promise.race([tab.ackedAtLeast(1 + ((kill * 7) % 31)), problem])
            if (kind === 'killed browser') {
              await chromium.kill()
              chromium = await site.startBrowser(profile)
            } else await end(tab, kind === 'closed tab')
            // The call rejects only when the tab ends.
            expect(await problem).toMatch(/crashed|closed/)
            saved = Math.max(saved, ...tab.acked)
            killed[kind] = (killed[kind] ?? 0) + 1
          }
          const last = await chromium.openTab(site.origin)
          const state = (await last.ask('open')) as State
          expect(state).toMatchObject({ role: 'writer', isWhole: true, errors: [] })
          expect(state.batches).toBeGreaterThanOrEqual(saved)
          console.info(
            `${JSON.stringify(killed)}: ${state.batches} transactions, ${saved} saved before the last kill, ${inFlight} more were found`,
          )
        } finally {
          await chromium.kill()
        }
      },
      60_000 + kills * 20_000,
    )

    test(
      `has one writer of three tabs, and a tab that follows takes over, in ${writerKills} kills`,
      async () => {
        const chromium = await site.startBrowser(site.newProfile())
        const open = async (): Promise<Tab> => {
          const tab = await chromium.openTab(site.origin)
          expect(await tab.ask('open')).toMatchObject({ isWhole: true, errors: [] })
          return tab
        }
        try {
          let tabs = [await open(), await open(), await open()]
          const saved: number[] = []
          for (let kill = 0; kill < writerKills; kill++) {
            const states = await statesOf(tabs)
            expect(states.filter(({ role }) => role === 'writer')).toHaveLength(1)
            const writer = tabs[states.findIndex(({ role }) => role === 'writer')]!
            // Following tabs compete with each other, and in every second round with the writer.
            const others = tabs.filter((tab) => tab !== writer)
            const writing = kill % 2 === 0 ? [...others, writer] : others
            const counts = writing.map(({ acked }) => acked.length)
            for (const tab of writing)
              if (tab.isWriting !== true) {
                tab.isWriting = true
                tab.ask('propose').catch(() => undefined)
              }
            await Promise.all(
              others.map((tab, i) => tab.ackedAtLeast(counts[i]! + 1 + ((kill * 5) % 7))),
            )
            await end(writer, kill % 2 === 1)
            saved.push(...writer.acked)
            tabs = [...others, await open()]
            // The other tabs continue: one of them has taken over.
            const now = others.map(({ acked }) => acked.length)
            await Promise.all(others.map((tab, i) => tab.ackedAtLeast(now[i]! + 1)))
          }
          for (const tab of tabs) saved.push(...tab.acked)
          const last = await statesOf(tabs)
          for (const { isWhole, errors, seen } of last) {
            expect({ isWhole, errors }).toEqual({ isWhole: true, errors: [] })
            // The live query of each tab received every transaction once, in order.
            expect(seen).toEqual(seen.map((_, i) => seen[0]! + i))
          }
          // Every saved transaction exists, and exactly one tab saved it.
          expect(new Set(saved).size).toBe(saved.length)
          expect(Math.max(...saved)).toBeLessThanOrEqual(
            Math.max(...last.map((one) => one.batches)),
          )
          console.info(`${saved.length} transactions saved by ${writerKills + 3} tabs`)
        } finally {
          await chromium.kill()
        }
      },
      60_000 + writerKills * 20_000,
    )
  },
)

const statesOf = (tabs: readonly Tab[]): Promise<readonly State[]> =>
  Promise.all(tabs.map((tab) => tab.ask('state') as Promise<State>))

/** Ends a tab while it writes. */
async function end({ page }: Tab, byUser: boolean): Promise<void> {
  if (byUser) return page.close()
  const session = await page.context().newCDPSession(page)
  const crashed = new Promise((resolve) => page.once('crash', resolve))
  session.send('Page.crash').catch(() => undefined)
  await crashed
  await page.close().catch(() => undefined)
}
