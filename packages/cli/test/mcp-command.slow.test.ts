import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, expect, test } from 'vitest'
import { runEntia, serveEntia } from './run-entia.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-mcp-'))
afterAll(() => rmSync(folder, { recursive: true }))
const bin = fileURLToPath(new URL('../bin/entia.mjs', import.meta.url))

async function openEntia(...parameters: readonly string[]) {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...parameters],
    stderr: 'ignore',
  })
  await client.connect(transport)
  return client
}

/** The text of a tool's answer. */
async function textOf(client: Client, name: string, parameters: Record<string, unknown>) {
  const { content } = await client.callTool({ name, arguments: parameters })
  return (content as readonly { readonly text: string }[])[0]?.text ?? ''
}

const notes = join(folder, 'notes.json')
writeFileSync(notes, JSON.stringify({ notes: [{ id: 1, title: 'first' }] }))

test('entia mcp answers on standard input and output, read-only', async () => {
  const client = await openEntia(notes)
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('insert')
  const rows = await textOf(client, 'query', {
    dataClass: 'notes',
    filter: 'title begin :1',
    parameters: ['f'],
  })
  expect(JSON.parse(rows)).toMatchObject({ count: 1, rows: [{ title: 'first' }] })
  await client.close()
})

test('output of a module does not enter the protocol', async () => {
  const module = join(folder, 'loud.mjs')
  const core = JSON.stringify(
    import.meta.resolve('@entia/core').replace('/src/', '/dist/').replace(/\.ts$/, '.js'),
  )
  writeFileSync(
    module,
    `import { attribute, createDataStore, defineDataClass } from ${core}
console.log('loading')
const Note = defineDataClass('Note', { ID: attribute.long({ key: true }) })
export default createDataStore({ name: 'loud', dataClasses: [Note] })
`,
  )
  const client = await openEntia(module)
  expect(await textOf(client, 'catalog', {})).toContain('"Note"')
  await client.close()
})

test('writes survive in a journal', async () => {
  const kept = join(folder, 'kept')
  const writer = await openEntia(notes, '--write', '--journal', kept)
  await textOf(writer, 'insert', { dataClass: 'notes', values: { id: 2, title: 'second' } })
  await writer.close()
  const reader = await openEntia(notes, '--journal', kept)
  expect(await textOf(reader, 'aggregate', { dataClass: 'notes', attribute: 'id' })).toContain(
    '"count":2',
  )
  await reader.close()
})

test('the address of a server is accepted as source', async () => {
  const server = await serveEntia('office')
  const client = await openEntia(`${server.origin}/rest`)
  expect(await textOf(client, 'catalog', {})).toContain('"employees"')
  await client.close()
  await server.stop('SIGTERM')
})

test('a wrong command line exits with code 2 and the remedy', async () => {
  const endings = [
    [['mcp'], 'takes one module, data, or the address'],
    [['mcp', notes, '--port', '70000'], 'must be a port'],
    [['mcp', notes, '--header', 'nothing'], 'a name, a colon and a value'],
    [['mcp', notes, '--max-rows', '0'], 'from 1'],
  ] as const
  for (const [parameters, reason] of endings) {
    const ended = await runEntia(parameters)
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining(reason)])
  }
})
