import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, type TestContext, test } from 'vitest'
import { packedBy } from '../packages/run-page.mjs'
import { curlsOf, filesOf } from './docs-commands.ts'
import { blocksOf } from './docs-examples.ts'
import { freePort, openFolder, runNode } from './docs-folder.ts'
import { readText } from './source-files.ts'

const page = readText('docs/tutorial.md')

/**
 * The files of the page, each bundled with the sources of the packages, so that no build is needed.
 */
async function openPage(ending: TestContext): Promise<string> {
  const folder = openFolder(ending, Object.fromEntries(filesOf(page)))
  const { outputFiles } = await build({
    entryPoints: [...filesOf(page).keys()],
    absWorkingDir: folder,
    outdir: '.',
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['entia-source'],
    write: false,
  })
  for (const { path, text } of outputFiles) writeFileSync(path, text)
  return folder
}

/** The content of the block after the one that starts the program. */
function printedBehind(command: string): string {
  const blocks = blocksOf('docs/tutorial.md')
  return blocks[blocks.findIndex(({ text }) => text === `${command}\n`) + 1]?.text ?? ''
}

/** The packages of this repository that a package depends on, with itself. */
function neededBy(name: string): readonly string[] {
  const folder = name === 'entia' ? 'cli' : name.replace('@entia/', '')
  const { dependencies = {} } = JSON.parse(readText(`packages/${folder}/package.json`))
  const own = Object.keys(dependencies).filter((each) => /^(@entia\/|entia$)/.test(each))
  return [name, ...own.flatMap(neededBy)]
}

test.each([
  'docs/tutorial.md',
  'packages/cli/README.md',
  'packages/client/README.md',
  'packages/core/README.md',
  'packages/mcp/README.md',
  'packages/react/README.md',
])('%s packs every package that a packed one needs', (path) => {
  const packed = packedBy(readText(path))
  expect(packed.length).toBeGreaterThan(0)
  expect([...packed].sort()).toEqual([...new Set(packed.flatMap(neededBy))].sort())
})

test.each(['docs/tutorial.md', 'packages/cli/README.md'])(
  '%s installs the files of all packages that it packs',
  (path) => {
    const files = [...readText(path).matchAll(/(entia(?:-[a-z]+)?)-\d+\.\d+\.\d+\.tgz/g)]
    const installed = new Set(files.map(([, file]) => file!.replace(/^entia-/, '@entia/')))
    expect([...installed].sort()).toEqual([...packedBy(readText(path))].sort())
  },
)

test('the programs print the output on the page', async (ending) => {
  const folder = await openPage(ending)
  expect(await runNode(folder, 'first.js')).toEqual({
    output: printedBehind('node first.js'),
    status: 0,
  })
  const runs = [await runNode(folder, 'kept.js'), await runNode(folder, 'kept.js')]
  expect(runs.map(({ output }) => output).join('')).toBe(
    printedBehind('node kept.js\nnode kept.js'),
  )
})

test('the tests pass', async (ending) => {
  const folder = await openPage(ending)
  const { output, status } = await runNode(folder, '--test', join(folder, 'store.test.js'))
  expect(status, output).toBe(0)
  expect(output).toContain('# pass 4')
})

test('the server sends the responses on the page', async (ending) => {
  const folder = await openPage(ending)
  const port = await freePort()
  const server = spawn(process.execPath, ['serve.js'], {
    cwd: folder,
    env: { PORT: String(port) },
    stdio: 'inherit',
  })
  const ended = once(server, 'close')
  for (const { curls, answer } of curlsOf(page)) {
    let text = ''
    for (const { path, method, body } of curls) {
      text = await ask(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body === null ? {} : { body }),
      })
    }
    expect(text).toBe(answer)
  }
  server.kill()
  await ended
})

/** Repeats a refused connection until the server listens. */
async function ask(url: string, request: RequestInit): Promise<string> {
  for (;;) {
    const reply = await fetch(url, request).catch(() => null)
    if (reply !== null) return reply.text()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
