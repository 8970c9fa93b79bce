import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runEntia, type Serving, serveEntia } from './run-entia.ts'

/** Number of kills; `npm run test:kills` sets a larger one. */
const KILLS = Number(process.env.ENTIA_KILLS ?? 5)
/** Root bypasses file permissions: as root, the program runs as another user. */
const UNPRIVILEGED_USER = process.getuid?.() === 0 ? 65_534 : undefined
const canRunUnprivileged =
  UNPRIVILEGED_USER === undefined ||
  (await runEntia(['--version'], {}, UNPRIVILEGED_USER).catch(() => null))?.exitCode === 0
/** Number of concurrent clients. */
const CLIENTS = 4

let folder: string
let running: Serving | null = null
const serve = async (): Promise<Serving> =>
  (running = await serveEntia('hr.mjs', '--journal', folder))
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-'))
})
afterEach(async () => {
  await running?.stop('SIGKILL')
  await rm(folder, { recursive: true })
})

const countOf = async (origin: string, filter: string): Promise<number> => {
  const response = await fetch(
    `${origin}/rest/Employee?$filter="${encodeURIComponent(filter)}"&$top=0`,
  )
  return ((await response.json()) as { __COUNT: number }).__COUNT
}

/** The number of entities by name. */
async function writtenIn(origin: string): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const page = 5000
  for (let skip = 0; ; skip += page) {
    const address = `${origin}/rest/Employee?$filter="lastName=w@"&$attributes=lastName&$limit=${page}&$skip=${skip}`
    const { __ENTITIES: entities } = (await (await fetch(address)).json()) as {
      __ENTITIES: { lastName: string }[]
    }
    for (const { lastName } of entities) found.set(lastName, (found.get(lastName) ?? 0) + 1)
    if (entities.length < page) return found
  }
}

test('changes survive a restart, and the data of the module is loaded once', async () => {
  const first = await serve()
  expect(first.printed).toContain('Changes are saved in')
  await fetch(`${first.origin}/rest/Employee`, { method: 'POST', body: '{"lastName":"Lovelace"}' })
  expect((await first.stop('SIGTERM')).exitCode).toBe(0)
  const second = await serve()
  expect(second.printed).toContain('(commits read since its last dump: 1)')
  expect(await countOf(second.origin, 'lastName = Lovelace')).toBe(1)
  expect(await countOf(second.origin, 'ID > 0')).toBe(3)
})

test('query and export read a journal and refuse a folder without one', async () => {
  const serving = await serve()
  await fetch(`${serving.origin}/rest/Employee`, {
    method: 'POST',
    body: '{"lastName":"Lovelace"}',
  })
  await serving.stop('SIGTERM')
  const kept = await runEntia([
    'query',
    'hr.mjs',
    'Employee',
    '-f',
    'lastName = Lovelace',
    '--count',
    '--journal',
    folder,
  ])
  expect(kept).toMatchObject({ exitCode: 0, stdout: '1\n' })
  const exported = await runEntia([
    'export',
    'hr.mjs',
    'Employee',
    '--format',
    'csv',
    '--journal',
    folder,
  ])
  expect(exported.stdout).toContain('Lovelace')
  const empty = join(folder, 'empty')
  await mkdir(empty)
  const wrong = await runEntia(['query', 'hr.mjs', 'Employee', '--journal', empty])
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '' })
  expect(wrong.stderr).toContain(`${empty} holds no journal`)
  expect(await readdir(empty)).toEqual([])
})

test('a folder in use by another server is refused by name', async () => {
  await serve()
  const { exitCode, stderr } = await runEntia([
    'serve',
    'hr.mjs',
    '--port',
    '0',
    '--journal',
    folder,
  ])
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`The folder ${folder} is in use by process`)
})

test('missing parent folders are created', async () => {
  const nested = join(folder, 'a', 'b')
  const { printed, stop } = await serveEntia('hr.mjs', '--journal', nested)
  expect(printed).toContain(`Changes are saved in ${nested}`)
  await stop('SIGTERM')
  expect(await readdir(nested)).toContain('closed')
})

test.each(['file', 'file/below'])(
  'a path that is not a folder (%s) is refused with a remedy',
  async (name) => {
    await writeFile(join(folder, 'file'), '')
    const path = join(folder, name)
    const { exitCode, stderr } = await runEntia([
      'serve',
      'hr.mjs',
      '--port',
      '0',
      '--journal',
      path,
    ])
    expect([exitCode, stderr]).toEqual([
      1,
      `The store cannot be saved in ${path}: the path is a file, or leads through one. Name a folder with --journal; it is created if missing.\n`,
    ])
  },
)

test.skipIf(!canRunUnprivileged)('a read-only folder is refused with a remedy', async () => {
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o555 })
  await chmod(folder, 0o755)
  const { exitCode, stderr } = await runEntia(
    ['serve', 'hr.mjs', '--port', '0', '--journal', closed],
    {},
    UNPRIVILEGED_USER,
  )
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(
    /^The store cannot be saved in .*closed: this user may not do that \(EACCES\)\..*--journal\.\n$/,
  )
})

test('the journal of another model is refused, and the error names the attribute', async () => {
  await (await serve()).stop('SIGTERM')
  const { exitCode, stderr } = await runEntia([
    'serve',
    'hr-changed.mjs',
    '--port',
    '0',
    '--journal',
    folder,
  ])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('attribute "Employee.phone" of the model is not in it')
})

test('a module that loads its own data does not start a new generation at each start', async () => {
  for (let i = 0; i < 4; i++) {
    const { origin, stop } = await serve()
    await fetch(`${origin}/rest/Employee`, { method: 'POST', body: '{"lastName":"Lovelace"}' })
    await stop('SIGTERM')
  }
  expect((await readdir(folder)).sort()).toEqual(['3.dump', '3.journal', 'closed'])
})

test('a killed server loses no acknowledged change and leaves no partial change', {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const answered = new Set<string>()
  const asked = new Set<string>()
  for (let kill = 0; kill <= KILLS; kill++) {
    const { origin, stop } = await serve()
    const found = await writtenIn(origin)
    expect([...answered].filter((name) => found.get(name) !== 2)).toEqual([])
    expect([...found].filter(([name, count]) => count !== 2 || !asked.has(name))).toEqual([])
    if (kill === KILLS) break
    let isKilled = false
    let report = (): void => {}
    const isAnswered = new Promise<void>((resolve) => {
      report = resolve
    })
    const write = async (client: number): Promise<void> => {
      for (let i = 0; !isKilled; i++) {
        const lastName = `w${kill}-${client}-${i}`
        asked.add(lastName)
        const body = JSON.stringify([{ lastName }, { lastName }])
        const response = await fetch(`${origin}/rest/Employee?$atomic=true`, {
          method: 'POST',
          body,
        }).catch(() => null)
        if (response === null) return
        if (!response.ok || (await response.text().catch(() => '')) === '') continue
        answered.add(lastName)
        report()
      }
    }
    const writing = Promise.all(Array.from({ length: CLIENTS }, (_, client) => write(client)))
    // A random moment after the first answer, which may take long on a busy machine.
    await isAnswered
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
    isKilled = true
    await stop('SIGKILL')
    await writing
  }
  expect(answered.size).toBeGreaterThanOrEqual(KILLS)
})
