import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { createFlights, rest as options } from '../../examples/flights/flights.mjs'
import { stillPorts, withReplies } from '../protocol-page.mjs'
import { readText } from './source-files.ts'

const page = readText('docs/reference/protocol.md')

test('the replies of docs/reference/protocol.md are current (`npm run protocol-page` updates them)', async () => {
  const fresh = await withReplies(page, createRestHandler(createFlights(stillPorts()), options))
  expect(fresh.split('\n')).toEqual(page.split('\n'))
})

test('the page shows every parameter of the interface', () => {
  const shown = new Set(page.match(/\$[a-zA-Z]+(?==)/g))
  const known =
    '$filter $params $orderby $top $skip $attributes $expand $method $timeout $savedfilter $savedorderby $subOrderby $logicOperator ' +
    '$otherCollection $clean $compute $distinct $lock $format $asArray $imageformat $version $binary $queryplan $querypath $atomic ' +
    '$refresh $rawPict'
  expect(known.split(' ').filter((name) => !shown.has(name))).toEqual([])
})
