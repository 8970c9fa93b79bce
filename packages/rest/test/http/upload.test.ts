import { describe, expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { gif, noImages, png } from './images.ts'
import { createPeople, jsonOf, sendBytes, status, TestClock } from './media-model.ts'
import { errCodes, get, post } from './send.ts'

function setUp() {
  const clock = new TestClock()
  const store = createPeople(clock)
  const rest = createRestHandler(store)
  const upload = async (query: string, bytes: Uint8Array): Promise<string> => {
    const answer = await sendBytes(rest, 'POST', `/rest/$upload?${query}`, bytes)
    expect(answer.status).toBe(200)
    expect(jsonOf(answer)).toEqual({ ID: expect.stringMatching(/^[0-9a-f]{32}$/i) })
    return jsonOf(answer).ID
  }
  return { clock, store, rest, upload }
}

describe('$upload', () => {
  test('stores an image that an update then names', async () => {
    const { store, rest, upload } = setUp()
    const ID = await upload('$rawPict=true', png())
    const answer = await post(rest, '/rest/Person', { __KEY: '1', __STAMP: 1, photo: { ID } })
    expect([answer.status, answer.body.__STAMP]).toEqual([200, 2])
    expect(answer.body.photo.__deferred.image).toBe(true)
    expect(store.Person.get(1)?.photo?.bytes()).toEqual(png())
  })

  test('stores a BLOB that a new entity then names', async () => {
    const { store, rest, upload } = setUp()
    const ID = await upload('$binary=true', Uint8Array.of(1, 2, 3))
    const { body } = await post(rest, '/rest/Person', { name: 'Zoe', cv: { ID } })
    expect(store.Person.get(Number(body.__KEY))?.cv?.bytes()).toEqual(Uint8Array.of(1, 2, 3))
  })

  test('can be used by many entities of a batch, with its id in upper or lower case', async () => {
    const { store, rest, upload } = setUp()
    const ID = await upload('$rawPict=image/gif', gif)
    const { body } = await post(rest, '/rest/Person?$atomic=true', [
      { __KEY: '1', photo: { ID: ID.toLowerCase() } },
      { __KEY: '2', photo: { ID: ID.toUpperCase() }, cv: { ID } },
    ])
    expect(body.__ENTITIES).toHaveLength(2)
    for (const key of [1, 2]) expect(store.Person.get(key)?.photo?.bytes()).toEqual(gif)
    expect(store.Person.get(2)?.cv?.bytes()).toEqual(gif)
  })

  test('the address of content is unchanged in its own entity and refused in any other', async () => {
    const { store, rest, upload } = setUp()
    const ID = await upload('$rawPict=true', png())
    store.Person.load([{ ID: 11, name: 'Zoe' }])
    const all = [1, 2, 11].map((key) => ({ __KEY: `${key}`, photo: { ID }, cv: { ID } }))
    await post(rest, '/rest/Person', all)
    const entities = (await get(rest, '/rest/Person?$filter="ID in [1,2,11]"')).body.__ENTITIES
    expect(entities).toHaveLength(3)
    for (const { __KEY } of entities)
      for (const { __KEY: other, photo, cv } of entities)
        for (const media of [{ photo }, { cv }]) {
          const answer = await post(rest, '/rest/Person', { __KEY, ...media })
          expect(answer.status).toBe(__KEY === other ? 200 : 400)
          const addressed = await post(rest, `/rest/Person(${__KEY})`, media)
          expect(addressed.status).toBe(__KEY === other ? 200 : 400)
        }
    for (const key of [1, 2, 11]) expect(store.Person.get(key)?.stamp).toBe(2)
  })

  test('a missing id is error 1825 for an image and 1826 for a BLOB; other items are saved', async () => {
    const { store, rest, upload } = setUp()
    const known = await upload('$rawPict=true', png())
    for (const ID of ['0'.repeat(32), 'x', '', '__proto__', 'x'.repeat(5000)]) {
      const photo = await post(rest, '/rest/Person', { __KEY: '1', photo: { ID } })
      expect([photo.status, errCodes(photo)[0]]).toEqual([400, 1825])
      const cv = await post(rest, '/rest/Person', { __KEY: '1', cv: { ID } })
      expect([cv.status, errCodes(cv)[0]]).toEqual([400, 1826])
    }
    const batch = await post(rest, '/rest/Person', [
      { __KEY: '1', photo: { ID: 'x' } },
      { __KEY: '2', photo: { ID: known } },
    ])
    expect(batch.status).toBe(207)
    expect([store.Person.get(1)?.photo, store.Person.get(2)?.photo?.size]).toEqual([
      null,
      png().length,
    ])
  })

  test('expires after 120 seconds, or after $timeout', async () => {
    const { clock, rest, upload } = setUp()
    const use = async (ID: string) =>
      (await post(rest, '/rest/Person', { __KEY: '1', cv: { ID } })).status
    const usual = await upload('$rawPict=true', png())
    const short = await upload('$rawPict=true&$timeout=5', gif)
    const long = await upload('$binary=true&$timeout=600', gif)
    clock.at += 4_999
    expect(await use(short)).toBe(200)
    clock.at += 1
    expect(await use(short)).toBe(400)
    clock.at += 114_999
    expect(await use(usual)).toBe(200)
    clock.at += 1
    expect(await use(usual)).toBe(400)
    clock.at += 479_999
    expect(await use(long)).toBe(200)
    clock.at += 1
    expect(await use(long)).toBe(400)
  })

  test('sets an image attribute only if the content is an image', async () => {
    const { store, rest, upload } = setUp()
    const image = await upload('$binary=true', png())
    const page = await upload('$binary=true', noImages[0]![1])
    expect((await post(rest, '/rest/Person', { __KEY: '1', photo: { ID: image } })).status).toBe(
      200,
    )
    expect(store.Person.get(1)?.photo?.mediaType).toBe('image/png')
    const refused = await post(rest, '/rest/Person', { __KEY: '1', photo: { ID: page } })
    expect([refused.status, errCodes(refused)[0]]).toEqual([415, 1824])
  })

  test('refuses invalid requests', async () => {
    const { rest, store } = setUp()
    const send = async (query: string, body: unknown, type = 'application/octet-stream') =>
      status(await sendBytes(rest, 'POST', `/rest/$upload${query}`, body, { 'content-type': type }))
    expect(await send('', png())).toEqual([400, [1813]])
    expect(await send('?$rawPict=true&$binary=true', png())).toEqual([400, [1813]])
    expect(await send('?$rawPict=true&$method=delete', png())).toEqual([400, [1813]])
    expect(await send('?$rawPict=image/svg%2Bxml', png())).toEqual([415, [1824]])
    expect(await send('?$rawPict=true', noImages[1]![1])).toEqual([415, [1824]])
    expect(await send('?$rawPict=true', new Uint8Array())).toEqual([400, [9102]])
    expect(await send('?$binary=true', { a: 1 }, 'application/json')).toEqual([415, [9107]])
    expect(await send('?$binary=true&$timeout=0', png())).toEqual([400, [9100]])
    expect((await get(rest, '/rest/$upload?$rawPict=true')).status).toBe(405)
    expect(store.uploads.size).toBe(0)
  })

  test('refuses content above maxMediaBytes', async () => {
    const { store } = setUp()
    const rest = createRestHandler(store, { limits: { maxMediaBytes: 10 } })
    const answer = await sendBytes(rest, 'POST', '/rest/$upload?$binary=true', new Uint8Array(11))
    expect(status(answer)).toEqual([413, [9103]])
  })
})
