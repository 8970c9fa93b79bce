import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'

const Vault = defineDataClass('Vault', {
  ID: attribute.long({ key: true }),
  secret: attribute.string(),
  papers: attribute.object(),
  picture: attribute.image(),
})
const Room = defineDataClass('Room', {
  ID: attribute.long({ key: true }),
  flag: attribute.bool(),
  vault: attribute.relatedEntity('Vault'),
  label: attribute.alias('vault.secret'),
  file: attribute.alias('vault.papers'),
  portrait: attribute.alias('vault.picture'),
})

// A caller that may read an alias must not learn the name of its target.
const store = createDataStore({ name: 'house', dataClasses: [Vault, Room] })
store.Vault.load([{ ID: 1, secret: 'gold', papers: { a: 1 } }])
store.Room.load([{ ID: 1, vault: 1 }])
const view = store.view({ hides: ({ name, owner }) => owner.name === 'Vault' && name !== 'ID' })
const rooms = view.dataClass('Room')

test.each<readonly [string, () => unknown]>([
  ['label', () => rooms.query('label')],
  ['file', () => rooms.query('file = 5')],
  ['file', () => rooms.query('file = :1', [5])],
  ['file', () => rooms.query('flag = true order by file')],
  ['file', () => rooms.all().orderBy('file')],
  ['portrait', () => rooms.query('portrait = 5')],
  ['portrait', () => rooms.all().orderBy('portrait')],
  ['label', () => rooms.query('label.length = 1')],
  ['label', () => rooms.query('label[] = 1')],
  ['file.a', () => rooms.query('file.a = :1', [[{}]])],
  ['file.a', () => rooms.query('file.a = :1', [{}])],
  ['file', () => rooms.all().distinct('file')],
  ['portrait', () => rooms.all().distinct('portrait')],
  ['file', () => rooms.all().compute('file')],
  ['portrait', () => rooms.all().compute('portrait')],
  ['label', () => rooms.all().select('label.length' as never)],
  ['label', () => rooms.all().distinct('label.length')],
  ['label', () => rooms.all().compute('label.length' as never)],
  ['file', () => rooms.all().distinct('file.a[]')],
])('a refusal names the alias "%s" and not what it stands for', (alias, ask) => {
  let message = 'nothing was refused'
  try {
    ask()
  } catch (error) {
    if (!isEntiaError(error)) throw error
    message = `${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`
  }
  expect(message).toContain(alias)
  expect(message).not.toMatch(/secret|papers|picture|Vault/)
})
