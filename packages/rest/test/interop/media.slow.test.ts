import { describe, expect, test } from 'vitest'
import { png } from '../http/images.ts'
import { catalog, refusalOf, served, useContacts } from './serve-contacts.ts'

useContacts()

/** Bytes as the client wants them: it takes the `type` of a browser's File. */
const file = (bytes: Uint8Array, type?: string) =>
  Object.assign(Buffer.from(bytes), type === undefined ? {} : { type })
/** The content behind the address that an entity holds. */
async function contentOf(uri: string) {
  const response = await fetch(served.origin + uri)
  return [
    response.status,
    response.headers.get('content-type'),
    Buffer.from(await response.arrayBuffer()),
  ] as const
}

describe('an image', () => {
  test('is uploaded, read and deleted', async () => {
    const employee = await catalog.Employee!.find(1)
    await employee.photo.upload(file(png(), 'image/png'))
    expect(served.requests.slice(-2)).toEqual([
      'POST /rest/Employee(1)/photo?$rawPict=image/png',
      'GET /rest/Employee(1)',
    ])
    expect(employee._stamp).toBe(2)
    expect(await contentOf(employee.photo.uri)).toEqual([200, 'image/png', Buffer.from(png())])
    await employee.photo.delete()
    expect([employee._stamp, employee.photo.uri]).toEqual([3, null])
    expect(served.store.Employee.get(1)?.photo).toBe(null)
  })

  test('is replaced, under another address', async () => {
    const employee = await catalog.Employee!.find(1)
    await employee.photo.upload(file(png(1, 1), 'image/png'))
    const first = employee.photo.uri
    await employee.photo.upload(file(png(3, 3), 'image/png'))
    expect(employee.photo.uri).not.toBe(first)
    expect((await contentOf(employee.photo.uri))[2]).toEqual(Buffer.from(png(3, 3)))
  })

  test('of plain bytes without a type gets the type of its content', async () => {
    const employee = await catalog.Employee!.find(1)
    await employee.photo.upload(file(png()))
    expect(served.requests.at(-2)).toBe('POST /rest/Employee(1)/photo?$rawPict=undefined')
    expect((await contentOf(employee.photo.uri))[1]).toBe('image/png')
  })

  test('is kept by a save', async () => {
    const employee = await catalog.Employee!.find(1)
    await employee.photo.upload(file(png(), 'image/png'))
    employee.salary = 1
    await employee.save()
    expect((await contentOf(employee.photo.uri))[0]).toBe(200)
  })

  test('that is not an image is refused', async () => {
    const employee = await catalog.Employee!.find(1)
    const text = file(new TextEncoder().encode('<svg/>'), 'image/svg+xml')
    const [statusText, ...codes] = await refusalOf(employee.photo.upload(text))
    expect([statusText, codes]).toEqual(['Unsupported Media Type', expect.arrayContaining([1824])])
    expect(served.store.Employee.get(1)?.stamp).toBe(1)
  })
})

test('a BLOB is uploaded, read and deleted', async () => {
  const bytes = Buffer.from([0, 1, 2, 255, 254])
  const employee = await catalog.Employee!.find(1)
  await employee.resume.upload(file(bytes))
  expect(served.requests.at(-2)).toBe('POST /rest/Employee(1)/resume')
  const [status, , content] = await contentOf(employee.resume.uri)
  expect([status, content]).toEqual([200, bytes])
  await employee.resume.delete()
  expect([employee._stamp, employee.resume.uri]).toEqual([3, null])
})

test('content is uploaded to entities that are stored', async () => {
  const employee = catalog.Employee!.create({ lastName: 'New' })
  expect(() => employee.photo.upload(file(png(), 'image/png'))).toThrow('must be saved')
  await employee.save()
  await employee.photo.upload(file(png(), 'image/png'))
  expect((await contentOf(employee.photo.uri))[0]).toBe(200)
})
