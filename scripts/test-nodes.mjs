/**
 * `npm run test:nodes`: packs the packages and installs them into an empty folder. Runs the
 * programs of `packages:check` and the conformance suite there, on Node 20, 22, 24 and 26. The
 * binaries come from the npm packages `node-<platform>-<arch>`. `npm run test:nodes -- 24` runs one
 * version.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  conformanceProgram,
  installPacked,
  runProgram,
  smokePrograms,
  writeConsumer,
} from './packages/consumer.mjs'
import { command, packAll } from './packages/pack.mjs'
import { prepare, root, runMain } from './prepare.mjs'

const majors = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24', '26']
const cache = join(root, 'node_modules/.cache/entia-nodes')

/**
 * The newest binary of a major version at the time of the first request.
 * @param {string} major
 */
function nodeOf(major) {
  const folder = join(cache, major)
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const binary = join(
    folder,
    'node_modules',
    name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
  if (existsSync(binary)) return binary
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  command(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${major}`],
    folder,
  )
  return binary
}

await runMain(async () => {
  prepare()
  const folder = mkdtempSync(join(tmpdir(), 'entia-nodes-'))
  let failures = 0
  try {
    const consumer = join(folder, 'consumer')
    mkdirSync(consumer)
    writeConsumer(consumer)
    installPacked(consumer, await packAll(folder))
    for (const major of majors) {
      const node = nodeOf(major)
      console.log(`Node ${command(node, ['--version'], consumer).trim()}`)
      for (const program of [...smokePrograms, conformanceProgram]) {
        const problem = runProgram(consumer, program, node)
        if (problem !== null) failures++
        console.log(
          problem === null
            ? `  ok      ${program.title}`
            : `  FAILED  ${program.title}\n${problem}`,
        )
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(failures === 0 ? 'all checks passed' : `${failures} failed`)
  process.exitCode = failures === 0 ? 0 : 1
})
