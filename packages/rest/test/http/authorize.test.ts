import { where } from '@entia/core'
import { describe, expect, test } from 'vitest'
import { type AuthorizeQuestion, createRestHandler } from '../../src/index.ts'
import { createDesk, OWN, questionText, serveDesk } from './permitted-desk.ts'
import { expectError, get, keys, send } from './send.ts'

describe('a dataclass that is not described', () => {
  const { rest } = serveDesk({ 'describe Folder': false })

  // Names of one length, so that carets are at the same position.
  test.each([
    ['Folder', 'Trolls'],
    ['Folder(1)', 'Trolls(1)'],
    ['Folder(1)/docs', 'Trolls(1)/docs'],
    ['$catalog/Folder', '$catalog/Trolls'],
    ['Doc/folder', 'Doc/trolls'],
    ['Doc?$attributes=folder.name', 'Doc?$attributes=trolls.name'],
    ['Doc?$expand=folder', 'Doc?$expand=trolls'],
    ['Doc?$filter="folder.name = shared"', 'Doc?$filter="trolls.name = shared"'],
    ['Doc?$filter="about.folder.ID = 1"', 'Doc?$filter="about.trolls.ID = 1"'],
    ['Doc?$orderby=folder.name', 'Doc?$orderby=trolls.name'],
  ])('%s is answered as if it did not exist', async (hidden, unknown) => {
    const one = await get(rest, `/rest/${hidden}`)
    const other = await get(rest, `/rest/${unknown}`)
    expect(other.status).toBeGreaterThanOrEqual(400)
    const text = one.text
      .replaceAll('Folder', 'Trolls')
      .replaceAll('"folder', '"trolls')
      .replaceAll('folder.', 'trolls.')
    expect([one.status, text.replaceAll(/folder\b/g, 'trolls')]).toEqual([other.status, other.text])
    expect(other.text).not.toMatch(/Folder|folder,/)
  })

  test('is missing from the catalog with its relations and their inverses; its foreign key is a plain number', async () => {
    const { body, text } = await get(rest, '/rest/$catalog/$all')
    expect(body.dataClasses.map(({ name }: { name: string }) => name)).toEqual(['Doc', 'Note'])
    expect(text).not.toMatch(/Folder|"folder"|folder\./)
    expect((await get(rest, '/rest/$catalog')).text).not.toContain('Folder')
    expect((await get(rest, '/rest/Doc(1)')).body).toMatchObject({
      folderID: 1,
      folderName: 'shared',
    })
    expect((await get(rest, '/rest/Doc(1)')).body).not.toHaveProperty('folder')
  })

  test('is unknown as the dataclass of a parameter', async () => {
    const parameter = { __DATACLASS: 'Folder', __ENTITY: true, __KEY: '1' }
    const reply = await send(rest, 'POST', '/rest/Doc/titleOf', [parameter])
    expectError(reply, 400, 1800, 9111)
  })
})

describe('a dataclass that may not be read', () => {
  test('answers 403 to users, and 401 with the login address to guests', async () => {
    const { as, guest } = serveDesk({ 'read Doc': false })
    const ann = await as('ann')
    for (const url of [
      '/rest/Doc',
      '/rest/Doc(1)',
      '/rest/Doc(99)',
      '/rest/Doc(1)/notes',
      '/rest/Doc/$entityset/$none',
    ]) {
      expectError(await ann.get(url), 403, 1557)
      expectError(await guest.get(url), 401, 1557, 9120)
    }
    expectError(await ann.get('/rest/Doc(1)?$lock=true'), 403, 1557)
    expectError(await ann.post('/rest/Doc', { title: 'x' }), 403, 1557)
    expect((await (await as('boss')).get('/rest/Doc')).body.__COUNT).toBe(4)
  })

  test('appears empty in every relation that leads to it', async () => {
    const { rest } = serveDesk({ 'read Doc': false })
    expect((await get(rest, '/rest/Folder(1)?$expand=docs')).body.docs).toMatchObject({
      __COUNT: 0,
      __ENTITIES: [],
    })
    expect((await get(rest, '/rest/Folder(1)/docs')).body.__COUNT).toBe(0)
    expect((await get(rest, '/rest/Note(1)')).body.doc).toBeNull()
    expect((await get(rest, '/rest/Note(1)/doc')).text).toBe('null')
    expect((await get(rest, '/rest/Note?$filter="doc.owner = ann"')).body.__COUNT).toBe(0)
    expect((await get(rest, '/rest/Note?$filter="doc = null"')).body.__COUNT).toBe(1)
    expect((await get(rest, '/rest/$catalog')).text).toContain('"Doc"')
  })
})

