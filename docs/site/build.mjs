/**
 * Stages the pages and the API reference, then builds the site into docs/site/dist. `--dev` serves
 * it and follows changes.
 */
import { watch } from 'node:fs'
import { join } from 'node:path'
import { build, createServer } from 'vitepress'
import { root, stagePages } from './pages.mjs'
import { stageReference } from './reference.mjs'

const here = join(root, 'docs/site')
// VitePress resolves Vue from the working directory.
process.chdir(here)
stagePages()
await stageReference()
if (process.argv.includes('--dev')) {
  const server = await createServer(here, { port: Number(process.env.PORT ?? 5173) })
  await server.listen()
  server.printUrls()
  watch(join(root, 'docs'), { recursive: true }, (_, name) => {
    if (name?.endsWith('.md') && !name.startsWith('site')) stagePages()
  })
} else {
  await build(here)
}
