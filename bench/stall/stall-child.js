// The process of the server: answers requests and reports the longest block of its event loop.

import { createRestHandler, toNodeHandler } from '@entia/rest'
import { makeData } from '../data.js'
import { listen } from '../http/listen.js'
import { watchEventLoop } from './event-loop.js'
import { openStallStore } from './stall-store.js'

let eventLoop = null

process.on('message', async ({ command }) => {
  if (command === 'begin') eventLoop = await watchEventLoop()
  process.send({ answer: command === 'begin' ? null : await eventLoop.end() })
})
const store = openStallStore(makeData(Number(process.argv[2])))
process.send({ answer: await listen(toNodeHandler(createRestHandler(store))) })
