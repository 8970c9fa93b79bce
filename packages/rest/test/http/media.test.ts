import { describe, expect, test } from 'vitest'
import { createRestHandler, type ImageConverter } from '../../src/index.ts'
import { gif, heads, noImages, png } from './images.ts'
import { createPeople, jsonOf, sendBytes, status, TestClock } from './media-model.ts'
import { get, post, send } from './send.ts'

const PHOTO = '/rest/Person(1)/photo'
const BEST = `${PHOTO}?$imageformat=best&$expand=photo`
const CV = '/rest/Person(1)/cv'

function setUp(photo: Uint8Array | null = png(), imageConverter?: ImageConverter) {
  const store = createPeople()
  store.Person.update(1, { photo })
  const failures: unknown[] = []
  const onError = (error: unknown) => failures.push(error)
  const rest = createRestHandler(store, {
    onError,
    ...(imageConverter === undefined ? {} : { imageConverter }),
  })
  return { store, rest, failures }
}

const read = (rest: ReturnType<typeof setUp>['rest'], url: string) =>
  rest.handle({ method: 'GET', url })

describe('reading an image', () => {
  test.each([
    ['image/png', png()],
    ['image/gif', gif],
    ['image/jpeg', heads.jpeg],
    ['image/tiff', heads.tiffLittle],
    ['image/tiff', heads.tiffBig],
    ['image/webp', heads.webp],
    ['image/bmp', heads.bmp],
  ])('its bytes are answered with their type %s', async (type, bytes) => {
    const { rest } = setUp(bytes)
    const answer = await read(rest, BEST)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type])
    expect(answer.body).toEqual(bytes)
  })

  test('the address in a read of the entity works unchanged', async () => {
    const { rest } = setUp()
    const { uri } = (await get(rest, '/rest/Person(1)')).body.photo.__deferred
    expect(uri).toBe('/rest/Person[1]/photo?$imageformat=best&$version=2&$expand=photo')
    expect((await read(rest, uri)).body).toEqual(png())
  })

  test.each([
    ['png', 'image/png', png()],
    ['.png', 'image/png', png()],
    ['image/png', 'image/png', png()],
    ['PNG', 'image/png', png()],
    ['gif', 'image/gif', gif],
    ['jpeg', 'image/jpeg', heads.jpeg],
    ['.jpeg', 'image/jpeg', heads.jpeg],
    ['jpg', 'image/jpeg', heads.jpeg],
    ['image/jpeg', 'image/jpeg', heads.jpeg],
    ['.tiff', 'image/tiff', heads.tiffBig],
    ['tif', 'image/tiff', heads.tiffBig],
  ])('$imageformat=%s gives the stored bytes of %s', async (format, type, bytes) => {
    const answer = await read(setUp(bytes).rest, `${PHOTO}?$imageformat=${format}&$expand=photo`)
    expect(answer.headers['content-type']).toBe(type)
    expect(answer.body).toEqual(bytes)
  })

  test.each([
    ['another image type', 'webp'],
    ['SVG', 'image/svg%2Bxml'],
    ['SVG with a plus', 'image/svg+xml'],
    ['a program', '.exe'],
    ['HTML', 'text/html'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['a path', '../../etc/passwd'],
    ['a header', 'png%0d%0aset-cookie:%20a=b'],
    ['a parameter', 'image/png;%20charset=utf-8'],
    ['5000 characters', 'x'.repeat(5000)],
  ])('a format that is not supported gives the empty object: %s', async (_, format) => {
    const answer = await read(setUp().rest, `${PHOTO}?$imageformat=${format}&$expand=photo`)
    expect([answer.status, answer.body]).toEqual([200, '{}'])
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers).not.toHaveProperty('set-cookie')
  })

  test.each(['png', 'best'])('no image: the empty object for $imageformat=%s', async (format) => {
    const { rest } = setUp(null)
    const answer = await read(rest, `${PHOTO}?$imageformat=${format}&$expand=photo`)
    expect([answer.status, answer.body]).toEqual([200, '{}'])
  })

  test.each(noImages)(
    'content that is not an image is not answered as one: %s',
    async (_, bytes) => {
      const { store, rest } = setUp()
      store.Person.update(1, { photo: { mediaType: 'image/png', bytes } })
      for (const format of ['best', 'png']) {
        const answer = await read(rest, `${PHOTO}?$imageformat=${format}&$expand=photo`)
        expect(answer.body).toBe('{}')
      }
      const kept = await read(rest, `${PHOTO}?$binary=true&$expand=photo`)
      expect(kept.body).toEqual(bytes)
      expect(kept.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
    },
  )

  test.each(Object.entries({ png: png(), gif, ...heads }))(
    'a truncated image is answered as the empty object: %s',
    async (_, whole) => {
      const { store, rest } = setUp()
      for (const length of [Math.ceil(whole.length / 2), whole.length - 1]) {
        store.Person.update(1, { photo: whole.slice(0, length) })
        for (const format of ['best', 'png', 'gif', 'jpeg', 'tiff'])
          expect((await read(rest, `${PHOTO}?$imageformat=${format}&$expand=photo`)).body).toBe(
            '{}',
          )
      }
    },
  )

  test.each([
    ['a signature and zeros', Uint8Array.of(...png().slice(0, 8), ...new Array(64).fill(0))],
    ['a size of nothing', png(2, 1, [0, 1])],
    ['no pixels', Uint8Array.of(...png().slice(0, 33), ...png().slice(-12))],
    ['a JPEG of nothing', Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)],
    [
      'a TIFF that points behind its end',
      Uint8Array.of(0x49, 0x49, 0x2a, 0, 0xff, 0xff, 0xff, 0xff, 1, 0),
    ],
    ['a TIFF that points at its head', Uint8Array.of(0x49, 0x49, 0x2a, 0, 0, 0, 0, 0, 1, 0)],
  ])('an image with %s is answered as the empty object, too', async (_, bytes) => {
    expect((await read(setUp(bytes).rest, BEST)).body).toBe('{}')
  })

  test.each(Object.entries({ png: png(), gif, jpeg: heads.jpeg, webp: heads.webp }))(
    'zeros behind the end of an image are ignored: %s',
    async (_, whole) => {
      const padded = Uint8Array.of(...whole, 0, 0)
      expect((await read(setUp(padded).rest, BEST)).body).toEqual(padded)
    },
  )

  test('the declared type of an image is ignored', async () => {
    const { store, rest } = setUp()
    store.Person.update(1, { photo: { mediaType: 'text/html', bytes: gif } })
    const answer = await read(rest, BEST)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/gif',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  test('without $imageformat the answer has the address of the image', async () => {
    const answer = await get(setUp().rest, `${PHOTO}?$expand=photo`)
    const uri = '/rest/Person[1]/photo?$imageformat=best&$version=2&$expand=photo'
    expect(answer.body).toEqual({
      photo: { __KEY: '1', __STAMP: 2, uri: '/rest/Person[1]', __deferred: { uri, image: true } },
    })
    expect((await get(setUp(null).rest, `${PHOTO}?$expand=photo`)).body).toEqual({ photo: null })
  })

  test('without $expand the address answers an entity with one attribute', async () => {
    const answer = await get(setUp().rest, `${PHOTO}?$imageformat=best`)
    expect(answer.body).toMatchObject({ __KEY: '1', photo: { __deferred: { image: true } } })
  })

  test('images of related entities and computed images are read by their addresses', async () => {
    const { store, rest } = setUp()
    store.Company.insert({ logo: gif })
    store.Person.update(1, { employer: 1 })
    const { body } = await get(rest, '/rest/Person(1)')
    const logo = await read(rest, body.logo.__deferred.uri)
    expect([logo.headers['content-type'], logo.body]).toEqual(['image/gif', gif])
    expect((await read(rest, body.sameAsPhoto.__deferred.uri)).body).toEqual(png())
    // Their content can change without the stamp of the entity.
    expect(logo.headers).not.toHaveProperty('etag')
    expect(logo.headers['cache-control']).toBe('private, no-cache')
    expect((await read(rest, '/rest/Person(1)/broken?$imageformat=best&$expand=broken')).body).toBe(
      '{}',
    )
  })

  test('a missing entity, attribute or dataclass is refused', async () => {
    const { rest } = setUp()
    expect(
      status(await read(rest, '/rest/Person(9)/photo?$imageformat=best&$expand=photo')),
    ).toEqual([404, [1543]])
    const unknown = await read(rest, '/rest/Person(1)/nothing?$imageformat=best&$expand=nothing')
    const hidden = await read(rest, '/rest/Person(1)/hidden?$imageformat=best&$expand=hidden')
    expect(hidden.status).toBe(404)
    expect(hidden.body).toBe(String(unknown.body).replaceAll('nothing', 'hidden'))
  })

  test('a filter that does not select the entity hides its image', async () => {
    const { rest } = setUp()
    expect((await read(rest, `${BEST}&$filter="name=Ada"`)).status).toBe(200)
    expect((await read(rest, `${BEST}&$filter="name=Grace"`)).status).toBe(404)
  })

  test('HEAD answers type and length', async () => {
    const answer = await setUp().rest.handle({ method: 'HEAD', url: BEST })
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png().length),
    })
    expect(answer.body).toBe('')
  })

  test('the ETag changes with the image, and when the key is used again', async () => {
    const clock = new TestClock()
    const store = createPeople(clock)
    const rest = createRestHandler(store)
    const tag = async () =>
      (await read(rest, '/rest/Badge[x]/picture?$imageformat=best&$expand=picture')).headers.etag
    store.Badge.insert({ name: 'x', picture: png() })
    const first = await tag()
    clock.at += 5
    store.Badge.remove('x')
    store.Badge.insert({ name: 'x', picture: gif })
    const second = await tag()
    store.Badge.update('x', { picture: png() })
    const third = await tag()
    expect(new Set([first, second, third]).size).toBe(3)
    expect(first).toMatch(/^"1-[0-9a-z]+"$/)
    expect(third).toMatch(/^"2-/)
  })

  test('$version must be an integer, and every address requires revalidation, since keys can be reused', async () => {
    const { rest } = setUp()
    const control = async (version: string) =>
      (await read(rest, `${BEST}${version}`)).headers['cache-control']
    for (const version of [
      '',
      '&$version=',
      '&$version=1',
      '&$version=2',
      '&$version=-2',
      '&$version=02',
    ])
      expect(await control(version)).toBe('private, no-cache')
    for (const version of ['x', '2.5', '2%0d%0ax:%20y', '1e3'])
      expect(status(await read(rest, `${BEST}&$version=${version}`))).toEqual([400, [9100]])
  })
})

