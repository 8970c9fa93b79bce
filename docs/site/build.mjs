/** Stages the pages and the reference, then builds the site into docs/site/dist, or with `--dev` serves it and stages again what changes. */
import { watch } from 'node:fs'
import { join } from 'node:path'
import { build, createServer } from 'vitepress'
import { root, stagePages } from './pages.mjs'
import { stageReference } from './reference.mjs'

const here = join(root, 'docs/site')
// VitePress looks for Vue from where it is started.
process.chdir(here)
stagePages()
await stageReference()
if (process.argv.includes('--dev')) {
  const server = await createServer(here, { port: Number(process.env.PORT ?? 5173) })
  await server.listen()
  server.printUrls()
  watch(join(root, 'docs'), (_, name) => {
    if (name?.endsWith('.md')) stagePages()
  })
} else {
  await build(here)
}
