import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusalOf, type ServedContacts, serveContacts } from './serve-contacts.ts'

let served: ServedContacts
beforeEach(async () => {
  served = await serveContacts()
})
afterEach(() => served.close())

describe('the directory', () => {
  test('logs in with the right password, and knows the user and the groups until the logout', async () => {
    const { directory } = served.client()
    expect(await directory.login('bar', 'bar')).toBe(true)
    expect(await directory.getCurrentUser()).toEqual({
      ID: 'bar',
      userName: 'bar',
      fullName: 'Bar Tender',
    })
    expect(await directory.getCurrentUserBelongsTo('Admin')).toBe(true)
    expect(await directory.getCurrentUserBelongsTo('Nosuch')).toBe(false)
    expect(await directory.logout()).toBe(true)
    expect(await directory.getCurrentUser()).toBe(null)
    expect(await directory.getCurrentUserBelongsTo('Admin')).toBe(false)
  })

  test('refuses a wrong password and an unknown name', async () => {
    const { directory } = served.client()
    for (const [name, password] of [
      ['bar', 'wrong'],
      ['bar', ''],
      ['nobody', 'bar'],
    ] as const)
      expect(await directory.login(name, password)).toBe(false)
    expect(await directory.getCurrentUser()).toBe(null)
  })

  test('answers for guests that they have no user and no group, and lets them log out', async () => {
    const { directory } = served.client()
    expect(await directory.getCurrentUser()).toBe(null)
    expect(await directory.getCurrentUserBelongsTo('Admin')).toBe(false)
    expect(await directory.logout()).toBe(true)
  })

  test('a login lasts as long as requested', async () => {
    const { directory } = served.client()
    expect(await directory.login('bar', 'bar', 90)).toBe(true)
    expect(served.store.sessions.list()).toHaveLength(1)
    expect(await directory.getCurrentUser()).toMatchObject({ ID: 'bar' })
  })

  test('each client has a session of its own', async () => {
    const [one, other] = [served.client(), served.client()]
    expect(await one.directory.login('bar', 'bar')).toBe(true)
    expect(await other.directory.getCurrentUser()).toBe(null)
    expect(await other.directory.logout()).toBe(true)
    expect(await one.directory.getCurrentUser()).not.toBe(null)
  })

  test('functions know the caller', async () => {
    const client = served.client()
    const { Employee } = await client.getCatalog()
    expect(await Employee!.askedBy()).toBe('a guest')
    await client.directory.login('bar', 'bar')
    expect(await Employee!.askedBy()).toBe('bar')
  })
})

test('if a login is required, a guest sees the catalog and no data', async () => {
  const locked = await serveContacts({ forceLogin: true })
  try {
    const client = locked.client()
    const { Product } = await client.getCatalog()
    expect(await refusalOf(Product!.find(1))).toEqual(['Unauthorized', 9120])
    expect(await client.directory.login('bar', 'bar')).toBe(true)
    expect(await Product!.find(1)).toMatchObject({ name: 'Part A' })
  } finally {
    await locked.close()
  }
})