describe('conversion', () => {
  const to = (format: string) => `${PHOTO}?$imageformat=${format}&$expand=photo`

  test('without a converter another type is the empty object', async () => {
    expect((await read(setUp().rest, to('gif'))).body).toBe('{}')
  })

  test('a converter is called only for another type, with the type of the content', async () => {
    const calls: unknown[] = []
    const { rest } = setUp(png(), async (bytes, from, asked, signal) => {
      calls.push([bytes, from, asked, signal.aborted])
      return gif
    })
    expect((await read(rest, to('best'))).body).toEqual(png())
    expect((await read(rest, to('png'))).body).toEqual(png())
    expect(calls).toEqual([])
    const answer = await read(rest, to('gif'))
    expect([answer.headers['content-type'], answer.body]).toEqual(['image/gif', gif])
    expect(calls).toEqual([[png(), 'image/png', 'image/gif', false]])
  })

  test('an image that cannot be converted is answered as the empty object', async () => {
    expect((await read(setUp(png(), async () => null).rest, to('gif'))).body).toBe('{}')
    // It returns another type than requested.
    expect((await read(setUp(png(), async () => heads.jpeg).rest, to('gif'))).body).toBe('{}')
    expect((await read(setUp(noImages[0]![1], async () => gif).rest, to('gif'))).body).toBe('{}')
  })

  test('an invalid converter is refused when the handler is created', () => {
    const imageConverter = 'sharp' as unknown as ImageConverter
    expect(() => createRestHandler(createPeople(), { imageConverter })).toThrow(/imageConverter/)
  })

  test('an error of a converter is reported to the host', async () => {
    const failure = new Error('out of memory')
    const { rest, failures } = setUp(png(), () => Promise.reject(failure))
    expect((await read(rest, to('gif'))).body).toBe('{}')
    expect(failures).toEqual([failure])
  })
})

