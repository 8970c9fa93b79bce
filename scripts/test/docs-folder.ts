import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setup as build } from '../build-before-tests.mjs'
import { setup as installPackages, testFolders } from '../install-before-tests.mjs'
import { root } from './source-files.ts'

/** The part of a test context that cleans up. */
interface Ending {
  onTestFinished(end: () => void): void
}

/**
 * Creates a folder for one test with the packages of the checkout and of the folders that slow
 * tests install; removes it after the test.
 */
export function openFolder(
  { onTestFinished }: Ending,
  files: Readonly<Record<string, string | Uint8Array>>,
): string {
  installPackages()
  const outer = mkdtempSync(join(tmpdir(), 'entia-docs-'))
  onTestFinished(() => rmSync(outer, { recursive: true }))
  // Packages are looked up from the inner folder outwards.
  let folder = outer
  for (const place of ['', ...testFolders]) {
    folder = join(folder, 'packages')
    mkdirSync(folder)
    symlinkSync(join(root, place, 'node_modules'), join(folder, 'node_modules'), 'junction')
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Runs Node in a folder; resolves to its output and exit code. */
export function runNode(
  folder: string,
  ...command: readonly string[]
): Promise<{ output: string; status: number }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      command,
      { cwd: folder, encoding: 'utf8' },
      (_, stdout, stderr) => {
        resolve({ output: stdout + stderr, status: child.exitCode ?? -1 })
      },
    )
  })
}

/** A port that no program uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

let isBuilt = false

/**
 * The errors of tsc for files of a folder; empty if they compile. As those of users, they compile
 * against the declarations of the packages.
 */
export async function compile(
  folder: string,
  files: readonly string[],
  options: object = {},
): Promise<string> {
  if (!isBuilt) build()
  isBuilt = true
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    typeRoots: [join(root, 'node_modules/@types')],
    customConditions: [],
    paths: { '@seald-io/nedb': ['./nedb.d.mts'] },
    ...options,
  }
  const config = { extends: join(root, 'tsconfig.test.json'), compilerOptions, include: [], files }
  const name = `tsconfig.${files[0]}.json`.replaceAll('/', '-')
  writeFileSync(join(folder, name), JSON.stringify(config))
  const { output, status } = await runNode(
    folder,
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    name,
  )
  return status === 0 ? '' : output || `exit code ${status}`
}
