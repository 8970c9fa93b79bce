import {
  type AnyDataClass,
  type AnyDataStore,
  attribute,
  createDataStore,
  defineDataClass,
  type EntiaError,
} from '@entia/core'
import { openBrowserJournal } from '@entia/core/browser'
import { createRestHandler, ReplicaState } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import { patience, runs } from '../../core/test/runs.ts'
import { replicate } from '../src/index.ts'
import { linkTo, PAUSES, rowsOf } from './office.ts'
import { until } from './waiting.ts'

const Note = (attributes: object) =>
  defineDataClass('Note', {
    ID: attribute.uuid({ key: true, autoSequence: true }),
    text: attribute.string(),
    ...attributes,
  })
const Tag = (attributes: object = {}) =>
  defineDataClass('Tag', { ID: attribute.string({ key: true }), ...attributes })

interface Version {
  readonly dataClasses: readonly AnyDataClass[]
  readonly shapes: { readonly [name: string]: true | { readonly with: readonly string[] } }
  /** What a page saves in a new note besides its text. */
  readonly more: object
}
const tagged = (inverse: string): Version => ({
  dataClasses: [
    Note({ tag: attribute.relatedEntity('Tag') }),
    Tag({ [inverse]: attribute.relatedEntities('Note', 'tag') }),
  ],
  shapes: { Note: true, Tag: { with: [inverse] } },
  more: {},
})
/** The definitions of server and page. The last two have the same columns. */
const VERSIONS: readonly Version[] = [
  {
    dataClasses: [Note({ rank: attribute.number() })],
    shapes: { Note: true },
    more: { rank: 1 },
  },
  {
    dataClasses: [Note({ rank: attribute.number(), more: attribute.string() })],
    shapes: { Note: true },
    more: { rank: 1, more: 'x' },
  },
  {
    dataClasses: [Note({ rank: attribute.string() }), Tag()],
    shapes: { Note: true, Tag: true },
    more: { rank: 'first' },
  },
  tagged('notes'),
  tagged('all'),
]
const version = fc.nat(VERSIONS.length - 1)

const step = fc.record({
  kind: fc.constantFrom(
    ...([
      'write',
      'write',
      'write',
      'open',
      'open',
      'deploy',
      'kill',
      'close',
      'wire',
      'wait',
    ] as const),
    ...(['raise', 'tag', 'server', 'full', 'before', 'after', 'torn'] as const),
  ),
  at: fc.nat(2),
  version,
  /** Whether a page that is opened is that of the server, and not one from a cache. */
  isFresh: fc.boolean(),
})

interface Serving {
  readonly store: AnyDataStore
  readonly version: number
  readonly rest: ReturnType<typeof createRestHandler>
}

/** A server with the notes and the replicas of the one before. */
function serve(at: number, before: Serving | null): Serving {
  const dataClasses = [...VERSIONS[at]!.dataClasses, ReplicaState]
  const store = createDataStore({ name: 'notes', dataClasses }) as AnyDataStore
  if (before !== null)
    for (const name of ['Note', 'ReplicaState']) {
      const has = (each: string) => name === 'ReplicaState' || ['ID', 'text'].includes(each)
      const rows = rowsOf(before.store.dataClass(name).all()).map((row) =>
        Object.fromEntries(Object.entries(row as object).filter(([each]) => has(each))),
      )
      store.dataClass(name).load(rows)
    }
  return { store, version: at, rest: createRestHandler(store, { replicas: true }) }
}

type Tab = Awaited<ReturnType<typeof openTab>>

async function openTab(browser: MemoryBrowser, rest: Serving['rest'], at: number) {
  const tab = browser.openTab()
  const link = linkTo(rest)
  const { dataClasses, shapes, more } = VERSIONS[at]!
  const opening = replicate(link.db, {
    dataClasses,
    shapes,
    keep: (store, options) => {
      const onRole: typeof options.onRole = (role) => {
        options.onRole(role)
        if (role === 'closed') tab.end()
      }
      return openBrowserJournal(store, 'notes', { onRole, onError: () => undefined }, tab.ports)
    },
    pauses: PAUSES,
  })
  const hasTags = dataClasses.length > 1
  return { ...link, tab, more, hasTags, opening }
}

