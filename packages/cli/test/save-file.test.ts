// `--save` writes a file that other programs write too.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync, writeSync } from 'node:fs'
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlain } from '../src/plain/open-plain.ts'
import {
  type FileChanged,
  followLinks,
  replaceFile,
  restoreMoved,
  writeBeside,
} from '../src/plain/replace-edited-file.ts'
import { SavedFile } from '../src/plain/save-file.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-save-'))
  file = join(folder, 'db.json')
  await writeFile(file, '{"posts":[{"id":1,"views":0}]}')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function open(path = file) {
  const { store, model, text } = await openPlain(path)
  const saved = new SavedFile(path, store, model.resources, text)
  const post = store.dataClass(store.catalog.classes[0]!.name)
  const change = async (): Promise<void> => {
    post.update(1, (draft: Record<string, unknown>) => void ((draft.views as number) += 1))
    await saved.flush()
  }
  return { store, saved, change }
}
const posts = async (path = file) => JSON.parse(await readFile(path, 'utf8')).posts
const names = async () => (await readdir(folder)).sort()

describe('saving', () => {
  test('leaves one complete file', async () => {
    const { change } = await open()
    await change()
    await change()
    expect(await posts()).toEqual([{ id: 1, views: 2 }])
    expect(await names()).toEqual(['db.json'])
  })

  test.each([0o600, 0o640, 0o444, 0o755])('keeps the mode %o', async (mode) => {
    await writeFile(file, await readFile(file), { mode })
    await chmod(file, mode)
    const { change } = await open()
    await change()
    expect((await stat(file)).mode & 0o7777).toBe(mode)
  })

  test('writes the file that symbolic links lead to', async () => {
    await rename(file, join(folder, 'real.json'))
    await symlink('real.json', join(folder, 'middle.json'))
    await symlink('middle.json', file)
    const { change } = await open()
    await change()
    expect(await names()).toEqual(['db.json', 'middle.json', 'real.json'])
    expect(await posts(join(folder, 'real.json'))).toEqual([{ id: 1, views: 1 }])
    expect(await followLinks(file)).toBe(await followLinks(join(folder, 'real.json')))
  })

  test('creates the file again if it was removed', async () => {
    const { change } = await open()
    await rm(file)
    await change()
    expect(await posts()).toEqual([{ id: 1, views: 1 }])
  })

  test('goes on after a write that failed', async () => {
    const { change } = await open()
    // A folder has the name of the new file: it cannot be written.
    const next = `${file}.${process.pid}.entia-new`
    await mkdir(next)
    await expect(change()).rejects.toThrow(`${file} cannot be written`)
    await expect(change()).rejects.toThrow(`${file} cannot be written`)
    await rm(next, { recursive: true })
    await change()
    expect(await posts()).toEqual([{ id: 1, views: 3 }])
  })
})

