import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { type Serving, serveUnder } from './run-entia.ts'

const NO_CODE = '--disallow-code-generation-from-strings'
const FREEZE = ['--import', new URL('./fixtures/freeze-prototypes.mjs', import.meta.url).href]

let serving: Serving | null = null
let folder: string | null = null
afterEach(async () => {
  await serving?.stop('SIGKILL')
  if (folder !== null) await rm(folder, { recursive: true })
  serving = folder = null
})

interface Answer {
  readonly status: number
  readonly text: string
  readonly cookie: string
}

/** Requests of every kind, each with the expected status and a part of the response. */
async function askEverything(origin: string): Promise<void> {
  const ask = async (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${origin}/rest/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';', 1)
    return { status: response.status, text: await response.text(), cookie }
  }
  const expectAnswer = async (asked: Promise<Answer>, status: number, part: string) => {
    const answer = await asked
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(part)])
    return answer
  }
  const encoded = encodeURIComponent
  await expectAnswer(ask('GET', '$catalog/$all'), 200, '"name":"Player"')
  await expectAnswer(ask('GET', 'Player(1)?$expand=team'), 200, '"shout":"Player 0!"')
  const filter = encoded(
    "(name = 'player @' and team.code = :1 and notes.tags[].level >= 3) or not (score < :2) order by score desc, name",
  )
  await expectAnswer(
    ask(
      'GET',
      `Player?$filter="${filter}"&$params=["A",48]&$top=3&$queryplan=true&$querypath=true`,
    ),
    200,
    '__queryPath',
  )
  await expectAnswer(
    ask('GET', 'Team(A)/players?$orderby=name%20desc&$top=2&$attributes=name,team.*'),
    200,
    '"__COUNT":25',
  )
  await expectAnswer(ask('GET', 'Player/score?$compute=$all'), 200, '"average":24.5')
  await expectAnswer(ask('GET', 'Player/teamCode?$distinct=true'), 200, '["A","B"]')
  await expectAnswer(
    ask('GET', 'Player?$format=dashboard&$attributes=name,score&$top=1'),
    200,
    '"rows"',
  )
  await expectAnswer(
    ask('POST', 'Player', '{"name":"New","score":1,"team":"A"}'),
    200,
    '"__KEY":"51"',
  )
  await expectAnswer(
    ask('POST', 'Player', '[{"__KEY":"51","name":"Nobody"},{"__KEY":"1","score":2}]'),
    207,
    '10001',
  )
  await expectAnswer(
    ask('POST', 'Player?$atomic=true', '[{"__KEY":"2","score":9},{"__KEY":"999"}]'),
    404,
    '__ERROR',
  )
  await expectAnswer(ask('POST', 'Player(4)/double', '[21]'), 200, '{"result":63}')
  await expectAnswer(ask('DELETE', 'Player(51)'), 200, '"ok":true')
  await expectAnswer(ask('POST', 'Player', '{"__proto__":{"polluted":1}}'), 400, '__ERROR')
  await expectAnswer(ask('GET', `Player?$filter="${encoded('name = (')}"`), 400, '__ERROR')
  const set = await expectAnswer(
    ask('GET', 'Player?$filter="score>40"&$method=entityset'),
    200,
    '__ENTITYSET',
  )
  const { __ENTITYSET: address } = JSON.parse(set.text) as { readonly __ENTITYSET: string }
  await expectAnswer(
    ask('GET', `${address.replace('/rest/', '')}?$orderby=name`),
    200,
    '"__COUNT":9',
  )
  const { cookie } = await expectAnswer(
    ask('POST', '$directory/login', '["ada","engine"]'),
    200,
    'true',
  )
  await expectAnswer(
    ask('GET', 'Player(1)?$lock=true', undefined, { cookie }),
    200,
    '"success":true',
  )
  await expectAnswer(ask('POST', 'Player(1)', '{"score":5}'), 423, '__ERROR')
  await expectAnswer(ask('GET', '$info'), 200, 'sessionInfo')
}

describe('a process that cannot compile text to code', () => {
  test.each([
    ['alone', [NO_CODE]],
    ['and whose prototypes are frozen', [NO_CODE, ...FREEZE]],
  ])('%s serves everything', async (_, nodeOptions) => {
    folder = await mkdtemp(join(tmpdir(), 'entia-'))
    serving = await serveUnder(nodeOptions, 'no-code.mjs', '--journal', folder)
    const { origin } = serving
    expect(await (await fetch(`${origin}/rest/$catalog/codeFromText`)).text()).toContain(
      'EvalError',
    )
    await askEverything(origin)
    const { exitCode, stderr } = await serving.stop('SIGTERM')
    expect([exitCode, stderr]).toEqual([0, ''])
  })

  test('serves the flights example', async () => {
    const flights = fileURLToPath(new URL('../../../examples/flights/flights.mjs', import.meta.url))
    serving = await serveUnder([NO_CODE], flights)
    const page = await fetch(
      `${serving.origin}/rest/Flight?$filter="delay>500"&$top=1&$expand=origin`,
    )
    expect(page.status).toBe(200)
    expect(await page.json()).toMatchObject({ __COUNT: 3 })
  })
})

test('the check detects a process that can compile text to code', async () => {
  serving = await serveUnder([], 'no-code.mjs')
  expect(await (await fetch(`${serving.origin}/rest/$catalog/codeFromText`)).text()).toContain(
    'made',
  )
})
