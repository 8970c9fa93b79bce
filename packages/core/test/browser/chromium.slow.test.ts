import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../differential/random.ts'
import { runs } from '../runs.ts'
import { type Chromium, executable, Site, skipped, type Tab } from './chromium.ts'

if (executable === null) console.warn(`journals in a browser: ${skipped}`)

describe.skipIf(executable === null)(
  `in Chromium${executable === null ? `: ${skipped}` : ''}, a journal`,
  () => {
    let site: Site
    let chromium: Chromium
    beforeAll(async () => {
      site = await Site.open('./notes-program.ts')
      chromium = await site.startBrowser(site.newProfile())
    })
    afterAll(() => site?.close())

    test('is shared by a page and a worker, and removed when both have closed it', async () => {
      const page = await chromium.openTab(site.origin)
      const worker = await chromium.openTab(`${site.origin}/#worker`)
      expect(await page.ask('open')).toMatchObject({ role: 'writer' })
      expect(await worker.ask('open')).toMatchObject({ role: 'follower' })
      expect(await worker.ask('one')).toBe(1)
      expect(await page.ask('one')).toBe(2)
      // The commit of the other tab arrives as a message.
      await expect
        .poll(() => worker.ask('state'))
        .toMatchObject({ batches: 2, seen: [1, 2], isWhole: true })
      expect(await page.ask('remove')).toContain('closed in every tab')
      await page.ask('close')
      expect(await worker.ask('one')).toBe(3)
      expect(await worker.ask('state')).toMatchObject({ role: 'writer', seen: [1, 2, 3] })
      await worker.ask('close')
      expect(await page.ask('remove')).toBe('removed')
      await Promise.all([page.page.close(), worker.page.close()])
      const next = await chromium.openTab(site.origin)
      expect(await next.ask('open')).toMatchObject({ role: 'writer', batches: 0 })
      await next.page.close()
    })

    test('of another model is refused with the difference, and stays as it is', async () => {
      const tab = await chromium.openTab(site.origin)
      await tab.ask('open')
      await tab.ask('one')
      await tab.ask('close')
      expect(await tab.ask('openOther')).toContain('entia:notes/0.dump')
      expect(await tab.ask('openOther')).toMatch(/dataclass "Total"/)
      await tab.page.close()
      const next = await chromium.openTab(site.origin)
      expect(await next.ask('open')).toMatchObject({ batches: 1, isWhole: true })
      await next.page.close()
    })

    test('reports a full storage, keeps the store usable, and compact saves it later', async () => {
      // Chromium caches the available space of an origin, so this test uses a new origin.
      const fresh = await site.startBrowser(site.newProfile())
      const tab = await fresh.openTab(site.origin)
      const session = await tab.page.context().newCDPSession(tab.page)
      const setQuota = (quotaSize?: number) =>
        session.send('Storage.overrideQuotaForOrigin', {
          origin: site.origin,
          ...(quotaSize === undefined ? {} : { quotaSize }),
        })
      await setQuota(1_000_000)
      await tab.ask('open')
      expect(await tab.ask('fill', 4_000_000)).toMatch(/entia:notes.*QuotaExceededError/)
      expect(await tab.ask('fill', 10)).toMatch(/QuotaExceededError/)
      await setQuota()
      expect(await tab.ask('empty')).toBe('saved')
      const before = await tab.ask('one')
      await tab.page.close()
      const next = await fresh.openTab(site.origin)
      expect(await next.ask('open')).toMatchObject({ batches: before, isWhole: true })
      await fresh.kill()
    })

    test('has each transaction at most once, and kept ones once, whatever its storage refuses', async () => {
      const fresh = await site.startBrowser(site.newProfile())
      const random = new Random(1, 0)
      const openTab = async () => {
        const tab = await fresh.openTab(site.origin)
        await tab.ask('open')
        return tab
      }
      const tabs = [await openTab(), await openTab(), await openTab()]
      const refuse = async (how: number) => {
        for (const tab of tabs) if (!tab.page.isClosed()) await tab.ask('refuse', how)
        // The tab that writes saves what the storage has refused.
        for (const tab of how === 0 ? tabs : []) if (!tab.page.isClosed()) await tab.ask('compact')
      }
      const outcomes: Promise<string>[] = []
      const refusals: number[] = []
      // Rounds of 30 steps: the storage refuses in each, and a tab is closed and opened.
      const steps = runs(5, 3).numRuns * 30
      for (let step = 0; step < steps; step++) {
        if (step % 30 === 5) await refuse(1 + random.below(2))
        if (step % 30 === 20) await refuse(0)
        const at = random.below(3)
        const tab = tabs[at]!
        const batch = outcomes.length + 1
        // Of a tab that was closed the caller learns nothing.
        outcomes.push((tab.ask('keep', batch) as Promise<string>).catch(() => 'unknown'))
        if (step % 30 < 5 && random.chance(0.2)) await outcomes.at(-1 - random.below(3))
        if (random.chance(0.05)) await tab.ask('compact')
        if (step % 30 === 16) {
          refusals.push((await tab.ask('refusals')) as number)
          await tab.page.close()
          await refuse(0)
          tabs[at] = await openTab()
        }
      }
      await refuse(0)
      for (const tab of tabs) refusals.push((await tab.ask('refusals')) as number)
      const found = await Promise.all(outcomes)
      const batches = async (tab: Tab) =>
        ((await tab.ask('batches')) as number[]).sort((a, b) => a - b)
      const all = await batches(await openTab())
      expect([...new Set(all)]).toEqual(all)
      const kept = found.flatMap((each, at) => (each === 'kept' ? at + 1 : []))
      expect(kept.filter((batch) => !all.includes(batch))).toEqual([])
      for (const tab of tabs) await expect.poll(() => batches(tab)).toEqual(all)
      expect([kept.length > steps / 3, Math.max(...refusals) > 0]).toEqual([true, true])
      await fresh.kill()
    })

    test('whose data the user clears ends, and a tab opened later starts empty', async () => {
      const first = await chromium.openTab(site.origin)
      const second = await chromium.openTab(site.origin)
      await first.ask('open')
      await second.ask('open')
      await second.ask('one')
      const session = await first.page.context().newCDPSession(first.page)
      const { origin } = site
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
      const third = await chromium.openTab(site.origin)
      expect(await third.ask('open')).toMatchObject({ role: 'writer', batches: 0 })
      expect(await third.ask('one')).toBe(1)
      await first.page.reload()
      expect(await first.ask('open')).toMatchObject({ role: 'follower', batches: 1, isWhole: true })
      await expect
        .poll(() => second.ask('state'))
        .toMatchObject({ role: 'closed', errors: [expect.stringContaining('removed')] })
      await Promise.all([first, second, third].map(({ page }) => page.close()))
    })

    test('is refused on an origin without Web Locks', async () => {
      const tab = await chromium.openTab(site.insecureOrigin)
      await expect(tab.ask('open')).rejects.toThrow(/HTTPS, or of localhost.*without Web Locks/)
      await tab.page.close()
    })
  },
)
