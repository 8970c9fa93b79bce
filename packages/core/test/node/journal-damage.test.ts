import { beforeEach, describe, expect, test } from 'vitest'
import type { EntiaError } from '../../src/errors.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { byHand, type League, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

let files: MemoryFiles
let process = 1
const open = (store: League) => openJournal(store, 'data', byHand, portsOver(files, ++process))

/** The state found, or the error. */
async function found(): Promise<
  { state: string; dropped: number } | { refused: EntiaError<'dumpInvalid'> }
> {
  const store = newLeague()
  try {
    const journal = await open(store)
    const state = textOf(store)
    await journal.close()
    return { state, dropped: journal.recovered.droppedBytes }
  } catch (error) {
    expect(error).toMatchObject({ code: 'dumpInvalid' })
    return { refused: error as EntiaError<'dumpInvalid'> }
  }
}

/** Tries something on the folder as it is, and puts it back. */
async function trying<T>(body: () => Promise<T>): Promise<T> {
  const before = files
  files = before.copy()
  try {
    return await body()
  } finally {
    files = before
  }
}

const states: string[] = []
/** Three commits, the first two in one generation and the last in the next. */
beforeEach(async () => {
  files = new MemoryFiles()
  states.length = 0
  const store = newLeague()
  const journal = await open(store)
  const commit = async (code: string): Promise<void> => {
    store.Team.insert({ code, motto: code })
    await journal.flush()
    states.push(textOf(store))
  }
  await commit('A')
  await commit('B')
  await journal.compact()
  await commit('C')
  await commit('D')
  await journal.close()
})

describe('a folder that was closed', () => {
  test('has a closing note, which does not exist while it is open', async () => {
    expect(files.paths).toEqual(
      ['0.dump', '0.journal', '2.dump', '2.journal', 'closed'].map((name) => `data/${name}`),
    )
    const journal = await open(newLeague())
    expect(files.paths).not.toContain('data/closed')
    await journal.close()
    expect(files.paths).toContain('data/closed')
  })

  test('is refused after a change of any byte that is read', async () => {
    for (const path of files.paths.filter((path) => !path.includes('/0.'))) {
      const bytes = await files.readFile(path)
      for (let at = 0; at < bytes.length; at++) {
        const changed = bytes.slice()
        changed[at] ^= 1 << (at % 8)
        const result = await trying(() => {
          files.set(path, changed)
          return found()
        })
        expect([path, at, 'refused' in result && result.refused.message.includes(path)]).toEqual([
          path,
          at,
          true,
        ])
      }
    }
  })

  test('is refused with the name of the file, wherever that file is cut off', async () => {
    for (const path of files.paths.filter((path) => !path.includes('/0.'))) {
      const bytes = await files.readFile(path)
      for (let length = 0; length < bytes.length; length++) {
        const result = await trying(() => {
          files.set(path, bytes.slice(0, length))
          return found()
        })
        expect([
          path,
          length,
          'refused' in result && result.refused.message.includes(path),
        ]).toEqual([path, length, true])
      }
    }
  })

  test('is refused if its newest generation was removed', async () => {
    for (const names of [['2.dump', '2.journal'], ['2.journal']]) {
      const result = await trying(async () => {
        for (const name of names) await files.unlink(`data/${name}`)
        return found()
      })
      expect('refused' in result && result.refused.message).toMatch(
        /^The journal cannot be opened: .*2.journal is not there/,
      )
    }
    for (const name of ['0.dump', '2.dump']) await files.unlink(`data/${name}`)
    const result = await found()
    expect('refused' in result && result.refused.message).toContain(
      'in data: there is no dump, and was',
    )
  })
})

test('the journal of a killed program opens with the commits before the cut and counts the dropped bytes', async () => {
  await files.unlink('data/closed')
  const bytes = await files.readFile('data/2.journal')
  const lines = new TextDecoder('latin1').decode(bytes)
  let isCounted = 0
  for (let length = lines.indexOf('commit'); length <= bytes.length; length++) {
    const result = await trying(() => {
      files.set('data/2.journal', bytes.slice(0, length))
      return found()
    })
    if (!('state' in result)) throw result.refused
    expect(states.slice(1)).toContain(result.state)
    if (result.dropped > 0) isCounted++
    expect(result.dropped).toBeLessThanOrEqual(length)
  }
  expect(isCounted).toBeGreaterThan(50)
})

