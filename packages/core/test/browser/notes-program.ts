import { createDataStore, isEntiaError } from '@entia/core'
import { type BrowserJournal, deleteBrowserJournal, openBrowserJournal } from '@entia/core/browser'
import {
  aggregates,
  attribute,
  createStore,
  defineDataClass,
  liveQueries,
  persistence,
} from '@entia/core/kernel'

// The program of a tab in the tests of this folder. It runs in the page, or in a worker of the
// page.

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  batch: attribute.long({ indexed: true }),
  text: attribute.string(),
})
const Total = defineDataClass('Total', {
  ID: attribute.string({ key: true }),
  notes: attribute.long(),
})
const store = createStore({
  name: 'notes',
  dataClasses: [Note, Total],
  capabilities: [aggregates, liveQueries, persistence],
})
type Tables = Pick<typeof store, 'Note' | 'Total'>

export const NOTES_OF_A_BATCH = 3

/** One transaction: the notes of one batch, and the number of all notes. Returns the batch. */
function addBatch(tx: Tables): number {
  const batch = (tx.Note.all().max('batch') ?? 0) + 1
  for (let i = 0; i < NOTES_OF_A_BATCH; i++)
    tx.Note.insert({ batch, text: `${batch}.${i} ${'é'.repeat((batch * 37) % 400)}` })
  const total = tx.Total.all().first()
  if (total == null) tx.Total.insert({ ID: 'all', notes: NOTES_OF_A_BATCH })
  else tx.Total.update('all', { notes: (total.notes ?? 0) + NOTES_OF_A_BATCH })
  return batch
}

let journal: BrowserJournal<Tables>
/** Batches as reported by the live query of this tab. */
const seen: number[] = []
const errors: string[] = []
let refusals = 0
let refusing = 0

/** The part of IndexedDB that a test makes fail. */
interface Places {
  put(...values: unknown[]): unknown
  readonly transaction: { abort(): void }
}
const places = (globalThis as unknown as { readonly IDBObjectStore: { prototype: Places } })
  .IDBObjectStore.prototype
const { put } = places
places.put = function (this: Places, ...values) {
  if (refusing === 1) throw new DOMException('no space', 'QuotaExceededError')
  const request = put.apply(this, values)
  if (refusing === 2) this.transaction.abort()
  return request
}

const commands = {
  async open(): Promise<unknown> {
    journal = await openBrowserJournal(store, 'notes', {
      onError: (error) => errors.push(String(error)),
    })
    store.Note.query('ID > 0').live(({ entered }) => {
      for (const note of entered) if (seen.at(-1) !== note.batch) seen.push(note.batch ?? 0)
    })
    return commands.state()
  },
  async state(): Promise<unknown> {
    store.verify()
    const batches = store.Note.all().count / NOTES_OF_A_BATCH
    return {
      role: journal.role,
      batches,
      isWhole:
        (store.Note.all().max('batch') ?? 0) === batches &&
        (store.Total.all().first()?.notes ?? 0) === store.Note.all().count,
      globalStamp: store.globalStamp,
      seen,
      errors,
    }
  },
  /** Writes continuously, and reports each batch that is on the disk. */
  async write(): Promise<void> {
    for (let i = 1; ; i++) {
      const batch = store.transact(addBatch)
      if (i % 25 === 0) journal.compact().catch((error) => errors.push(String(error)))
      await journal.flush()
      report(batch)
    }
  },
  /** The same, called from any tab, with a little time for the processes of other tabs. */
  async propose(): Promise<void> {
    for (;;) {
      report(await journal.transact(addBatch))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  },
  async one(): Promise<number> {
    return journal.transact(addBatch)
  },
  /**
   * Inserts a note of this batch as an application would: again while the error says that nothing
   * was kept. Resolves to 'kept', or to 'unknown' if it may have been kept.
   */
  async keep(batch: number): Promise<string> {
    for (;;) {
      try {
        return await journal.transact((tx) => {
          tx.Note.insert({ batch, text: 'x'.repeat((batch * 997) % 3000) })
          return 'kept'
        })
      } catch (error) {
        if (isEntiaError(error, 'outcomeUnknown')) return 'unknown'
        if (journal.role === 'closed') return String(error)
        refusals++
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  },
  async compact(): Promise<string> {
    return journal.compact().then(() => 'compacted', textOf)
  },
  /** From now on the database refuses writes: 1 at once, 2 at their end; 0 takes all. */
  async refuse(how: number): Promise<void> {
    refusing = how
  },
  /** How often transactions of this tab were refused because nothing of them was kept. */
  async refusals(): Promise<number> {
    return refusals
  },
  async batches(): Promise<unknown> {
    store.verify()
    return store.Note.all()
      .toArray()
      .map(({ batch }) => batch)
  },
  async close(): Promise<void> {
    await journal.close()
  },
  /** Opens the database with a store of all capabilities and another model. */
  async openOther(): Promise<string> {
    const other = createDataStore({
      name: 'notes',
      dataClasses: [defineDataClass('Note', { ID: attribute.uuid({ key: true }) })],
    })
    return openBrowserJournal(other, 'notes').then(({ role }) => role, textOf)
  },
  async remove(): Promise<string> {
    return deleteBrowserJournal('notes').then(() => 'removed', textOf)
  },
  async fill(size: number): Promise<string> {
    // Browsers compress stored data, so the text is random.
    let text = ''
    while (text.length < size) text += crypto.randomUUID()
    store.transact((tx) => tx.Note.insert({ batch: 0, text }))
    return journal.flush().then(() => 'saved', textOf)
  },
  async empty(): Promise<string> {
    store.Note.query('batch = 0').remove()
    return journal.compact().then(() => 'saved', textOf)
  },
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type Command = keyof typeof commands
type Call = { readonly id: number; readonly command: Command; readonly argument: number }

const run = ({ command, argument }: Omit<Call, 'id'>): Promise<unknown> =>
  commands[command](argument)

interface Scope {
  /** Passed in by the test. */
  acked?(batch: number): void
  postMessage(message: unknown): void
  onmessage: ((event: { data: never }) => void) | null
  ask(command: Command, argument: number): Promise<unknown>
  readonly document?: unknown
  readonly location: { readonly hash: string }
  readonly Worker: new (
    address: string,
    options: { type: 'module' },
  ) => Pick<Scope, 'postMessage' | 'onmessage'>
}
const scope = globalThis as object as Scope
const isWorker = scope.document === undefined

const report = (batch: number): void =>
  isWorker ? scope.postMessage({ batch }) : scope.acked?.(batch)

if (isWorker) {
  scope.onmessage = ({ data }: { data: Call }) => {
    run(data).then(
      (result) => scope.postMessage({ id: data.id, result }),
      (error) => scope.postMessage({ id: data.id, error: String(error) }),
    )
  }
} else if (scope.location.hash === '#worker') {
  const worker = new scope.Worker('/program.js', { type: 'module' })
  const calls: { resolve(result: unknown): void; reject(error: Error): void }[] = []
  worker.onmessage = ({
    data,
  }: {
    data: { batch?: number; id: number; result?: unknown; error?: string }
  }) => {
    if (data.batch !== undefined) scope.acked?.(data.batch)
    else if (data.error !== undefined) calls[data.id]!.reject(new Error(data.error))
    else calls[data.id]!.resolve(data.result)
  }
  scope.ask = (command, argument) =>
    new Promise((resolve, reject) => {
      const id = calls.push({ resolve, reject }) - 1
      worker.postMessage({ id, command, argument } satisfies Call)
    })
} else scope.ask = (command, argument) => run({ command, argument })
