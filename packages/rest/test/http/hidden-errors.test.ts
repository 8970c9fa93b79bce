import { attribute, createDataStore, defineDataClass, type Untyped } from '@entia/core'
import { describe, expect, test } from 'vitest'
import { type Authorize, createRestHandler } from '../../src/index.ts'
import { Browser } from './browser.ts'
import { fixedPorts } from './models.ts'
import { errCodes, expectError } from './send.ts'

const keyTypes = {
  long: [1, 2],
  long64: [9_007_199_254_740_990, -2],
  number: [1.5, -1e21],
  string: ['7', 'b/"c"'],
  uuid: ['00112233445566778899AABBCCDDEEFF', 'FF112233445566778899AABBCCDDEEFF'],
} as const

/** Boxes and what refers to them; those that are secret are hidden. */
function createBoxes(type: keyof typeof keyTypes) {
  const key = (attribute[type] as Untyped)({ key: true })
  const Box = defineDataClass(
    'Box',
    {
      id: key,
      secret: attribute.bool(),
      size: attribute.long({ max: 9 }),
      inside: attribute.relatedEntity('Box', { onDelete: 'cascade' }),
    },
    {
      functions: {
        drop: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }: Untyped, id: Untyped) => dataClass.remove(id),
        },
        grow: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }: Untyped, id: Untyped) => void dataClass.update(id, { size: 99 }),
        },
      },
      hooks: {
        validateRemove: (box: Untyped) =>
          box.size === 7 ? { errCode: 10_001, message: `no: ${box.id}` } : undefined,
      },
    },
  )
  const Label = defineDataClass('Label', {
    id: attribute.long({ key: true }),
    box: attribute.relatedEntity('Box', { onDelete: 'restrict' }),
  })
  const store = createDataStore({
    name: 'boxes',
    dataClasses: [Box, Label] as Untyped,
    ...fixedPorts(),
  }) as Untyped
  const [shown, hidden] = keyTypes[type]
  store.Box.insert({ id: shown, secret: false })
  store.Box.insert({ id: hidden, secret: true, inside: shown })
  const authorize: Authorize = ({ dataClass, action, attribute }) =>
    action === 'read' && dataClass === 'Box' && attribute === undefined ? 'secret = false' : true
  const rest = createRestHandler(store, { authorize })
  const all = createRestHandler(store)
  return { store, shown, hidden, ann: new Browser(rest), admin: new Browser(all) }
}

describe.each(Object.keys(keyTypes) as (keyof typeof keyTypes)[])(
  'with keys of type %s',
  (type) => {
    const address = (key: unknown) =>
      `/rest/Box[${encodeURIComponent(typeof key === 'string' ? `"${key}"` : String(key))}]`

    test('an error about a visible entity names it', async () => {
      const { store, shown, ann, admin } = createBoxes(type)
      store.Box.all().query('secret = true').remove()
      expect((await admin.get(`${address(shown)}?$lock=true`)).body.result).toBe(true)
      for (const reply of [
        await ann.post(address(shown), { size: 1 }),
        await ann.send('DELETE', address(shown)),
        await ann.post('/rest/Box?$method=delete&$atomic=true', [{ __KEY: `${shown}` }]),
      ]) {
        expect(reply.status).toBe(423)
        expect(JSON.stringify(reply.body)).toContain(
          JSON.stringify(`Entity# ${shown} of the "Box" dataclass is locked`).slice(1, -1),
        )
      }
      await admin.get(`${address(shown)}?$lock=false`)
      expect((await ann.post(address(shown), { size: 99 })).body.__ERROR.at(-1).message).toContain(
        `Entity# ${shown} `,
      )
      store.Label.insert({ id: 1, box: shown })
      for (const atomic of ['', '?$atomic=true']) {
        const reply = await ann.send('DELETE', `${address(shown)}${atomic}`)
        expect([reply.status, errCodes(reply)]).toEqual([409, [9034, 1518]])
        expect(reply.body.__ERROR[0].message).toContain(`# ${shown} `)
      }
    })

    test('an error about a hidden entity reveals nothing of it', async () => {
      const { store, shown, hidden, ann, admin } = createBoxes(type)
      const secret = JSON.stringify(String(hidden)).slice(1, -1)
      const expectNeutral = async (status: number, ...codes: readonly number[]): Promise<void> => {
        for (const reply of [
          await ann.send('DELETE', address(shown)),
          await ann.send('DELETE', '/rest/Box?$filter="size is null"'),
        ]) {
          expect([reply.status, errCodes(reply)]).toEqual([status, codes])
          expect(reply.text.replaceAll(String(shown), '')).not.toContain(`# ${secret}`)
          expect(reply.text).toContain('A dependent entity ')
        }
      }
      await admin.get(`${address(hidden)}?$lock=true`)
      await expectNeutral(423, 9035, 1518)
      await admin.get(`${address(hidden)}?$lock=false`)
      store.Label.insert({ id: 1, box: hidden })
      await expectNeutral(409, 9034, 1518)
      const dropped = await ann.post('/rest/Box/drop', [hidden])
      expectError(dropped, 409, 9034)
      expect(dropped.text).not.toContain(`"${secret}"`)
      store.Label.remove(1)
      store.Box.update(hidden, { size: 7 })
      await expectNeutral(422, 1570, 1518)
      const grown = await ann.post('/rest/Box/grow', [hidden])
      expect([grown.status, grown.text.includes('A dependent entity fails validation.')]).toEqual([
        422,
        true,
      ])
      expect((await ann.post('/rest/Box/grow', [shown])).text).toContain(
        `Entity# ${shown === '7' ? 7 : shown} `,
      )
    })
  },
)