describe('the remedy of the error', () => {
  const damage = async (path: string, at: number): Promise<EntiaError<'dumpInvalid'>> => {
    const bytes = await files.readFile(path)
    bytes[at] ^= 1
    files.set(path, bytes)
    const result = await trying(found)
    if (!('refused' in result)) throw new Error('the damaged journal was opened')
    return result.refused
  }
  const removed = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await files.unlink(`data/${name}`)
  }

  test('for a damaged journal opens it with the commits before the damage', async () => {
    const bytes = await files.readFile('data/2.journal')
    const second = new TextDecoder('latin1').decode(bytes).indexOf('commit 4')
    const { message, details } = await damage('data/2.journal', second + 50)
    expect(message).toBe(
      `The journal cannot be opened: in data/2.journal: byte ${second} or one soon after it has changed since it was written. Copy the folder before you change anything in it. Then cut it off there (truncate -s ${second} data/2.journal) and remove the file "closed", if there is one: it opens with the commits before.`,
    )
    expect(details.position).toBe(second)
    files.set('data/2.journal', bytes.slice(0, second))
    await removed(['closed'])
    expect(await found()).toEqual({ state: states[2], dropped: 0 })
  })

  test('for a journal with a damaged heading returns to the generation before, up to the start of this one', async () => {
    const { message } = await damage('data/2.journal', 3)
    expect(message).toContain('Then remove data/2.dump, data/2.journal and the file "closed"')
    await removed(['2.dump', '2.journal', 'closed'])
    expect(await found()).toEqual({ state: states[1], dropped: 0 })
  })

  test('for a damaged dump loses nothing', async () => {
    const { message } = await damage('data/2.dump', 99)
    expect(message).toMatch(/^The dump cannot be opened: in data\/2\.dump: its checksum is wrong/)
    expect(message).toContain(
      'Then remove data/2.dump alone: data/0.dump and the journals since it hold the same.',
    )
    await removed(['2.dump'])
    expect(await found()).toEqual({ state: states[3], dropped: 0 })
  })

  test('for a journal that was cut off after its close opens the rest', async () => {
    const bytes = await files.readFile('data/2.journal')
    const second = new TextDecoder('latin1').decode(bytes).indexOf('commit 4')
    files.set('data/2.journal', bytes.slice(0, second))
    const result = await trying(found)
    expect('refused' in result && result.refused.message).toBe(
      `The journal cannot be opened: in data/2.journal: ${second} bytes of it are whole, and ${bytes.length} were when the folder was closed. Copy the folder before you change anything in it. Then remove data/closed to open what is there.`,
    )
    await removed(['closed'])
    expect(await found()).toEqual({ state: states[2], dropped: 0 })
  })

  test('without an older generation is a backup', async () => {
    await removed(['0.dump', '0.journal'])
    expect((await damage('data/2.dump', 99)).message).toContain('take it from a backup')
  })
})

test('half-written files of a killed program are removed at the next start', async () => {
  for (const name of ['5.dump.new', 'closed.new', 'lock.4711'])
    files.set(`data/${name}`, Uint8Array.of(1, 2))
  files.set('data/notes.txt', Uint8Array.of(1))
  await (await open(newLeague())).close()
  expect(files.paths.filter((path) => /new$|lock/.test(path))).toEqual([])
  expect(files.paths).toContain('data/notes.txt')
})

test.each([
  [
    'another version',
    (text: string) => text.replace('"version":1', '"version":2'),
    'its version is 2',
  ],
  [
    'another format',
    (text: string) => text.replace('entia journal', 'entia diary!!'),
    'it is not a journal of a store',
  ],
])('a journal of %s is refused', async (_, change, problem) => {
  const { checksumOf } = await import('../../src/persistence/journal/journal-frame.ts')
  const [, heading = ''] = new TextDecoder()
    .decode(await files.readFile('data/2.journal'))
    .split('\n')
  const payload = new TextEncoder().encode(`${change(heading)}\n`)
  const line = `journal 2 ${payload.length} ${checksumOf('', 0, 'journal', 2, payload)}\n`
  files.set('data/2.journal', new TextEncoder().encode(line + new TextDecoder().decode(payload)))
  const result = await found()
  expect('refused' in result && result.refused.message).toContain(problem)
})

describe('a folder that is refused after a part of it was read', () => {
  const keptBy = async (error: string): Promise<void> => {
    const store = newLeague()
    store.Team.insert({ code: 'own' })
    const selection = store.Team.query('code = own')
    const before = textOf(store)
    await expect(open(store)).rejects.toMatchObject({ message: expect.stringContaining(error) })
    expect(textOf(store)).toBe(before)
    expect(selection.first()?.code).toBe('own')
    store.Team.insert({ code: 'more' })
    store.verify()
    await (await openJournal(store, 'elsewhere', byHand, portsOver(files, ++process))).close()
  }

  test('leaves the store as it was', async () => {
    const bytes = await files.readFile('data/2.journal')
    bytes[new TextDecoder('latin1').decode(bytes).indexOf('commit 4') + 50]! ^= 1
    files.set('data/2.journal', bytes)
    await keptBy('in data/2.journal: byte')
  })

  test.each([
    ['the second of two commits takes the key of the first', '[0,3,1,0,["C","C"]]'],
    ['a relation leads nowhere', '[1,0,1,0,[1,"n",null,null,null,"Z"]]'],
  ])('leaves the store as it was, also if %s', async (_, line) => {
    const { encodeFrame, seedOf } = await import('../../src/persistence/journal/journal-frame.ts')
    const bytes = await files.readFile('data/2.journal')
    const heading = new TextDecoder().decode(bytes).split('\n')[1] ?? ''
    const seed = seedOf(2, new TextEncoder().encode(`${heading}\n`))
    const commit = new TextEncoder().encode(`[5,0,[]]\n${line}\n`)
    const more = encodeFrame(seed, bytes.length, 'commit', 5, commit)
    files.set('data/2.journal', Uint8Array.from([...bytes, ...more]))
    await keptBy('in data/2.dump: ')
  })
})
