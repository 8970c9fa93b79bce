import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runEntia, type Serving, serveEntia } from './run-entia.ts'

const content = {
  $schema: './schema.json',
  posts: [
    { id: 1, title: 'First', views: 100 },
    { id: 2, title: 'Second', views: 'many', 'odd name': null, constructorOf: [1] },
  ],
  comments: [
    { id: 'a1b2c3d', body: 'Hello', postId: 1 },
    { id: 'e4f5g6h', body: 'Yes', postId: 2 },
  ],
  'blog-notes': [],
  profile: { name: 'ada', id: 7 },
}

let folder: string
let file: string
let running: Serving[]
beforeEach(async () => {
  running = []
  // The names of files and folders may contain spaces.
  folder = await mkdtemp(join(tmpdir(), 'entia plain '))
  file = join(folder, 'db.json')
  await writeFile(file, JSON.stringify(content))
})
afterEach(async () => {
  await Promise.all(running.map((serving) => serving.stop('SIGKILL')))
  await rm(folder, { recursive: true })
})

async function serve(...options: readonly string[]): Promise<Serving> {
  const serving = await serveEntia(file, '--plain', ...options)
  running.push(serving)
  return serving
}

const read = async (path: string): Promise<typeof content> =>
  JSON.parse(await readFile(path, 'utf8'))

async function send(url: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return response.json()
}

