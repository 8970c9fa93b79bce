import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { placeOf } from '../../src/transport/hosts/mounting.ts'
import { createHr } from '../http/models.ts'

test.each([
  // base path, what the router left, the address
  ['/rest', '/rest/Employee?$top=1', '/rest/Employee?$top=1', ''],
  ['/rest', '/rest', '/rest', ''],
  ['/rest', '/rest?x=/y', '/rest?x=/y', ''],
  ['/rest', 'http://db.example/rest/Employee', 'http://db.example/rest/Employee', ''],
  ['/rest', '/Employee', '/rest/Employee', ''],
  ['/rest', '/', '/rest', ''],
  ['/rest', '/rest/Employee', '/api/rest/Employee', '/api'],
  ['/api/rest', '/rest/Employee', '/api/rest/Employee', ''],
  ['/api/rest', '/Employee', '/api/rest/Employee', ''],
  ['', '/Employee', '/Employee', ''],
  ['', '/Employee', '/api/Employee', '/api'],
  ['', '/', '/api', '/api'],
  ['', '/?$top=1', '/api?$top=1', '/api'],
])(
  'base path "%s", left "%s" of "%s": mounted at "%s"',
  (basePath, url, originalUrl, mountPath) => {
    expect(placeOf({ basePath, plain: null }, url, originalUrl)).toEqual({
      url: originalUrl,
      mountPath,
    })
  },
)

test.each([
  ['/rest', '/', '/'],
  ['/rest', '/restful', '/restful'],
  ['/rest', '/other/rest/Employee', '/other/rest/Employee'],
  ['/rest', '/?path=/rest/Employee', '/?path=/rest/Employee'],
  ['/rest', '*', '*'],
  // The application rewrote the address, so the mount point is unknown.
  ['/rest', '/rest/Employee', '/elsewhere'],
])('base path "%s", left "%s" of "%s": somebody else\'s', (basePath, url, originalUrl) => {
  expect(placeOf({ basePath, plain: null }, url, originalUrl)).toBeNull()
})

test('a prefix that a client sent unescaped is emitted escaped', async () => {
  const rest = createRestHandler(createHr())
  for (const [mountPath, emitted] of [
    ['/a"b', '/a%22b'],
    ['/100%', '/100%25'],
    ['/a%20b/[x]\\y', '/a%20b/%5Bx%5D%5Cy'],
  ]) {
    const reply = await rest.handle({
      method: 'GET',
      url: `${mountPath}/rest/$catalog`,
      headers: {},
      mountPath,
    })
    expect(JSON.parse(String(reply.body)).dataClasses[0].dataURI).toBe(`${emitted}/rest/Company`)
  }
})
