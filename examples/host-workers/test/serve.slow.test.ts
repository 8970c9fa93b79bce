import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { blocksOf, isRun } from '../../../scripts/test/docs-examples.ts'
import { serve } from '../serve.mjs'

let close = async (): Promise<void> => {}
afterEach(() => close())

/** Serves a module in workerd and returns its responses as text. */
async function started(module: string) {
  const served = await serve(new URL(module, import.meta.url), 0)
  close = served.close
  return async (path: string, init?: RequestInit): Promise<string> => {
    const response = await fetch(served.url + path, init)
    return `${response.status} ${await response.text()}`
  }
}

test('a store at the top of a module reads, writes, locks and keeps entity sets', async () => {
  const ask = await started('../worker.mjs')
  expect(await ask('/rest/Employee(1)')).toMatch(/^200 .*"lastName":"Byron"/)
  const body = '{"lastName":"Lovelace"}'
  expect(await ask('/rest/Employee', { method: 'POST', body })).toMatch(/^200 .*"__KEY":"3"/)
  expect(await ask('/rest/Employee?$filter="salary > 50000"&$method=entityset')).toMatch(
    /^200 .*"__ENTITYSET":"\/rest\/Employee\/\$entityset\/[0-9A-F]{32}"/,
  )
  expect(await ask('/rest/Employee(1)?$lock=true')).toMatch(/^200 .*"success":true/)
  expect(await ask('/rest/$catalog')).toMatch(/^200 .*"__UNIQID":"[0-9A-F]{32}"/)
})

test('every option of the handler can be given at the top of a module', async () => {
  const ask = await started('all-options.mjs')
  expect(await ask('/rest/Note')).toMatch(/^401/)
  const body = '["ada", "secret"]'
  const login = await ask('/rest/$directory/login', { method: 'POST', body })
  expect(login).toMatch(/^200 .*"result":true/)
  expect(await ask('/Note')).toMatch(/^401/)
})

test('the program of the page on Workers answers a user, and refuses a guest', async () => {
  const [program] = blocksOf('docs/how-to/workers.md').filter(isRun)
  mkdirSync(new URL('../dist/', import.meta.url), { recursive: true })
  writeFileSync(new URL('../dist/page.ts', import.meta.url), program!.text)
  const ask = await started('../dist/page.ts')
  const headers = { authorization: 'Bearer t1' }
  const mine = await ask('/rest/Note?$attributes=text', { headers })
  expect(mine).toMatch(/^200 .*"__COUNT":1,.*"text":"Order brass"/)
  expect(await ask('/rest/Note')).toMatch(/^401/)
})