describe('an edit of another program', () => {
  const edited = '{"posts":[{"id":1,"views":100}]}'

  test('before a save is kept, as is what was not saved', async () => {
    const { change } = await open()
    await writeFile(file, edited)
    await expect(change()).rejects.toThrow(`${file} was changed by another program`)
    await expect(change()).rejects.toThrow(`The data with these changes are in ${file}.unsaved`)
    expect(await readFile(file, 'utf8')).toBe(edited)
    expect(await posts(`${file}.unsaved`)).toEqual([{ id: 1, views: 2 }])
    expect(await names()).toEqual(['db.json', 'db.json.unsaved'])
  })

  test('that takes the name while the old file is compared is kept', async () => {
    const next = await writeBeside(file, 'new')
    const replaced = replaceFile(file, next, () => {
      writeFileSync(file, edited)
      return true
    })
    await expect(replaced).rejects.toMatchObject({ name: 'FileChanged', theirs: file })
    expect(await readFile(file, 'utf8')).toBe(edited)
    expect(await readFile(next, 'utf8')).toBe('new')
  })

  test('through a handle that was open is kept beside the file', async () => {
    const old = await readFile(file, 'utf8')
    const handle = await openFile(file, 'r+')
    const next = await writeBeside(file, 'new')
    let compared = 0
    const error = await replaceFile(file, next, (text) => {
      if (compared++ === 0) {
        writeSync(handle.fd, edited, 0)
        return true
      }
      return text === old
    }).catch((error: Error) => error)
    await handle.close()
    const aside = `${file}.${process.pid}.entia-old`
    expect(error).toMatchObject({ name: 'FileChanged', theirs: aside })
    expect(await readFile(aside, 'utf8')).toContain('"views":100')
  })

  test('that was kept beside the file stays there when the file is removed and saved again', async () => {
    const next = await writeBeside(file, 'new')
    const handle = await openFile(file, 'r+')
    let compared = 0
    const kept = await replaceFile(file, next, () => {
      if (compared++ === 0) writeSync(handle.fd, edited, 0)
      return compared === 1
    }).catch(({ theirs }: FileChanged) => theirs)
    await handle.close()
    for (const isRemoved of [true, false]) {
      if (isRemoved) await rm(file)
      await replaceFile(file, await writeBeside(file, 'newer'), () => true)
      expect(await readFile(String(kept), 'utf8')).toContain('"views":100')
    }
  })

  test('does not remove what another process could not save', async () => {
    const [first, second] = [await open(), await open()]
    await writeFile(file, edited)
    await expect(first.change()).rejects.toThrow(`are in ${file}.unsaved.`)
    await second.change().catch(() => undefined)
    await expect(second.change()).rejects.toThrow(`are in ${file}.unsaved-2.`)
    await expect(first.change()).rejects.toThrow(`are in ${file}.unsaved.`)
    expect(await names()).toEqual(['db.json', 'db.json.unsaved', 'db.json.unsaved-2'])
    for (const name of ['', '-2'])
      expect(await posts(`${file}.unsaved${name}`)).toEqual([{ id: 1, views: 2 }])
  })

  test.each(['a folder', 'a pipe'])(
    'that puts %s in its place is refused and stays',
    async (kind) => {
      const { change } = await open()
      await rm(file)
      if (kind === 'a pipe') execFileSync('mkfifo', [file])
      else await mkdir(file)
      await expect(change()).rejects.toThrow(`${file} cannot be written: `)
      expect(await names()).toEqual(['db.json'])
      const state = await stat(file)
      expect([state.isDirectory(), state.isFIFO()]).toEqual([
        kind === 'a folder',
        kind === 'a pipe',
      ])
      await rm(file, { recursive: true })
      await change()
      expect(await posts()).toEqual([{ id: 1, views: 2 }])
    },
  )

  test('at any time is kept: a program replaces the file while the store saves', async () => {
    // Larger than one write: saving takes a while.
    const rows = Array.from({ length: 3000 }, (_, at) => ({
      id: at + 1,
      views: 0,
      text: 'x'.repeat(100),
    }))
    await writeFile(file, JSON.stringify({ posts: rows }))
    for (let round = 0; round < 6; round++) {
      await rm(`${file}.unsaved`, { force: true })
      const { change } = await open()
      const mark = `edit ${round}`
      const worker = new Worker(
        `const { workerData: [file, mark, wait] } = require('node:worker_threads')
         const fs = require('node:fs')
         const text = JSON.stringify({ posts: [{ id: 1, views: 0, mark }] })
         setTimeout(() => { fs.writeFileSync(file + '.theirs', text); fs.renameSync(file + '.theirs', file) }, wait)`,
        { eval: true, workerData: [file, mark, round * 4] },
      )
      const ended = once(worker, 'exit')
      for (let i = 0; i < 4; i++) await change().catch(() => undefined)
      await ended
      const kept = await Promise.all(
        (await names()).map((name) => readFile(join(folder, name), 'utf8')),
      )
      expect(kept.some((text) => text.includes(mark))).toBe(true)
      for (const name of await names()) if (name !== 'db.json') await rm(join(folder, name))
      await writeFile(file, JSON.stringify({ posts: rows }))
    }
  })
})

test('a file that was moved aside when its process ended is put back', async () => {
  const aside = `${file}.12345.entia-old`
  await rename(file, aside)
  await restoreMoved(file)
  expect(await names()).toEqual(['db.json'])
  await link(file, aside)
  await restoreMoved(file)
  expect(await names()).toEqual(['db.json', 'db.json.12345.entia-old'])
})

test('the newest of the files that were moved aside is put back, and no other file', async () => {
  const old = await readFile(file, 'utf8')
  await rename(file, `${file}.backup.1.entia-old`)
  await restoreMoved(file)
  expect(await names()).toEqual(['db.json.backup.1.entia-old'])
  for (const [process, seconds] of [
    ['1', 1],
    ['2', 3],
    ['3', 2],
  ] as const) {
    await writeFile(`${file}.${process}.entia-old`, `${old}${process}`)
    await utimes(`${file}.${process}.entia-old`, seconds, seconds)
  }
  await restoreMoved(file)
  expect(await readFile(file, 'utf8')).toBe(`${old}2`)
})
