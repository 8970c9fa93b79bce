import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const page = (text, link) => ({ text, link })
/** Only pages that are there: some come with packages of their own. */
const isThere = ({ link }) => {
  const path = link.replace(/#.*/, '').replace(/\/$/, '/index')
  return existsSync(fileURLToPath(new URL(`../staged${path}.md`, import.meta.url)))
}
const group = (text, items) => ({ text, items: items.filter(isThere) })

/** As GitHub makes them, so that a link to a heading leads there in both places. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

export default defineConfig({
  title: 'Entia',
  description: 'An embedded entity datastore for TypeScript',
  lang: 'en',
  srcDir: 'staged',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  // Links to the reader's own server lead nowhere while the site is built.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light', dark: 'github-dark' },
  },
  vite: { build: { chunkSizeWarningLimit: 4000 }, server: { fs: { allow: ['../..'] } } },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar: [
      group('Using it', [
        page('Getting started', '/getting-started'),
        page('The model', '/using-core'),
        page('The query language', '/filter-language'),
        page('Plans', '/plans'),
        page('Transactions', '/using-core#transactions'),
        page('Live queries', '/live-queries'),
        page('Over HTTP', '/over-http'),
        page('The protocol by example', '/protocol'),
        page('In tests', '/in-tests'),
        page('From the shell', '/from-the-shell'),
        page('Client', '/packages/client/'),
        page('Explorer', '/explorer'),
        page('Observing', '/observing'),
        page('Performance', '/performance'),
        page('Guarantees', '/guarantees'),
      ]),
      group('Moving from', [
        page('json-server', '/moving-from-json-server'),
        page('LokiJS', '/moving-from-lokijs'),
        page('NeDB', '/moving-from-nedb'),
      ]),
      group('Reference', [
        page('@entia/core', '/reference/core'),
        page('@entia/core/node', '/reference/core-node'),
        page('@entia/rest', '/reference/rest'),
        page('@entia/client', '/reference/client'),
        page('@entia/testing', '/reference/testing'),
        page('entia', '/reference/cli'),
      ]),
      group('Inside', [
        page('Architecture', '/architecture'),
        page('Decisions', '/decisions'),
        page('Security', '/SECURITY'),
        page('Contributing', '/CONTRIBUTING'),
        page('Changes', '/CHANGELOG'),
      ]),
    ],
  },
})
