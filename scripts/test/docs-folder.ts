import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './source-files.ts'

/** What a test says goodbye with. */
interface Ending {
  onTestFinished(end: () => void): void
}

/** A folder for one test, in which the packages of the checkout are installed; gone when the test ends. */
export function openFolder({ onTestFinished }: Ending, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'entia-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Runs Node in a folder; gives what it printed, and its exit code. */
export function runNode(folder: string, ...command: readonly string[]): Promise<{ output: string; status: number }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { cwd: folder, encoding: 'utf8' }, (_, stdout, stderr) => {
      resolve({ output: stdout + stderr, status: child.exitCode ?? -1 })
    })
  })
}

/** What tsc says of files of a folder; nothing where they compile. */
export async function compile(folder: string, files: readonly string[], options: object = {}): Promise<string> {
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    typeRoots: ['node_modules/@types'],
    paths: { '@seald-io/nedb': ['./nedb.d.mts'] },
    ...options,
  }
  const config = { extends: join(root, 'tsconfig.test.json'), compilerOptions, include: [], files }
  const name = `tsconfig.${files[0]}.json`.replaceAll('/', '-')
  writeFileSync(join(folder, name), JSON.stringify(config))
  const { output, status } = await runNode(folder, join(root, 'node_modules/typescript/bin/tsc'), '-p', name)
  return status === 0 ? '' : output || `exit code ${status}`
}
