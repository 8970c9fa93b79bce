import { expect, test } from 'vitest'
import { filesBelow, readText } from './source-files.ts'

// Built from parts, or this file would find itself.
const folders = ['home', 'root', 'Users', 'work', 'tmp', 'mnt', 'private', 'var/folders']
const machinePath = new RegExp(`(?:^|[\\s'"\`(=:,])(?:file://)?/(?:${folders.join('|')})/|\\b[A-Z]:\\\\+Users\\b`, 'm')

test('no file names a path of the machine it was written on', () => {
  const found = filesBelow('')
    .filter((file) => !/\.(png|jpg|gif|webp|ico|woff2)$/.test(file))
    .filter((file) => machinePath.test(readText(file)))
  expect(found).toEqual([])
})

test('a machine path is found where it stands', () => {
  const path = (...parts: string[]) => parts.join('/')
  expect(machinePath.test(`see ${path('', 'home', 'ada', 'entia')}`)).toBe(true)
  expect(machinePath.test(`"${path('file://', 'tmp', 'x')}"`)).toBe(true)
  expect(machinePath.test('packages/core/tmp/x and https://example.org/home/x')).toBe(false)
})
