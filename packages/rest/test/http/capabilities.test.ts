// Stores of the kernel lack what their program left out.
import { asyncOf } from '@entia/core/async'
import { attribute, createStore, defineDataClass } from '@entia/core/kernel'
import { describe, expect, test } from 'vitest'
import { ALL_CAPABILITIES } from '../../../core/src/store/create-store.ts'
import { createRestHandler } from '../../src/index.ts'
import { send } from './send.ts'

const Note = defineDataClass(
  'Note',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    text: attribute.string({ indexed: true, words: true }),
    parent: attribute.relatedEntity('Note'),
    children: attribute.relatedEntities('Note', 'parent'),
  },
  { functions: { size: { on: 'dataClass', exposed: true, run: () => 1 } } },
)
const storeOf = (capabilities: readonly unknown[]) =>
  createStore({ name: 'notes', dataClasses: [Note], capabilities: capabilities as never }) as never

const REQUESTS: readonly (readonly [method: string, url: string, body?: unknown])[] = [
  ['GET', '/rest/$catalog/$all'],
  ['POST', '/rest/Note', { text: 'a' }],
  ['POST', '/rest/Note?$atomic=true&$method=update', [{ text: 'b' }, { __KEY: '1', text: 'c' }]],
  ['GET', '/rest/Note?$filter="text=c"&$orderby=text&$explain=true&$queryplan=true'],
  ['GET', '/rest/Note(1)?$expand=children'],
  ['GET', '/rest/Note?$method=entityset'],
  ['GET', '/rest/Note/text?$compute=$all'],
  ['GET', '/rest/Note/text?$distinct=true'],
  ['GET', '/rest/Note?$groupby=text'],
  ['GET', '/rest/Note?$format=dashboard&$attributes=text'],
  ['GET', '/rest/Note(1)?$lock=true'],
  ['POST', '/rest/Note/size', []],
  ['GET', '/rest/$info'],
  ['GET', '/rest/Note?$search="a"'],
  ['GET', '/Note?q=a'],
  ['POST', '/rest/Note?$method=delete&$filter="ID>1"'],
]
async function problemsOfRest(store: never): Promise<readonly unknown[]> {
  const problems: unknown[] = []
  const rest = createRestHandler(store, {
    plain: true,
    live: true,
    slow: { milliseconds: 0, report: () => undefined },
    onError: (error) => problems.push(error),
  })
  for (const [method, url, body] of REQUESTS) await send(rest, method, url, body)
  const abort = new AbortController()
  const live = await rest.fetch(
    new Request('http://x/rest/Note?$live=true', { signal: abort.signal }),
  )
  await live.body?.getReader().read()
  abort.abort()
  return problems
}

async function problemsOfAsync(store: never): Promise<readonly unknown[]> {
  const db = asyncOf(store) as never as Record<string, never>
  const notes = (db as never as { dataClass(name: string): never }).dataClass('Note') as never as {
    readonly [name: string]: (...args: unknown[]) => never
  }
  const { load, changes } = db as never as {
    load(name: string, rows: object[]): unknown
    changes(options: object): AsyncGenerator
  }
  const all = (): { readonly [name: string]: (...args: unknown[]) => unknown } => notes.all!()
  const problems: unknown[] = []
  for (const act of [
    () => notes.insert!({ text: 'a' }),
    () => notes.saveAll!([{ text: 'b' }]),
    () => notes.update!(1, { text: 'c' }),
    () => notes.get!(1),
    () => load('Note', [{ text: 'd' }]),
    () => all().toArray!(),
    () => all().count!(),
    () => all().select!('text'),
    () => all().sum!('ID'),
    () => all().distinct!('text'),
    () => (all().groupBy!('text', { count: true }) as { toArray(): unknown }).toArray(),
    () => all().entitySet!(),
    () => notes.lock!(1),
    () => notes.call!('size'),
    () => (notes.search!('a') as { toArray(): unknown }).toArray(),
    () => (all().search!('a') as { toArray(): unknown }).toArray(),
    () => changes({ since: 0 }).next(),
    () => notes.remove!(1),
  ])
    try {
      await act()
    } catch (error) {
      problems.push(error)
    }
  return problems
}

describe.each(ALL_CAPABILITIES.map((capability) => [capability.name, capability] as const))(
  'a store without "%s"',
  (name, capability) => {
    const others = ALL_CAPABILITIES.filter((other) => other !== capability)
    test.each([
      ['createRestHandler', problemsOfRest],
      ['asyncOf', problemsOfAsync],
    ] as const)('is refused by name, or serves everything: %s', async (by, run) => {
      const problems = await run(storeOf(others)).catch((error: unknown) => {
        expect(String(error)).toContain(by)
        return [error]
      })
      for (const problem of problems) {
        expect(problem).toMatchObject({ code: 'argumentInvalid' })
        expect(String(problem)).toContain(`the capabilities "${name}"`)
      }
    })
  },
)