describe('reading a BLOB', () => {
  function withCv(bytes: Uint8Array | null) {
    const { store, rest } = setUp(null)
    store.Person.update(2, { cv: bytes === null ? null : { mediaType: 'text/html', bytes } })
    return rest
  }
  const cv = '/rest/Person(2)/cv'

  test('any bytes are answered as a download', async () => {
    for (const bytes of [new TextEncoder().encode('<script>'), png(), Uint8Array.of(0)]) {
      const answer = await read(withCv(bytes), `${cv}?$binary=true&$expand=cv`)
      expect(answer.body).toEqual(bytes)
      expect(answer.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
    }
  })

  test('without $binary the answer has the address; without a BLOB it is empty', async () => {
    const rest = withCv(Uint8Array.of(1))
    const { uri } = (await get(rest, '/rest/Person(2)')).body.cv.__deferred
    const answer = await get(rest, `${cv}?$expand=cv`)
    expect(answer.body).toEqual({
      cv: { __KEY: '2', __STAMP: 2, uri: '/rest/Person[2]', __deferred: { uri } },
    })
    expect((await read(rest, uri)).body).toEqual(Uint8Array.of(1))
    expect((await read(withCv(null), `${cv}?$binary=true&$expand=cv`)).body).toBe('{}')
  })

  test('$binary of a text and $imageformat of other attributes than images are refused', async () => {
    const { rest } = setUp()
    for (const address of [
      '/rest/Person(1)/name?$binary=true',
      '/rest/Person(1)/name?$imageformat=best',
      '/rest/Person(1)/employer?$binary=true',
      `${CV}?$imageformat=best&$expand=cv`,
    ])
      expect(status(await read(rest, address)), address).toEqual([400, [1813]])
  })
})

describe('writing', () => {
  const stampOf = async (rest: ReturnType<typeof setUp>['rest']) =>
    (await get(rest, '/rest/Person(1)')).body.__STAMP

  test('an image is stored with the next stamp', async () => {
    const { rest } = setUp(null)
    const before = await stampOf(rest)
    const answer = await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=image/png`, png())
    expect([answer.status, answer.body]).toEqual([200, '{"ok":true}'])
    const { body } = await get(rest, '/rest/Person(1)')
    expect(body.__STAMP).toBe(before + 1)
    expect(body.photo.__deferred).toEqual({
      uri: `/rest/Person[1]/photo?$imageformat=best&$version=${before + 1}&$expand=photo`,
      image: true,
    })
    expect((await read(rest, body.photo.__deferred.uri)).body).toEqual(png())
  })

  test('the same image again changes nothing', async () => {
    const { rest } = setUp()
    const before = await stampOf(rest)
    expect((await sendBytes(rest, 'PUT', `${PHOTO}?$rawPict=true`, png())).status).toBe(200)
    expect(await stampOf(rest)).toBe(before)
  })

  test('an image is stored with the type of its content, not the declared one', async () => {
    for (const rawPict of ['true', '1', 'undefined', 'image/png', 'image/jpeg', 'jpg', '.tiff']) {
      const { store, rest } = setUp(null)
      expect((await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=${rawPict}`, gif)).status).toBe(200)
      expect(store.Person.get(1)?.photo?.mediaType).toBe('image/gif')
    }
    const { store, rest } = setUp(null)
    expect(
      (await sendBytes(rest, 'POST', PHOTO, gif, { 'content-type': 'image/png' })).status,
    ).toBe(200)
    expect(store.Person.get(1)?.photo?.mediaType).toBe('image/gif')
  })

  test.each([
    'image/svg+xml',
    'text/html',
    'image/x-unknown',
    '__proto__',
    'false',
    `image/${'x'.repeat(80)}`,
  ])('a type that is not stored is refused: %s', async (rawPict) => {
    const { store, rest } = setUp(null)
    const answer = await sendBytes(
      rest,
      'POST',
      `${PHOTO}?$rawPict=${encodeURIComponent(rawPict)}`,
      png(),
    )
    expect(status(answer)).toEqual([415, [1824]])
    expect(store.Person.get(1)?.photo).toBeNull()
  })

  test.each(noImages)(
    'content that is not an image is refused, and nothing is stored: %s',
    async (_, bytes) => {
      const { store, rest } = setUp()
      for (const rawPict of ['image/png', 'true'])
        expect(
          status(await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=${rawPict}`, bytes)),
        ).toEqual([415, [1824]])
      expect(store.Person.get(1)?.photo?.bytes()).toEqual(png())
    },
  )

  test('a BLOB accepts any bytes, with or without $binary', async () => {
    for (const address of [CV, `${CV}?$binary=true`]) {
      const { store, rest } = setUp(null)
      const bytes = Uint8Array.of(0, 255, 10, 13)
      expect(await sendBytes(rest, 'POST', address, bytes)).toMatchObject({
        status: 200,
        body: '{"ok":true}',
      })
      expect(store.Person.get(1)?.cv?.bytes()).toEqual(bytes)
      expect(store.Person.get(1)?.cv?.mediaType).toBe('application/octet-stream')
    }
  })

  test('a host may pass the body as text, buffer or stream', async () => {
    const { store, rest } = setUp(null)
    const stream = new Blob([png() as Uint8Array<ArrayBuffer>]).stream()
    for (const body of [Buffer.from(png()), png().buffer, stream]) {
      store.Person.update(1, { photo: null })
      expect((await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=true`, body)).status).toBe(200)
      expect(store.Person.get(1)?.photo?.bytes()).toEqual(png())
    }
    expect(
      (await sendBytes(rest, 'POST', CV, 'text', { 'content-type': 'text/plain' })).status,
    ).toBe(200)
    expect(store.Person.get(1)?.cv?.bytes()).toEqual(new TextEncoder().encode('text'))
  })

  test('JSON and forms are refused as content, also if the host parsed them', async () => {
    const { rest } = setUp(null)
    const refused = async (body: unknown, type: string, query = '') =>
      expect(
        status(await sendBytes(rest, 'POST', `${CV}${query}`, body, { 'content-type': type })),
      ).toEqual([415, [9107]])
    await refused('{"a":1}', 'application/json')
    await refused({ a: 1 }, 'application/json')
    await refused('{"a":1}', 'application/vnd.api+json', '?$binary=true')
    await refused('--x', 'multipart/form-data; boundary=x', '?$binary=true')
    await refused('a=b', 'application/x-www-form-urlencoded')
    // curl sends bytes with this type by default.
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await sendBytes(rest, 'POST', `${CV}?$binary=true`, png(), form)).status).toBe(200)
  })

  test('an empty body is refused', async () => {
    const { rest } = setUp()
    for (const address of [`${PHOTO}?$rawPict=true`, CV, `${CV}?$binary=true`])
      expect(status(await sendBytes(rest, 'POST', address, new Uint8Array()))).toEqual([
        400,
        [9102],
      ])
  })

  test('content above maxMediaBytes is refused; below, it may exceed the limit of JSON bodies', async () => {
    const store = createPeople()
    const rest = createRestHandler(store, { limits: { maxMediaBytes: 1000, maxBodyBytes: 50 } })
    const image = (length: number) => Buffer.concat([png(), Buffer.alloc(length - png().length)])
    expect((await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=true`, image(1000))).status).toBe(200)
    expect(status(await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=true`, image(1001)))).toEqual([
      413,
      [9103],
    ])
    const announced = { 'content-type': 'application/octet-stream', 'content-length': '1001' }
    const unread = new ReadableStream({ pull: () => expect.unreachable() }, { highWaterMark: 0 })
    expect(status(await sendBytes(rest, 'POST', CV, unread, announced))).toEqual([413, [9103]])
    const pdf = { 'content-type': 'application/pdf' }
    expect((await sendBytes(rest, 'POST', CV, Buffer.alloc(90), pdf)).status).toBe(200)
  })

  test('$method=delete, DELETE or null in a body clears it', async () => {
    for (const clear of [
      (rest: ReturnType<typeof setUp>['rest']) =>
        post(rest, `${PHOTO}?$imageformat=best&$method=delete`),
      (rest: ReturnType<typeof setUp>['rest']) => send(rest, 'DELETE', PHOTO),
    ]) {
      const { store, rest } = setUp()
      expect((await clear(rest)).body).toEqual({ ok: true })
      expect(store.Person.get(1)?.photo).toBeNull()
      expect(store.Person.all().count).toBe(2)
      // Nothing is left to clear.
      expect((await clear(rest)).body).toEqual({ ok: true })
    }
    const { store, rest } = setUp()
    expect(
      (await post(rest, '/rest/Person(1)', { __KEY: '1', __STAMP: 2, photo: null })).status,
    ).toBe(200)
    expect(store.Person.get(1)?.photo).toBeNull()
  })

  test('If-Match requires the stamp of the entity or of the image', async () => {
    const { store, rest } = setUp()
    const put = (tag: string) =>
      sendBytes(rest, 'POST', `${PHOTO}?$rawPict=true`, gif, {
        'content-type': 'image/gif',
        'if-match': tag,
      })
    expect(status(await put('"1"'))).toEqual([412, [9110]])
    expect(status(await put('"1-abc"'))).toEqual([412, [9110]])
    expect(store.Person.get(1)?.photo?.mediaType).toBe('image/png')
    expect((await put((await read(rest, BEST)).headers.etag!)).status).toBe(200)
    expect((await put('"3"')).status).toBe(200)
  })

  test('rules, hooks and filters apply as to other changes', async () => {
    const { store, rest } = setUp()
    store.Badge.insert({ name: 'x', picture: png() })
    expect((await send(rest, 'DELETE', '/rest/Badge[x]/picture')).status).toBe(422)
    const refused = await sendBytes(rest, 'POST', CV, Buffer.alloc(101))
    expect(status(refused)[0]).toBe(422)
    expect(status(refused)[1]).toContain(10_002)
    expect(store.Person.get(1)?.cv).toBeNull()
    expect(status(await sendBytes(rest, 'POST', `${CV}?$filter="name=Grace"`, png()))).toEqual([
      404,
      [1542],
    ])
    expect((await sendBytes(rest, 'POST', `${CV}?$filter="name=Ada"`, png())).status).toBe(200)
  })

  test('a missing entity and an attribute without content are refused', async () => {
    const { store, rest } = setUp()
    expect(
      status(await sendBytes(rest, 'POST', '/rest/Person(9)/photo?$rawPict=true', png())),
    ).toEqual([404, [1542]])
    for (const address of [
      '/rest/Person(1)/name?$rawPict=true',
      '/rest/Person(1)/name?$binary=true',
      `${CV}?$rawPict=true`,
      `${PHOTO}?$rawPict=true&$method=insert`,
      `${PHOTO}?$rawPict=true&$refresh=true`,
      '/rest/Person/photo?$rawPict=true',
    ])
      expect([address, (await sendBytes(rest, 'POST', address, gif)).status]).toEqual([
        address,
        400,
      ])
    for (const name of ['logo', 'sameAsPhoto'])
      expect(
        (await sendBytes(rest, 'POST', `/rest/Person(1)/${name}?$rawPict=true`, gif)).status,
      ).toBe(400)
    expect(
      (await sendBytes(rest, 'POST', '/rest/Person(1)/hidden?$rawPict=true', gif)).status,
    ).toBe(404)
    expect(store.Person.get(1)?.photo?.bytes()).toEqual(png())
  })

  test('an entity that another session has locked keeps its image', async () => {
    const { store, rest } = setUp()
    store.locks.lock('Person', 1, store.sessions.open())
    expect((await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=true`, gif)).status).toBe(423)
    expect((await sendBytes(rest, 'DELETE', PHOTO, undefined)).status).toBe(423)
    expect(store.Person.get(1)?.photo?.bytes()).toEqual(png())
  })

  test('a page of another site cannot write content', async () => {
    const { store, rest } = setUp()
    const headers = { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }
    expect((await sendBytes(rest, 'POST', `${PHOTO}?$rawPict=true`, gif, headers)).status).toBe(403)
    expect((await sendBytes(rest, 'DELETE', PHOTO, undefined, headers)).status).toBe(403)
    expect(store.Person.get(1)?.photo?.bytes()).toEqual(png())
  })
})

describe('in a body', () => {
  test('an image stays unchanged when its entity is sent back as it was read', async () => {
    const { store, rest } = setUp()
    store.Company.insert({ logo: gif })
    store.Person.update(1, { employer: 1, cv: Uint8Array.of(1) })
    const { body } = await get(rest, '/rest/Person(1)?$attributes=name,photo,cv,logo,sameAsPhoto')
    const answer = await post(rest, '/rest/Person', body)
    expect([answer.status, answer.body.__STAMP]).toEqual([200, body.__STAMP])
    expect(jsonOf(await read(rest, `${PHOTO}?$expand=photo`)).photo.__STAMP).toBe(body.__STAMP)
  })

  test.each([
    ['a file', { __deferred: { uri: 'file:///etc/passwd' } }],
    ['the metadata of a cloud', { __deferred: { uri: 'http://169.254.169.254/latest/meta-data' } }],
    ['an address as text', 'http://169.254.169.254/'],
    ['another entity', { __deferred: { uri: '/rest/Badge[x]/picture?$imageformat=best' } }],
    ['another attribute', { __deferred: { uri: '/rest/Person[1]/hidden?$imageformat=best' } }],
    ['text', 'text'],
    ['bytes', { mediaType: 'image/png', bytes: [1, 2] }],
    ['an array', ['a']],
    ['an id that is no text', { ID: 1 }],
    ['an inherited id', JSON.parse('{"__proto__":{"ID":"x"}}')],
  ])('%s is refused, and no address is fetched', async (_, value) => {
    const { store, rest } = setUp()
    for (const name of ['photo', 'cv']) {
      const answer = await post(rest, '/rest/Person', { __KEY: '1', [name]: value })
      expect([name, answer.status, answer.body.__ERROR[0].errCode]).toEqual([name, 400, 9032])
    }
    expect(store.Person.get(1)?.photo?.bytes()).toEqual(png())
  })
})
