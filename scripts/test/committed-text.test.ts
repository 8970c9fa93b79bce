import { expect, test } from 'vitest'
import { filesBelow, readText } from './source-files.ts'

// Built from parts, so that this file does not match itself.
const folders = ['home', 'root', 'Users', 'work', 'tmp', 'mnt', 'private', 'var/folders']
const machinePath = new RegExp(
  `(?:^|[\\s'"\`(=:,])(?:file://)?/(?:${folders.join('|')})/|\\b[A-Z]:\\\\+Users\\b`,
  'm',
)

test('no file contains a path of a development machine', () => {
  const found = filesBelow('')
    .filter((file) => !/\.(png|jpg|gif|webp|ico|woff2)$/.test(file))
    .filter((file) => machinePath.test(readText(file)))
  expect(found).toEqual([])
})

test('machine paths are recognised', () => {
  const path = (...parts: string[]) => parts.join('/')
  expect(machinePath.test(`see ${path('', 'home', 'ada', 'entia')}`)).toBe(true)
  expect(machinePath.test(`"${path('file://', 'tmp', 'x')}"`)).toBe(true)
  expect(machinePath.test('packages/core/tmp/x and https://example.org/home/x')).toBe(false)
})
