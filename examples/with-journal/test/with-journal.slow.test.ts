import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { afterEach, beforeEach, expect, test } from 'vitest'

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

let folder: string
let data: string
let running: ChildProcess | null = null
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-'))
  data = join(folder, 'data')
})
afterEach(async () => {
  await stop('SIGKILL')
  await rm(folder, { recursive: true })
})

/** Starts the program and returns the address that it prints. */
async function start(): Promise<string> {
  const env = { PATH: process.env.PATH, DATA: data, PORT: '0' }
  const child = spawn(process.execPath, [pathOf('serve.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running = child
  const [text] = await once(child.stdout, 'data')
  return /http:\S+/.exec(String(text))?.[0] ?? ''
}

/** Stops the program and returns its exit code and signal. */
async function stop(signal: NodeJS.Signals): Promise<unknown> {
  const child = running
  running = null
  if (child === null) return null
  const ended = once(child, 'close')
  child.kill(signal)
  return ended
}

const titlesAt = async (address: string): Promise<readonly string[]> => {
  const answer = (await (await fetch(`${address}?$attributes=title`)).json()) as {
    readonly __ENTITIES: readonly { readonly title: string }[]
  }
  return answer.__ENTITIES.map(({ title }) => title)
}

test('acknowledged changes survive a kill, SIGTERM exits with 0, and initial data loads once', async () => {
  const first = await start()
  expect(await titlesAt(first)).toEqual(['Notes', 'Passages'])
  expect((await fetch(first, { method: 'POST', body: '{"title":"On Numbers"}' })).status).toBe(200)
  expect(await stop('SIGKILL')).toEqual([null, 'SIGKILL'])
  const second = await start()
  expect(await titlesAt(second)).toEqual(['Notes', 'Passages', 'On Numbers'])
  expect(
    (await fetch(second, { method: 'POST', body: '{"title":"Letters","author":"Ada Byron"}' }))
      .status,
  ).toBe(200)
  expect(await stop('SIGTERM')).toEqual([0, null])
  const third = await start()
  expect(await titlesAt(third)).toEqual(['Notes', 'Passages', 'On Numbers', 'Letters'])
  expect(await stop('SIGINT')).toEqual([0, null])
})

test('a folder migrates to another model; keys are kept and sequences continue', async () => {
  const address = await start()
  await fetch(address, { method: 'POST', body: '{"title":"Letters","author":"Ada Byron"}' })
  await fetch(address, { method: 'POST', body: '{"title":"Anonymous"}' })
  await fetch(`${address}(2)`, { method: 'DELETE' })
  await stop('SIGTERM')
  const changed = join(folder, 'changed')
  const run = () =>
    execFileSync(process.execPath, [pathOf('change-model.mjs'), data, changed], { stdio: 'pipe' })
  expect(String(run())).toBe('3 books, 1 authors\n')
  expect(run).toThrow('already exists')

  const Author = defineDataClass('Author', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ notNull: true, unique: true }),
  })
  const Book = defineDataClass('Book', {
    ID: attribute.long({ key: true, autoSequence: true }),
    title: attribute.string({ notNull: true }),
    author: attribute.relatedEntity('Author'),
  })
  const store = createDataStore({ name: 'books', dataClasses: [Author, Book] })
  const journal = await openJournal(store, changed)
  expect(store.Book.all().select('ID, title, author.name')).toEqual([
    { ID: 1, title: 'Notes', author: { name: 'Ada Byron' } },
    { ID: 3, title: 'Letters', author: { name: 'Ada Byron' } },
    { ID: 4, title: 'Anonymous', author: null },
  ])
  expect(store.Book.insert({ title: 'one more' }).ID).toBe(5)
  await journal.close()
})

test('the page on files shows this program', async () => {
  const page = await readFile(
    fileURLToPath(new URL('../../../docs/how-to/files.md', import.meta.url)),
    'utf8',
  )
  expect(page).toContain(`\`\`\`js\n${await readFile(pathOf('serve.mjs'), 'utf8')}\`\`\``)
})