describe('an attribute that may not be read', () => {
  const { rest } = serveDesk({ 'read Doc.secret': false })

  test.each([
    '/rest/Doc/NAME',
    '/rest/Doc(1)/NAME',
    '/rest/Doc:NAME(x)',
    '/rest/Doc?$attributes=title,NAME',
    '/rest/Folder?$attributes=docs.NAME',
    '/rest/Doc?$expand=NAME',
    '/rest/Doc?$orderby=NAME',
    '/rest/Doc?$filter="ID > 0 order by NAME"',
    '/rest/Doc?$filter="NAME = x"',
    '/rest/Doc?$filter="about.NAME = x"',
    '/rest/Doc?$filter=":1 = x"&$params=["NAME"]',
    '/rest/Doc/NAME?$compute=max',
    '/rest/Doc/NAME?$distinct=true',
    '/rest/Doc?$format=dashboard&$attributes=NAME',
    '/rest/Doc(1)/NAME?$imageformat=best&$expand=NAME',
  ])('%s is answered as if it did not exist', async (template) => {
    const hidden = await get(rest, template.replaceAll('NAME', 'secret'))
    const unknown = await get(rest, template.replaceAll('NAME', 'nosuch'))
    expect(unknown.status).toBeGreaterThanOrEqual(400)
    expect([hidden.status, hidden.text.replaceAll('secret', 'nosuch')]).toEqual([
      unknown.status,
      unknown.text,
    ])
    expect(unknown.text).not.toContain('secret')
  })

  test('is missing from catalogs, entities, rows and plans, and cannot be written', async () => {
    for (const url of [
      '/rest/$catalog/Doc',
      '/rest/Doc',
      '/rest/Doc(1)',
      '/rest/Doc?$attributes=*',
      '/rest/Doc?$asArray=true',
      '/rest/Doc?$format=dashboard',
      '/rest/Folder?$expand=docs',
      '/rest/Doc?$filter="title = a"&$queryplan=true&$querypath=true',
    ]) {
      const reply = await get(rest, url)
      expect(reply.status).toBe(200)
      expect([url, reply.text.match(/secret|hush/)]).toEqual([url, null])
    }
    const written = await send(rest, 'POST', '/rest/Doc(1)', { secret: 'mine' })
    const unknown = await send(rest, 'POST', '/rest/Doc(1)', { nosuch: 'mine' })
    expect(written.text.replaceAll('secret', 'nosuch')).toBe(unknown.text)
    expect(written.status).toBe(400)
  })
})

