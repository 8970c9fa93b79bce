import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setup } from '../build-before-tests.mjs'
import {
  linkPacked,
  runProgram,
  smokePrograms,
  typePrograms,
  writeConsumer,
} from '../packages/consumer.mjs'
import { packAll, packageFolders } from '../packages/pack.mjs'
import {
  publishedManifest,
  restoreManifest,
  stripManifest,
} from '../packages/published-manifest.mjs'
import { packedBy, serveOnce } from '../packages/run-page.mjs'
import { tarballProblems } from '../packages/tarball-problems.mjs'
import { readText, root } from './source-files.ts'

// `npm run packages:check` also installs with npm and runs publint and are-the-types-wrong.
const folder = mkdtempSync(join(tmpdir(), 'entia-packages-'))
const consumer = join(folder, 'consumer')
/** What is wrong with each packed package, by its name. */
let problems: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  setup()
  const packed = await packAll(folder)
  problems = new Map(packed.map(({ name, folder }) => [name, tarballProblems(folder)]))
  mkdirSync(consumer)
  writeConsumer(consumer)
  linkPacked(consumer, packed)
})
afterAll(() => rmSync(folder, { recursive: true }), 180_000)

const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))

test.each(packageFolders())('%s is packed with valid files, manifest, maps and exports', (name) => {
  expect(problems.get(manifestOf(name).name)).toEqual([])
})

describe('with only the packed packages installed', () => {
  test.each(smokePrograms)('$title', (program) => {
    expect(runProgram(consumer, program)).toBeNull()
  })

  test.each(typePrograms)('$title', (program) => {
    expect(runProgram(consumer, program)).toBeNull()
  })

  test('a program with a failure or other output is reported', () => {
    expect(
      runProgram(consumer, { title: '', parameters: ['-e', 'console.log(7)'], prints: '8' }),
    ).toContain('7')
    expect(
      runProgram(consumer, { title: '', parameters: ['-e', 'process.exit(3)'], prints: '' }),
    ).toContain('code 3')
  })
})

test('the last command of the tutorial serves with only the packages that the page packs', async () => {
  const page = readText('docs/tutorial.md')
  const packed = packedBy(page)
  const others = packageFolders()
    .map((name) => manifestOf(name).name)
    .filter((name) => !packed.includes(name))
  expect(others).not.toEqual([])
  const line = `node node_modules/entia/bin/entia.mjs serve people.csv --port 0`
  const move = (from: string, to: string): void => {
    for (const name of others) renameSync(join(consumer, from, name), join(consumer, to, name))
  }
  mkdirSync(join(consumer, 'unpacked/@entia'), { recursive: true })
  move('node_modules', 'unpacked')
  try {
    expect(await serveOnce(consumer, line)).toBeNull()
    const mcp = { title: '', parameters: ['node_modules/entia/bin/entia.mjs', 'mcp', 'people.csv'] }
    expect(runProgram(consumer, { ...mcp, prints: '' })).toBe(
      'exit code 1\n"entia mcp" needs one more package: npm install @entia/mcp\n',
    )
  } finally {
    move('unpacked', 'node_modules')
  }
})

describe('the manifest', () => {
  test('as published leads only to the build', () => {
    for (const name of packageFolders()) {
      const text = JSON.stringify(publishedManifest(manifestOf(name)))
      expect(text).not.toMatch(/entia-source|devDependencies|prepack/)
      const target = name === 'core' ? 'modules/index.js' : 'index.js'
      const folder = name === 'core' ? 'types' : 'dist'
      expect(text).toMatch(`"types":"./${folder}/index.d.ts",`)
      expect(text).toMatch(`"default":"./dist/${target}"`)
    }
  })

  test('is restored after packing and after an interrupted packing', () => {
    const place = join(folder, 'manifest')
    mkdirSync(place)
    const text = '{ "exports": { ".": { "entia-source": "./a.ts", "default": "./a.js" } } }'
    const read = () => readFileSync(join(place, 'package.json'), 'utf8')
    writeFileSync(join(place, 'package.json'), text)
    stripManifest(place)
    expect(JSON.parse(read())).toEqual({ exports: { '.': { default: './a.js' } } })
    stripManifest(place)
    restoreManifest(place)
    expect(read()).toBe(text)
  })
})

describe('the tarball check', () => {
  const files = {
    'package.json':
      '{ "type": "module", "exports": { ".": { "default": "./dist/a.js" }, "./b": "./b.js" } }',
    'README.md': '# a',
    'test/a.test.ts': '',
    'dist/.tsbuildinfo': '',
    'dist/b.js': `//${join(root, 'x')}\n//# sourceMappingURL=b.js.map`,
    'dist/c.js.map': '{ "sources": ["../src/c.ts"] }',
  }
  test('reports missing and extra files, broken maps, machine paths, and exports without types', () => {
    const place = join(folder, 'bad')
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(place, file, '..'), { recursive: true })
      writeFileSync(join(place, file), text)
    }
    const problems = tarballProblems(place).join('\n')
    for (const part of [
      'LICENSE is missing',
      'test/a.test.ts is packed',
      'dist/.tsbuildinfo is packed',
      'dist/b.js leads to b.js.map, which is not packed',
      'dist/b.js names ',
      'dist/c.js.map leads to src/c.ts, which is not packed',
      'exports . has default, not types,default',
      'exports .: ./dist/a.js is not packed',
      'publishConfig.provenance is not true',
    ]) {
      expect(problems).toContain(part)
    }
  })
})
