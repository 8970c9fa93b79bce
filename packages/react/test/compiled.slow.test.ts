import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'
import { expect, test } from 'vitest'

// A program claims the inferred types, and marks the lines that must not compile.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = join(root, 'packages/react/test/programs/types.tsx')
const config = join(root, 'tsconfig.dom.json')

test('the types hold in TypeScript 7', () => {
  const folder = mkdtempSync(join(tmpdir(), 'entia-react-'))
  try {
    const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] }
    const options = { extends: config, compilerOptions, include: [], files: [program] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'],
      { encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([0, ''])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the types hold in TypeScript 5.9', () => {
  const { config: given } = ts.readConfigFile(config, ts.sys.readFile)
  const parsed = ts.parseJsonConfigFileContent(
    { ...given, include: [], files: [program] },
    ts.sys,
    root,
  )
  const compiled = ts.createProgram([program], { ...parsed.options, configFilePath: config })
  const errors = compiled
    .getSemanticDiagnostics(compiled.getSourceFile(program))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  expect(errors).toEqual([])
})
