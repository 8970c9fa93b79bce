import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runEntia, serveEntia } from './run-entia.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-openapi-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('entia openapi prints a document of the interface, or writes it', async () => {
  const out = join(folder, 'office.json')
  const printed = await runEntia(['openapi', 'office', '--base-path', '/api'])
  const document = JSON.parse(printed.stdout)
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api' }] })
  expect(Object.keys(document.paths)).toContain('/employees({key})')
  expect(await runEntia(['openapi', 'office', '--out', out])).toMatchObject({
    exitCode: 0,
    stdout: '',
  })
  expect(JSON.parse(readFileSync(out, 'utf8')).servers).toEqual([{ url: '/rest' }])
})

test('entia openapi --plain describes plain REST too, as entia serve --plain serves it', async () => {
  const data = join(folder, 'db.json')
  writeFileSync(data, '{"posts":[{"id":1,"title":"One"}],"profile":{"name":"Ada"}}')
  const printed = JSON.parse((await runEntia(['openapi', '--plain', data])).stdout)
  expect(printed.servers).toEqual([{ url: '/' }])
  const paths = ['/rest/posts', '/posts', '/posts/{key}', '/profile', '/db']
  expect(Object.keys(printed.paths)).toEqual(expect.arrayContaining(paths))
  const served = await serveEntia(data, '--plain', '--openapi')
  try {
    const document = await (await fetch(`${served.origin}/rest/$openapi`)).json()
    // The server that sends it describes that too.
    const { '/rest/$openapi': itself, ...others } = document.paths
    expect(Object.keys(itself)).toEqual(['get'])
    expect({ ...document, paths: others }).toEqual(printed)
  } finally {
    await served.stop('SIGTERM')
  }
})

test('entia openapi reports a missing source, two sources, and an unwritable file', async () => {
  expect((await runEntia(['openapi'])).exitCode).toBe(2)
  expect((await runEntia(['openapi', 'office', 'office'])).exitCode).toBe(2)
  const refused = await runEntia(['openapi', 'office', '--out', join(folder, 'missing', 'a.json')])
  expect([refused.exitCode, refused.stderr.includes('cannot be written')]).toEqual([1, true])
})

test('entia serve answers $openapi and $metrics, and prints slow requests, if they are enabled', async () => {
  const served = await serveEntia('office', '--openapi', '--metrics', '--slow', '0')
  try {
    const document = await (await fetch(`${served.origin}/rest/$openapi`)).json()
    expect(document).toMatchObject({ openapi: '3.1.0' })
    const metrics = await (await fetch(`${served.origin}/rest/$metrics`)).text()
    expect(metrics).toContain('entia_requests_total{method="GET",status="2xx"} 1\n')
    expect((await fetch(`${served.origin}/rest/employees`)).status).toBe(200)
  } finally {
    const { stderr } = await served.stop('SIGTERM')
    expect(stderr).toMatch(/^Slow page of employees: \d+ ms, \d+ entities of \d+\n/)
  }
})
