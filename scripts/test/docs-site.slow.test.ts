import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { searchOptions } from '../../docs/site/.vitepress/search.mjs'
import { searchTasks } from './search-tasks.ts'
import { root } from './source-files.ts'

const site = join(root, 'docs/site')

test('the docs site builds without a dead link, and its search finds tasks first', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/docs.mjs'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined, NO_COLOR: '1' },
    maxBuffer: 64 << 20,
  })
  expect(stdout).toContain('build complete')

  const chunks = join(site, 'dist/assets/chunks')
  const file = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'))
  const { default: json } = await import(pathToFileURL(join(chunks, file!)).href)
  const MiniSearch = createRequire(join(site, 'package.json'))('minisearch')
  const fields = ['title', 'titles', 'text']
  const index = MiniSearch.loadJSON(json, { fields, searchOptions })
  for (const [task, place] of searchTasks) {
    const [first] = index.search(task) as readonly { readonly id: string }[]
    const found = place.includes('#') ? first?.id : first?.id.split('#')[0]
    expect([task, found]).toEqual([task, `/${place}`])
  }
}, 600_000)