test(
  'whatever is deployed while tabs of other versions are open, each kept transaction is applied once or is a problem',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        version,
        fc.array(step, { maxLength: 14, size: 'max' }),
        async (first, steps) => {
          const browser = new MemoryBrowser()
          let serving = serve(first, null)
          const rest = {
            fetch: (request: Request) => serving.rest.fetch(request),
          } as Serving['rest']
          let open: (Tab & { readonly replica: Awaited<Tab['opening']> })[] = []
          const kept: string[] = []
          let number = 0
          const end = ({ tab, cut }: Tab): void => {
            tab.end()
            cut()
          }
          const begin = async (at: number): Promise<void> => {
            const one = await openTab(browser, rest, at)
            // A page that is refused, or waits for the server in vain, is closed again.
            const patient = new Promise<null>((resolve) => setTimeout(() => resolve(null), 60))
            const replica = await Promise.race([one.opening.catch(() => null), patient])
            if (replica === null) end(one)
            else open.push({ ...one, replica })
          }
          await begin(first)
          for (const { kind, at, version, isFresh } of steps) {
            open = open.filter(({ tab }) => !tab.hasEnded)
            if (open.length === 0) await begin(serving.version)
            const one = open[at % Math.max(open.length, 1)]
            if (one === undefined) continue
            const { replica, tab } = one
            const notes = (replica.store as never as AnyDataStore).dataClass('Note')
            const transact = (body: (tx: AnyDataStore) => void) =>
              replica.transact((tx) => body(tx as never as AnyDataStore))
            if (kind === 'write') {
              const text = `mine ${++number}`
              const writing = transact(
                (tx) => void tx.dataClass('Note').insert({ text, ...one.more }),
              )
                .then(() => kept.push(text))
                .catch(isExpected)
              await Promise.race([writing, tab.ended])
            } else if (kind === 'tag') {
              if (!one.hasTags) continue
              const ID = `tag ${++number}`
              const tagging = transact((tx) => void tx.dataClass('Tag').insert({ ID }))
              await Promise.race([tagging.catch(isExpected), tab.ended])
            } else if (kind === 'raise') {
              const key = keysOf(notes)[0]
              if (key === undefined) continue
              const raising = transact(
                (tx) => void tx.dataClass('Note').update(key, one.more as never),
              )
              await Promise.race([raising.catch(isExpected), tab.ended])
            } else if (kind === 'server') {
              const key = serving.store.dataClass('Note').all().keys()[0]
              const { more } = VERSIONS[serving.version]!
              if (key !== undefined)
                serving.store.dataClass('Note').update(key as never, more as never)
            } else if (kind === 'deploy') {
              for (const each of open) each.cut()
              serving = serve(version, serving)
              for (const each of open) each.connect()
            } else if (kind === 'open') await begin(isFresh ? serving.version : version)
            else if (kind === 'wire') {
              if (one.wire.isUp) one.cut()
              else one.connect()
            } else if (kind === 'wait') await new Promise((resolve) => setTimeout(resolve, at * 5))
            else if (kind === 'full')
              tab.faultAt = tab.faultAt(0) === null ? () => 'refused' : () => null
            else if (kind === 'kill') end(one)
            else if (kind === 'close')
              await Promise.race([replica.close().catch(isExpected), tab.ended])
            else tab.faultAt = () => kind
          }
          for (const each of open) end(each)
          const last = await openTab(browser, rest, serving.version)
          const replica = await last.opening
          const dropped = new Set<string>()
          for (;;) {
            await replica.current()
            const [problem] = [...replica.problems] as unknown as {
              number: number
              items: { list: readonly object[] }
            }[]
            if (problem === undefined) break
            const outcome = await replica.solve(problem.number, 'mine')
            if (outcome.kind === 'applied') continue
            // What the server cannot take is dropped, by its name.
            const again = outcome.problem.number
            for (const item of problem.items.list as { values?: { text?: string } }[])
              if (item.values?.text !== undefined) dropped.add(item.values.text)
            await replica.solve(again, 'theirs')
          }
          const all = serving.store.dataClass('Note').all()
          await until(
            () =>
              JSON.stringify(
                rowsOf((replica.store as never as AnyDataStore).dataClass('Note').all()),
              ) === JSON.stringify(rowsOf(all)),
          )
          const texts = rowsOf(all).map((row) => (row as unknown as { text: string }).text)
          expect([...texts].sort()).toEqual([...new Set(texts)].sort())
          for (const text of kept)
            expect({ text, isThere: texts.includes(text) }).toEqual({
              text,
              isThere: !dropped.has(text),
            })
          replica.store.verify()
          await replica.close()
        },
      ),
      runs(40),
    )
  },
)

function keysOf(notes: { all(): { keys(): readonly unknown[] } }): readonly never[] {
  try {
    return notes.all().keys() as readonly never[]
  } catch {
    return []
  }
}

/** Throws other errors than those of a storage that refuses writes. */
function isExpected(error: unknown): void {
  const { code, message } = error as EntiaError
  if (message === 'The replica is closed.') return
  expect(['journalFailed', 'notWriter', 'outcomeUnknown']).toContain(code)
}