test.each([
  ['of hidden entities', 'id > 1', true],
  ['of a dataclass that may not be read', false, true],
  ['of which one is visible', 'id = 1', false],
  ['of which all are visible', true, false],
])(
  'a deletion that references %s prevent says what only if it is visible',
  async (_, rows, isHidden) => {
    for (const type of ['long', 'string'] as const) {
      const { store, shown } = createBoxes(type)
      store.Label.insert({ id: 1, box: shown })
      if (rows === 'id = 1') store.Label.insert({ id: 2, box: shown })
      const authorize: Authorize = ({ dataClass, action, attribute }) =>
        action === 'read' && dataClass === 'Label' && attribute === undefined ? rows : true
      const ann = new Browser(createRestHandler(store, { authorize }))
      for (const reply of [
        await ann.send('DELETE', `/rest/Box?$filter="secret = false"`),
        await ann.post('/rest/Box?$method=delete&$atomic=true', [{ __KEY: `${shown}` }]),
        await ann.post('/rest/Box/drop', [shown]),
      ]) {
        expect([reply.status, errCodes(reply)[0]]).toEqual([409, 9034])
        expect(reply.text.includes('Label')).toBe(!isHidden)
      }
      expect(store.Box.count).toBe(2)
    }
  },
)

test('a related entity that a setter returns in any form does not reveal the stored hidden one', async () => {
  const Team = defineDataClass('Team', {
    code: attribute.string({ key: true }),
    secret: attribute.bool(),
  })
  const Player = defineDataClass('Player', {
    ID: attribute.long({ key: true }),
    team: attribute.relatedEntity('Team'),
    club: attribute.computed('object', {
      get: () => null,
      set: (club: Untyped) => ({ team: club }),
    }),
  })
  const authorize: Authorize = ({ dataClass, action, attribute }) =>
    action === 'read' && dataClass === 'Team' && attribute === undefined ? 'secret = false' : true
  const answers = async (stored: string): Promise<readonly string[]> => {
    const store = createDataStore({
      name: 'league',
      dataClasses: [Team, Player] as Untyped,
      ...fixedPorts(),
    }) as Untyped
    store.Team.load(['a', 'b', 'c'].map((code) => ({ code, secret: code !== 'c' })))
    store.Player.insert({ ID: 1, team: stored })
    const ann = new Browser(createRestHandler(store, { authorize }))
    const texts: string[] = []
    for (const code of ['a', 'b', 'none', 'c'])
      for (const suffix of ['?$refresh=true', ''])
        texts.push(
          (await ann.send('PUT', `/rest/Player(1)${suffix}`, JSON.stringify({ club: { code } })))
            .text,
        )
    return texts
  }
  const reported = await answers('a')
  expect(reported).toEqual(await answers('b'))
  expect(reported.map((text) => text.includes('"success":true'))).toEqual([
    ...Array(6).fill(false),
    true,
    true,
  ])
})
