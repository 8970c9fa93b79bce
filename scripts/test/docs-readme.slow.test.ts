// The three programs of README.md, as a reader copies them: a server, a test and a component.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, type TestContext, test } from 'vitest'
import { filesOf } from './docs-commands.ts'
import { compile, freePort, openFolder, runNode } from './docs-folder.ts'
import { readText, root } from './source-files.ts'

const files = filesOf(readText('README.md'))
const inBrowser = {
  lib: ['es2023', 'es2024.string', 'esnext.disposable', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
}

/** Bundles a program of the folder with the sources of the packages. */
async function bundle(folder: string, entry: string, external: readonly string[] = []) {
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    conditions: ['entia-source'],
    external: [...external],
    write: false,
  })
  const name = entry.replace(/\.tsx?$/, '.mjs')
  writeFileSync(join(folder, name), outputFiles[0]!.text)
  return name
}

/** The files in a folder of their own, with the client of the page on this port. */
function opened(ending: TestContext, port: number, more: Readonly<Record<string, string>> = {}) {
  const there = [...files].map(
    ([name, text]) =>
      [
        name,
        text.replace(
          "connect<typeof store>('/rest')",
          `connect<typeof store>('http://127.0.0.1:${port}/rest')`,
        ),
      ] as const,
  )
  return openFolder(ending, { ...Object.fromEntries(there), ...more })
}

test('each program has at most twenty lines', () => {
  const programs = [...files].map(([name, text]) => ({
    name,
    lines: text.trim().split('\n').length,
  }))
  expect(programs.map(({ name }) => name)).toEqual([
    'store.ts',
    'server.ts',
    'raise.test.ts',
    'Staff.tsx',
  ])
  expect(programs.filter(({ lines }) => lines > 20)).toEqual([])
})

test('the programs compile', async (ending) => {
  const folder = openFolder(ending, Object.fromEntries(files))
  expect(await compile(folder, [...files.keys()], inBrowser)).toBe('')
})

test('the component shows what users saved on the server; guests cannot save', async (ending) => {
  const port = await freePort()
  const folder = opened(ending, port, {
    'page.tsx': `import { Writable } from 'node:stream'
import { renderToPipeableStream } from 'react-dom/server'
import { Staff } from './Staff.tsx'

let html = ''
const page = new Writable({ write: (chunk, _encoding, done) => done(void (html += chunk)) })
page.on('finish', () => process.stdout.write(html, () => process.exit()))
const { pipe } = renderToPipeableStream(<Staff minimum={50_000} />, { onAllReady: () => pipe(page) })
`,
  })
  const server = spawn(process.execPath, [await bundle(folder, 'server.ts')], {
    cwd: folder,
    env: { ...process.env, PORT: String(port) },
    stdio: 'inherit',
  })
  ending.onTestFinished(() => void server.kill())
  const save = (dataClass: string, entity: object, headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/rest/${dataClass}`, {
      method: 'POST',
      body: JSON.stringify(entity),
      headers,
    })
  await expect
    .poll(() =>
      save('Company', {}, {}).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(401)
  const ada = { 'x-forwarded-user': 'ada' }
  expect((await save('Company', { name: 'Acme' }, ada)).status).toBe(200)
  for (const [lastName, salary] of [
    ['Byron', 70_000],
    ['Babbage', 48_000],
    ['Ng', 90_000],
  ])
    expect((await save('Employee', { lastName, salary, employer: 1 }, ada)).status).toBe(200)
  const page = await bundle(folder, 'page.tsx', ['react', 'react-dom'])
  const { output } = await runNode(folder, page)
  expect(output.replaceAll('<!-- -->', '')).toBe('<ul><li>Ng, Acme</li><li>Byron, Acme</li></ul>')
})

test('the tests pass', async (ending) => {
  const folder = openFolder(ending, Object.fromEntries(files))
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  // Bundled by esbuild in a moment: vitest would transform each source of the packages.
  const bundled = await bundle(folder, 'raise.test.ts', ['vitest'])
  const options = ['run', '--no-color', '--root', folder, bundled]
  const { output, status } = await runNode(folder, vitest, ...options)
  expect(status, output).toBe(0)
  expect(output).toMatch(/Tests.* 2 passed/)
})
