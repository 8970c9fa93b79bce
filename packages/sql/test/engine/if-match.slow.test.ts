import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { createHr } from '../../../rest/test/http/models.ts'
import { send } from '../../../rest/test/http/send.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from './sql-host.ts'

describeDatabases('an ETag over SQL', {}, ({ pool, newSchema }) => {
  test('matches its entity until the entity is saved', async () => {
    const rest = createRestHandler(await openCopy(createHr(), pool, newSchema()))
    const url = '/rest/Employee(3)?$attributes=lastName'
    const tag = async () => String((await send(rest, 'GET', url)).headers.etag)
    const outdated = await tag()
    const save = async (lastName: string, etag: string) =>
      (await send(rest, 'PUT', '/rest/Employee(3)', { lastName }, { 'if-match': etag })).status
    const lock = async (etag: string) =>
      (await send(rest, 'GET', '/rest/Employee(3)?$lock=true', undefined, { 'if-match': etag }))
        .body.__STATUS.success === true
    expect(outdated).toMatch(/^"1-/)
    expect(await save('Changed', outdated)).toBe(200)
    expect(await save('Lost', outdated)).toBe(412)
    expect(await lock(outdated)).toBe(false)
    const current = await tag()
    expect(current).toMatch(/^"2-/)
    const ofAnother = `${current.slice(0, 3)}x${current.slice(3)}`
    expect(await save('Lost', ofAnother)).toBe(412)
    const remove = async (etag: string) =>
      (await send(rest, 'DELETE', '/rest/Employee(3)', undefined, { 'if-match': etag })).status
    expect(await remove(outdated)).toBe(412)
    expect(await lock(current)).toBe(true)
    expect(await remove(current)).toBe(423)
  })
})