describe('entia serve --plain', () => {
  test('serves a file of json-server, and answers every value unchanged', async () => {
    const { origin, printed } = await serve()
    const { $schema: _, ...lists } = content
    expect(await (await fetch(`${origin}/db`)).json()).toEqual(lists)
    expect(await (await fetch(`${origin}/posts?_embed=comments&views=100`)).json()).toEqual([
      { ...content.posts[0], comments: [content.comments[0]] },
    ])
    expect(await send(`${origin}/blog-notes`, 'POST', { a: 1 })).toEqual({ id: 1, a: 1 })
    expect(printed).toContain(`    ${origin}/posts\n`)
    expect(printed).toContain('Changes are in memory and end with this process')
    const page = await (await fetch(`${origin}/`)).text()
    expect(page).toContain('href="/posts"')
  })

  test('creates keys of seven characters if keys are texts', async () => {
    const { origin } = await serve()
    const made = (await send(`${origin}/comments`, 'POST', { body: 'x' })) as { id: string }
    expect(made.id).toMatch(/^[\w-]{7}$/)
  })

  test('keeps the JSON type of each id where ids are numbers and texts, and their relations', async () => {
    const mixed = {
      posts: [{ id: 1 }, { id: 'b' }, { id: 2.5 }, { id: '3' }],
      comments: [
        { id: 1, postId: 1 },
        { id: 'x', postId: 'b' },
        { id: 3, postId: '1' },
        { id: '4', postId: 3 },
        { id: 5, postId: null },
      ],
    }
    await writeFile(file, JSON.stringify(mixed))
    const { origin } = await serve('--save')
    expect(await (await fetch(`${origin}/db`)).json()).toEqual(mixed)
    expect(await (await fetch(`${origin}/posts/1?_embed=comments`)).json()).toEqual({
      id: 1,
      comments: [mixed.comments[0], mixed.comments[2]],
    })
    expect(await (await fetch(`${origin}/comments?postId=1`)).json()).toHaveLength(2)
    const made = { id: 77, postId: 1, body: 'new' }
    expect(await send(`${origin}/comments`, 'POST', made)).toEqual(made)
    expect(await send(`${origin}/comments/x`, 'PATCH', { postId: 2.5 })).toEqual({
      id: 'x',
      postId: 2.5,
    })
    expect(await send(`${origin}/comments/1`, 'PATCH', { postId: 'b' })).toEqual({
      id: 1,
      postId: 'b',
    })
    const put = await send(`${origin}/posts/1`, 'PUT', { title: 'one' })
    expect(put).toEqual({ id: 1, title: 'one' })
    mixed.posts[0] = { id: 1, title: 'one' } as never
    mixed.comments[0]!.postId = 'b'
    mixed.comments[1]!.postId = 2.5
    expect(await read(file)).toEqual({ ...mixed, comments: [...mixed.comments, made] })
  })

  test('removes what belongs to a removed entity, as json-server does', async () => {
    const { origin } = await serve()
    await send(`${origin}/posts/1`, 'DELETE')
    expect(await (await fetch(`${origin}/comments`)).json()).toEqual([content.comments[1]])
  })

  test('leaves the file unchanged without --save', async () => {
    const before = await readFile(file, 'utf8')
    const { origin } = await serve()
    await send(`${origin}/posts`, 'POST', { title: 'Third' })
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  test('writes a change to the file before the answer with --save, and keeps it over a restart', async () => {
    const serving = await serve('--save')
    expect(serving.printed).toContain(`Changes are written to ${file} before they are answered.`)
    await send(`${serving.origin}/posts`, 'POST', { title: 'Third', due: null })
    expect((await read(file)).posts).toEqual([
      ...content.posts,
      { id: 3, title: 'Third', due: null },
    ])
    await Promise.all([1, 2, 3].map((at) => send(`${serving.origin}/posts/${at}`, 'PATCH', { at })))
    await serving.stop('SIGKILL')
    const { origin } = await serve('--save')
    expect(await (await fetch(`${origin}/posts?at_gte=2`)).json()).toHaveLength(2)
    expect(await read(file)).toMatchObject({ $schema: content.$schema, profile: content.profile })
  })

  test('does not overwrite the changes of another program with --save', async () => {
    const { origin } = await serve('--save')
    const edited = JSON.stringify({ posts: [] })
    await writeFile(file, edited)
    expect((await fetch(`${origin}/posts/1`, { method: 'DELETE' })).status).toBe(500)
    expect(await readFile(file, 'utf8')).toBe(edited)
  })

  test('reports changes that --save cannot write, without a stack, and tries them again at its end', async () => {
    const isFolder = async (serving: Serving) => {
      await rm(file)
      await mkdir(file)
      return send(`${serving.origin}/posts`, 'POST', { title: 'Third' })
    }
    const lost = await serve('--save')
    expect(await isFolder(lost)).not.toMatchObject({ title: 'Third' })
    const reason = `${file} cannot be written: it is no longer a file.`
    const { exitCode, stderr } = await lost.stop('SIGTERM')
    expect([exitCode, stderr]).toEqual([
      1,
      `${reason}\nNot every change over HTTP is in ${file}. ${reason}\n`,
    ])
    await rm(file, { recursive: true })
    await writeFile(file, JSON.stringify(content))
    const kept = await serve('--save')
    await isFolder(kept)
    await rm(file, { recursive: true })
    await writeFile(file, JSON.stringify(content))
    expect((await kept.stop('SIGTERM')).exitCode).toBe(0)
    expect((await read(file)).posts.at(-1)).toMatchObject({ title: 'Third' })
  })

  test('reads a changed file again with --watch, and reports what is lost', async () => {
    const serving = await serve('--watch')
    await send(`${serving.origin}/posts`, 'POST', { title: 'Third' })
    await writeFile(file, JSON.stringify({ posts: [{ id: 9, name: 'Ninth' }] }))
    const until = async (text: string): Promise<void> => {
      while (!serving.printed.includes(text)) await new Promise((resolve) => setImmediate(resolve))
    }
    await until('has changed and was read again: posts 1.')
    expect(serving.printed).toContain(
      '1 change made over HTTP since it was last read is discarded.',
    )
    expect(await (await fetch(`${serving.origin}/posts`)).json()).toEqual([
      { id: 9, name: 'Ninth' },
    ])
    expect((await fetch(`${serving.origin}/comments`)).status).toBe(404)
    // An incomplete file is not served; the next one is.
    await writeFile(file, '{ "posts": [')
    await writeFile(file, JSON.stringify({ posts: [], pages: [{ id: 1 }] }))
    await until('pages 1.')
    expect((await fetch(`${serving.origin}/pages/1`)).status).toBe(200)
  })

  test('ignores its own changes with --save and --watch', async () => {
    const serving = await serve('--save', '--watch')
    await send(`${serving.origin}/posts/1`, 'PATCH', { views: 1 })
    await writeFile(file, JSON.stringify({ pages: [] }))
    while (!serving.printed.includes('was read again'))
      await new Promise((next) => setImmediate(next))
    expect(serving.printed).not.toContain('discarded')
    expect(serving.printed.match(/was read again: /g)).toHaveLength(1)
  })

  test('lets pages of every origin write with --cors', async () => {
    const headers = { origin: 'https://app.example' }
    const status = async ({ origin }: Serving): Promise<number> =>
      (await fetch(`${origin}/posts/1`, { method: 'DELETE', headers })).status
    expect(await status(await serve())).toBe(403)
    expect(await status(await serve('--cors'))).toBe(200)
  })

  test('serves the dataclasses of a module and of CSV files, too', async () => {
    const module = await serveEntia('hr.mjs', '--plain')
    running.push(module)
    const [employee] = (await (await fetch(`${module.origin}/Employee?_limit=1`)).json()) as [
      object,
    ]
    expect(employee).toHaveProperty('lastName')
    const data = await serveEntia('office', '--plain')
    running.push(data)
    expect(data.printed).toContain(`${data.origin}/companies\n`)
    expect((await fetch(`${data.origin}/companies?_sort=name`)).status).toBe(200)
  })
})

describe('entia serve --plain refuses', () => {
  test.each([
    ['a list', '[{"id":1}]', 'must be an object of lists, such as { "posts": [{ "id": 1 }] }'],
    ['an empty object', '{}', 'holds no list. Add one: { "posts": [] }'],
    ['an empty file', '', 'is not JSON: Unexpected end of JSON input'],
    ['a row that is no object', '{"posts":[{},3]}', 'row 2 of "posts" is not an object.'],
    ['a plain value', '{"posts":3}', '"posts" is neither a list of objects nor an object.'],
    ['a repeated id', '{"posts":[{"id":1},{"id":1}]}', 'two rows of "posts" have the id 1.'],
    ['a strange id', '{"posts":[{"id":true}]}', 'true in "posts" is not an id.'],
    [
      'a member __proto__',
      '{"posts":[{"id":1},{"id":2,"__proto__":{}}]}',
      'row 2 of "posts" has a member "__proto__", which objects cannot hold. Rename it.',
    ],
    [
      'a slash',
      '{"a/b":[]}',
      '"a/b" cannot be the name of a resource. It contains "/". Rename it.',
    ],
    ['a taken name', '{"db":[]}', '"db" cannot be the name of a resource. "/db" is taken.'],
  ])('%s', async (_, text, message) => {
    await writeFile(file, text)
    const { exitCode, stderr } = await runEntia(['serve', '--plain', file])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  test.each([
    [['--save'], '--save writes a JSON file that is served with --plain'],
    [['--plain', '--save', '--journal', 'x'], '--save and --journal exclude each other'],
    [['--watch', '--journal', 'x'], '--watch and --journal exclude each other'],
  ])('%j together', async (options, message) => {
    const { exitCode, stderr } = await runEntia(['serve', file, ...options])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('--watch for a module', async () => {
    const { exitCode, stderr } = await runEntia(['serve', 'hr.mjs', '--watch'])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('restart the process')])
  })
})
