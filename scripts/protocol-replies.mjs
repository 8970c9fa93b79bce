/** `npm run protocol-page`: updates the replies of docs/reference/protocol.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRestHandler } from '@entia/rest'
import { createFlights, rest as options } from '../examples/flights/flights.mjs'
import { stillPorts, withReplies } from './protocol-page.mjs'

const file = new URL('../docs/reference/protocol.md', import.meta.url)
const rest = createRestHandler(createFlights(stillPorts()), options)
writeFileSync(file, await withReplies(readFileSync(file, 'utf8'), rest))
