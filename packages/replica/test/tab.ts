import { openBrowserJournal } from '@entia/core/browser'
import type { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import { type ReplicateOptions, replicate } from '../src/index.ts'
import { CLASSES, type createOffice, linkTo, PAUSES } from './office.ts'

export type OpenTab = Awaited<ReturnType<typeof openTab>>

/** Opens a tab with a replica and a connection of its own. */
export async function openTab(
  browser: MemoryBrowser,
  { rest }: Pick<ReturnType<typeof createOffice>, 'rest'>,
  more: Partial<ReplicateOptions<typeof CLASSES>> = {},
  link = linkTo(rest),
) {
  const tab = browser.openTab()
  const errors: unknown[] = []
  const replica = await replicate(link.db, {
    dataClasses: CLASSES,
    shapes: { Employee: true, Company: true },
    keep: (store, options) => {
      const onRole: typeof options.onRole = (role) => {
        options.onRole(role)
        // Also after a failed take-over.
        if (role === 'closed') tab.end()
      }
      return openBrowserJournal(store, 'hr', { onRole, onError: () => undefined }, tab.ports)
    },
    pauses: PAUSES,
    onError: (error) => errors.push(error),
    ...more,
  })
  return { ...link, tab, replica, errors }
}
