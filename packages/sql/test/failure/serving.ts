// One serving process of the programs here: sends its port to the process that forked it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@entia/rest'
import { openWorld } from './world.ts'

const { rest } = await openWorld(JSON.parse(process.argv[2]!))
const server = createServer(toNodeHandler(rest))
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