describe('rows that may not be read', () => {
  const ownOnly = (question: AuthorizeQuestion) =>
    question.action === 'read' && question.dataClass === 'Doc' ? OWN(question) : true

  test('depend on the user, and change with a login', async () => {
    const { as, guest } = serveDesk(ownOnly)
    expectError(await guest.get('/rest/Doc'), 401, 1557, 9120)
    await guest.post('/rest/$directory/login', ['ann', 'x'])
    expect(keys(await guest.get('/rest/Doc'))).toEqual(['1', '2'])
    expect(keys(await (await as('ben')).get('/rest/Doc'))).toEqual(['3', '4'])
    expect(keys(await (await as('boss')).get('/rest/Doc'))).toEqual(['1', '2', '3', '4'])
    await guest.post('/rest/$directory/logout')
    expectError(await guest.get('/rest/Doc(1)'), 401, 1557, 9120)
  })

  test('are answered as missing entities, also with conditional headers', async () => {
    const { as } = serveDesk(ownOnly)
    const ann = await as('ann')
    for (const path of [
      'Doc(KEY)',
      'Doc[KEY]/notes',
      'Doc(KEY)/photo?$imageformat=best&$expand=photo',
    ]) {
      for (const headers of [
        {},
        { 'if-none-match': '"1"' },
        { 'if-none-match': '*' },
        { 'if-match': '"9"' },
      ]) {
        const hidden = await ann.get(`/rest/${path.replace('KEY', '3')}`, headers)
        const missing = await ann.get(`/rest/${path.replace('KEY', '9')}`, headers)
        expectError(hidden, 404, 1543)
        expect(hidden.text.replace('# 3', '# 9')).toBe(missing.text)
      }
    }
    expectError(await ann.get('/rest/Doc:title(gamma)'), 404, 1543)
    expect(
      (await ann.get('/rest/Doc(1)/photo?$imageformat=best&$expand=photo')).headers['content-type'],
    ).toBe('image/png')
  })

  test('are left out of relations: deferred, expanded, followed or counted', async () => {
    const { as } = serveDesk(ownOnly)
    const ann = await as('ann')
    expect((await ann.get('/rest/Doc(2)')).body.about).toBeNull()
    expect((await ann.get('/rest/Doc(2)?$expand=about')).body.about).toBeNull()
    expect((await ann.get('/rest/Doc(2)/about')).text).toBe('null')
    expect((await ann.get('/rest/Doc(1)?$expand=mentions')).body.mentions.__COUNT).toBe(0)
    const folders = (await ann.get('/rest/Folder?$expand=docs.about,docs.mentions')).body.__ENTITIES
    expect(folders.map(({ docs }: { docs: { __COUNT: number } }) => docs.__COUNT)).toEqual([2, 0])
    expect(JSON.stringify(folders)).not.toMatch(/gamma|delta/)
    const ben = await as('ben')
    expect((await ben.get('/rest/Note(1)')).body.doc).toBeNull()
  })

  test('do not affect aggregates, distinct values, plans and query paths', async () => {
    const { as } = serveDesk(ownOnly)
    const ann = await as('ann')
    expect((await ann.get('/rest/Doc/rank?$compute=sum')).text).toBe('2')
    expect((await ann.get('/rest/Doc/folderName?$distinct=true')).body).toEqual(['shared'])
    const { text } = await ann.get(
      '/rest/Doc?$filter="rank = 1 and ID > 0"&$queryplan=true&$querypath=true&$top=0',
    )
    expect([...text.matchAll(/recordsfounds":(\d+)/g)].map(([, found]) => found)).toEqual([
      '2',
      '2',
      '2',
    ])
    expect(text).not.toContain('owner')
    expect((await ann.get('/rest/Doc?$format=dashboard&$attributes=title')).body.rows).toHaveLength(
      2,
    )
  })

  test('an ETag of one caller does not validate the answer of another', async () => {
    const { as } = serveDesk(ownOnly)
    const boss = await as('boss')
    const url = '/rest/Doc(2)?$attributes=title,about'
    const full = await boss.get(url)
    const ann = await as('ann')
    const reply = await ann.get(url, { 'if-none-match': full.headers.etag })
    expect([reply.status, full.body.about === null, reply.body.about]).toEqual([200, false, null])
  })
})

describe('the hook', () => {
  test('gets every question once per request, with the session', async () => {
    const asked: AuthorizeQuestion[] = []
    const { as, guest } = serveDesk((question) => asked.push(question) > 0)
    await guest.get('/rest/Doc(1)?$expand=folder&$attributes=title&$lock=true')
    const texts = asked.map(questionText)
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts).toEqual(
      expect.arrayContaining([
        'describe Doc',
        'describe Note',
        'read Folder',
        'read Doc.title',
        'lock Doc',
      ]),
    )
    expect(texts.filter((text) => /^(update|create|delete|call)/.test(text))).toEqual([])
    expect(asked.every(({ session }) => session === null)).toBe(true)
    asked.length = 0
    await guest.get('/rest/$catalog/ping,ping')
    expect(asked.map(questionText).filter((text) => text === 'call -/ping')).toHaveLength(1)
    asked.length = 0
    await guest.post('/rest/Doc/titles', [])
    expect(asked.map(questionText).filter((text) => !/^(describe|read)/.test(text))).toEqual([
      'call Doc/titles',
    ])
    const ann = await as('ann')
    asked.length = 0
    await ann.post('/rest/Doc', { title: 'x' })
    expect(asked.map(questionText)).toEqual(
      expect.arrayContaining(['create Doc', 'update Doc', 'create Doc.title']),
    )
    expect(new Set(asked.map(({ session }) => session?.user?.ID))).toEqual(new Set(['ann']))
  })

  test('decides which functions the catalog lists', async () => {
    const { guest } = serveDesk(
      ({ action, functionName }) => action !== 'call' || functionName === 'titles',
    )
    const { body } = await guest.get('/rest/$catalog/$all')
    const named = (methods: readonly { readonly name: string }[] = []) =>
      methods.map(({ name }) => name)
    const doc = body.dataClasses.find(({ name }: { name: string }) => name === 'Doc')
    expect([named(body.methods), named(doc.methods), body.singletons]).toEqual([
      [],
      ['titles'],
      undefined,
    ])
    const whole = (await serveDesk(() => true).guest.get('/rest/$catalog/$all')).body
    expect(named(whole.methods)).toContain('ping')
  })

  test('is not called for addresses that show no data', async () => {
    const asked: string[] = []
    const { guest } = serveDesk((question) => asked.push(questionText(question)) > 0)
    await guest.post('/rest/$directory/login', ['ann', 'x'])
    await guest.get('/rest/$directory/currentUser')
    await guest.send('OPTIONS', '/rest/Doc')
    await guest.post('/rest/$entityset/$release', [])
    expect(asked).toEqual([])
  })

  test('may return promises and other thenables that settle later', async () => {
    const late = (value: unknown) => ({
      // biome-ignore lint/suspicious/noThenProperty: a thenable that is no Promise is what this is about
      then: (settle: (value: unknown) => void) => void setTimeout(settle, 2, value),
    })
    const { as } = serveDesk((q) =>
      q.action === 'read' && q.dataClass === 'Doc' ? late(OWN(q)) : Promise.resolve(true),
    )
    expect(keys(await (await as('ann')).get('/rest/Doc'))).toEqual(['1', '2'])
  })

  const broken = (): never => {
    throw new Error('broken')
  }
  test.each<[string, () => unknown]>([
    ['throws', broken],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['answers nothing', () => undefined],
    ['answers a number', () => 1],
    ['answers blank text', () => ' '],
    ['answers a filter without text', () => ({ filter: 1, parameters: [] })],
    ['answers a blank filter', () => ({ filter: '', parameters: [] })],
    ['answers a condition without text', () => where({ name: 'Doc' }).and()],
    ['promises nothing', async () => null],
  ])('denies access if it %s, and the host gets the error', async (_, answer) => {
    const { as, reported } = serveDesk((q) => (questionText(q) === 'read Doc' ? answer() : true))
    const ann = await as('ann')
    expectError(await ann.get('/rest/Doc'), 403, 1557)
    expect(reported).toHaveLength(1)
    expect(reported[0]).toBeInstanceOf(Error)
    expect((await ann.get('/rest/Folder(1)/docs')).body.__COUNT).toBe(0)
  })

  test.each([
    ['that is none', 'owner = = 1'],
    ['with an order', 'owner = ann order by ID'],
    ['of unknown names', { filter: 'ownr = :1', parameters: ['ann'] }],
    ['with too few parameters', { filter: 'owner = :1', parameters: [] }],
  ])(
    'denies access if it answers a filter %s, and only the host gets the reason',
    async (_, filter) => {
      for (const question of ['read Doc', 'update Doc', 'create Doc', 'delete Doc']) {
        const { as, reported, store } = serveDesk({ [question]: filter })
        const ann = await as('ann')
        const before = store.globalStamp
        const reply =
          question === 'read Doc'
            ? await ann.get('/rest/Doc')
            : question === 'create Doc'
              ? await ann.post('/rest/Doc', { title: 'new' })
              : question === 'delete Doc'
                ? await ann.send('DELETE', '/rest/Doc(1)')
                : await ann.post('/rest/Doc(1)', { title: 'new' })
        expect([question, reply.status]).toEqual([question, 500])
        expect(reply.text).not.toMatch(/ownr|authorize/)
        expect([question, String(reported[0])]).toEqual([
          question,
          expect.stringContaining('authorize answered a filter'),
        ])
        expect([store.globalStamp, store.Doc.count]).toEqual([before, 4])
      }
    },
  )

  test('may name hidden attributes in its filters', async () => {
    const { as } = serveDesk({
      'read Doc': { filter: 'secret = "hush a*"', wildcards: true },
      'read Doc.secret': false,
    })
    expect(keys(await (await as('ann')).get('/rest/Doc'))).toEqual(['1'])
  })

  test('does not change answers if it allows everything', async () => {
    const open = createRestHandler(createDesk())
    const { rest } = serveDesk({})
    for (const url of [
      '/rest/$catalog/$all',
      '/rest/Doc?$expand=folder,mentions',
      '/rest/Doc(9)',
      '/rest/Doc?$filter="x"',
    ])
      expect((await get(rest, url)).text).toBe((await get(open, url)).text)
  })
})
