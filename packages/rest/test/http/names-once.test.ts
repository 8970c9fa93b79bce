import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { expectOnce, repeatedNames } from './member-names.ts'
import { SENT, serve, site } from './named-site.ts'
import { send } from './send.ts'

describe('No answer has one member name twice', () => {
  test('the scanner finds a name that stands twice', () => {
    expect(repeatedNames('{"a":{"b":1,"c":[{"b":2}],"\\u0062":3},"b":"a","x\\"":"a:"}')).toEqual([
      'b',
    ])
  })

  test('for any names of attributes and relations, and any members that clients send', async () => {
    const sent = fc.dictionary(
      fc.constantFrom(...SENT),
      fc.constantFrom<unknown>('x', 'y', 7, true, null, ['x'], { x: 1 }, 1),
      { maxKeys: 8 },
    )
    await fc.assert(
      fc.asyncProperty(site, fc.array(sent, { maxLength: 3 }), async (model, bodies) => {
        const served = serve(model)
        if (served === null) return
        const { rest, store } = served
        const { one, many, own } = model
        const Post = store.dataClass('Post')
        Post.insert({ id: 1, hidden: 'secret' })
        const further = Object.fromEntries(SENT.slice(0, -4).map((name) => [name, 'kept']))
        Post.insert({ id: 2, [one]: 1, more: { ...further, hidden: 'forged' } })
        const group = own[0] ?? 'id'
        const urls = [
          '/rest/Post',
          '/rest/Post(2)',
          `/rest/Post?$expand=${one},${many}`,
          `/rest/Post(1)?$expand=${many}&$queryplan=true`,
          `/rest/Post?$attributes=${[...own, one, many].join()}&$asArray=true`,
          `/rest/Post?$groupby=${group}&$attributes=count`,
          `/rest/Post/${group}?$compute=$all`,
          `/rest/Post/${group}?$distinct=true`,
          '/rest/Post?$method=entityset',
          '/rest/Post/dashboard',
          '/rest/$catalog',
          '/rest/$catalog/$all',
          '/rest/$openapi',
          '/rest/$info',
          '/posts',
          '/posts/2',
          `/posts?_expand=${one}&_embed=${many}`,
          `/posts/2?_expand=${one}&_embed=${many}`,
          `/posts/1?_expand=${one}&_embed=${many}`,
          `/posts/1/${many}`,
          '/db',
        ]
        for (const body of bodies) {
          for (const [method, url] of [
            ['POST', '/posts'],
            ['PUT', '/posts/2'],
            ['PATCH', '/posts/1'],
            ['POST', `/posts/1/${many}`],
            ['POST', '/rest/Post'],
            ['PUT', '/rest/Post(2)'],
            ['PUT', '/rest/Post'],
          ] as const)
            expectOnce(`${method} ${url}`, (await send(rest, method, url, body)).text)
        }
        for (const url of urls) {
          const { text, status } = await send(rest, 'GET', url)
          expect([url, status < 500]).toEqual([url, true])
          expectOnce(url, text)
          const isForged = model.withOthers && !url.startsWith('/rest') && text.includes('hidden')
          expect([url, text.includes('secret'), isForged]).toEqual([url, false, false])
        }
        expect(Post.get(1)).toMatchObject({ hidden: 'secret' })
      }),
      runs(30),
    )
  })
})
