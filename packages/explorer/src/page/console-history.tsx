import type { ConsoleQuery } from './console-query.ts'
import { useRoving } from './use-roving.ts'

interface ConsoleHistoryProps {
  readonly history: readonly ConsoleQuery[]
  /** Runs a query again. */
  readonly recall: (query: ConsoleQuery) => void
  readonly clear: () => void
  readonly isKnown: (dataClass: string) => boolean
}

/** The queries that ran in this browser, newest first. Arrows move among them, Enter runs one. */
export function ConsoleHistory({ history, recall, clear, isKnown }: ConsoleHistoryProps) {
  const [list, onKeyDown] = useRoving<HTMLElement>('vertical')
  if (history.length === 0) return null
  return (
    <section class="console-history" aria-labelledby="console-history-title">
      <h2 id="console-history-title">History</h2>
      <nav ref={list} onKeyDown={onKeyDown} aria-label="Earlier queries">
        <ul>
          {history.map((one) => (
            <li key={JSON.stringify(one)}>
              <button
                type="button"
                class="quiet"
                title="Run it again"
                disabled={!isKnown(one.dataClass)}
                onClick={() => recall(one)}
              >
                <b>{one.dataClass}</b> <code>{one.filter || 'all'}</code>{' '}
                {one.values !== '' && <code>{one.values}</code>}{' '}
                <span class="note">
                  {[one.order && `order by ${one.order}`, one.attributes]
                    .filter(Boolean)
                    .join(', ')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <button type="button" class="quiet" onClick={clear}>
        Clear the history
      </button>
    </section>
  )
}
