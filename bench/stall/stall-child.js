// The process of the server: answers requests, and tells the longest turn of its event loop.

import { createRestHandler, toNodeHandler } from '@entia/rest'
import { makeData } from '../data.js'
import { listen } from '../http/listen.js'
import { longestTurn } from './longest-turn.js'
import { openStallStore } from './stall-store.js'

let turns = null

process.on('message', async ({ command }) => {
  if (command === 'begin') turns = await longestTurn()
  process.send({ answer: command === 'begin' ? null : await turns.end() })
})
const store = openStallStore(makeData(Number(process.argv[2])))
process.send({ answer: await listen(toNodeHandler(createRestHandler(store))) })
