import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { anchorOf } from './anchor.mjs'
import { search } from './search.mjs'

const page = (text, link) => ({ text, link })
/** Leaves out links to pages that do not exist. */
const isThere = ({ link }) => {
  const path = link.replace(/#.*/, '').replace(/\/$/, '/index')
  return existsSync(fileURLToPath(new URL(`../staged${path}.md`, import.meta.url)))
}
const group = (text, items) => ({ text, items: items.filter(isThere) })

export default defineConfig({
  title: 'Entia',
  description: 'An embedded entity datastore for TypeScript',
  lang: 'en',
  srcDir: 'staged',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  // Links to the reader's own server are dead while the site is built.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { build: { chunkSizeWarningLimit: 4000 }, server: { fs: { allow: ['../..'] } } },
  themeConfig: {
    search,
    outline: { level: [2, 3] },
    sidebar: [
      group('Tutorial', [page('Getting started', '/tutorial')]),
      group('How-to guides', [
        page('Serve a store over HTTP', '/how-to/http-hosts'),
        page('Express', '/how-to/express'),
        page('Fastify', '/how-to/fastify'),
        page('Hono', '/how-to/hono'),
        page('Koa', '/how-to/koa'),
        page('Next.js', '/how-to/next'),
        page('Cloudflare Workers', '/how-to/workers'),
        page('Rules', '/how-to/rules'),
        page('Permissions', '/how-to/permissions'),
        page('Identity', '/how-to/identity'),
        page('Files and durability', '/how-to/files'),
        page('Outgrowing one machine', '/how-to/outgrowing-one-machine'),
        page('An existing database', '/how-to/existing-database'),
        page('High availability', '/how-to/high-availability'),
        page('Mirrors', '/how-to/mirrors'),
        page('Typed queries', '/how-to/typed-queries'),
        page('Search', '/how-to/search'),
        page('Client', '/how-to/client'),
        page('Groups', '/how-to/grouping'),
        page('Live queries', '/how-to/live-queries'),
        page('Browsers', '/how-to/browser'),
        page('Replicas', '/how-to/replicas'),
        page('React', '/how-to/react'),
        page('TanStack DB', '/how-to/tanstack-db'),
        page('Persistence in the browser', '/how-to/browser-persistence'),
        page('Tests', '/how-to/tests'),
        page('Explorer', '/how-to/explorer'),
        page('Assistants', '/how-to/assistants'),
        page('Schemas', '/how-to/schemas'),
        page('Observability', '/how-to/observability'),
        page('Runbook', '/how-to/runbook'),
        page('Migrate from json-server', '/how-to/migrate-from-json-server'),
        page('Migrate from LokiJS', '/how-to/migrate-from-lokijs'),
        page('Migrate from NeDB', '/how-to/migrate-from-nedb'),
      ]),
      group('Reference', [
        page('Core: model, queries, writes', '/reference/core'),
        page('Filter language', '/reference/filter-language'),
        page('HTTP', '/reference/http'),
        page('Protocol by example', '/reference/protocol'),
        page('Replica protocol', '/reference/replica-protocol'),
        page('SQL', '/reference/sql'),
        page('Valkey', '/reference/valkey'),
        page('Errors', '/reference/errors'),
        page('Options', '/reference/options'),
        page('Command line', '/reference/command-line'),
        page('Measurements', '/reference/measurements'),
        page('Client', '/packages/client/'),
      ]),
      group('API', [
        page('@entia/core', '/api/core'),
        page('@entia/core/kernel', '/api/core-kernel'),
        page('@entia/core/query', '/api/core-query'),
        page('@entia/core/async', '/api/core-async'),
        page('@entia/core/schema', '/api/core-schema'),
        page('@entia/core/browser', '/api/core-browser'),
        page('@entia/core/node', '/api/core-node'),
        page('@entia/rest', '/api/rest'),
        page('@entia/sql', '/api/sql'),
        page('@entia/sql/pg', '/api/sql-pg'),
        page('@entia/sql/pglite', '/api/sql-pglite'),
        page('@entia/valkey', '/api/valkey'),
        page('@entia/client', '/api/client'),
        page('@entia/replica', '/api/replica'),
        page('@entia/react', '/api/react'),
        page('@entia/tanstack-db', '/api/tanstack-db'),
        page('@entia/testing', '/api/testing'),
        page('@entia/mcp', '/api/mcp'),
        page('entia', '/api/cli'),
        page('entia/main', '/api/cli-main'),
      ]),
      group('Explanation', [
        page('Architecture', '/explanation/architecture'),
        page('The SQL engine', '/explanation/sql-engine'),
        page('Engines beyond one machine', '/explanation/engines'),
        page('How far it scales', '/explanation/scaling'),
        page('Query plans', '/explanation/plans'),
        page('Performance', '/explanation/performance'),
        page('Comparison', '/explanation/comparison'),
        page('Many dataclasses', '/explanation/many-classes'),
        page('Guarantees', '/explanation/guarantees'),
        page('Decisions', '/explanation/decisions'),
        page('Security', '/SECURITY'),
      ]),
      group('Project', [page('Contributing', '/CONTRIBUTING'), page('Changes', '/CHANGELOG')]),
    ],
  },
})
