import { createServer } from 'node:http'
import { summary, untilSeen } from '../../data.js'

/**
 * The endpoint that RxDB's guide to replication over HTTP describes: pull by checkpoint, push with
 * the state that the client assumed, and a stream of server-sent events. It keeps documents in
 * memory with the number of their last change.
 */
class Endpoint {
  #documents = new Map()
  #sequences = new Map()
  /** Keys in the order of their changes; older entries of a key stay and are skipped. */
  #log = []
  #streams = new Set()

  constructor(rows) {
    for (const row of rows) this.#put({ ...row, _deleted: false })
  }

  get documents() {
    return this.#documents.values()
  }

  get(ID) {
    return this.#documents.get(ID)
  }

  #put(document) {
    this.#documents.set(document.ID, document)
    this.#sequences.set(document.ID, this.#log.push(document.ID))
  }

  write(documents) {
    for (const document of documents) this.#put(document)
    const text = `data: ${JSON.stringify({ documents, checkpoint: { at: this.#log.length } })}\n\n`
    for (const stream of this.#streams) stream.write(text)
  }

  pull(checkpoint, limit) {
    const documents = []
    let at = checkpoint
    for (; at < this.#log.length && documents.length < limit; at++) {
      const ID = this.#log[at]
      if (this.#sequences.get(ID) === at + 1) documents.push(this.#documents.get(ID))
    }
    return { documents, checkpoint: { at } }
  }

  push(rows) {
    const conflicts = []
    const written = []
    for (const { assumedMasterState, newDocumentState } of rows) {
      const mine = this.#documents.get(newDocumentState.ID)
      const isAsAssumed =
        assumedMasterState !== undefined &&
        Object.keys(mine).every((name) => mine[name] === assumedMasterState[name])
      if (isAsAssumed) written.push(newDocumentState)
      else conflicts.push(mine)
    }
    if (written.length > 0) this.write(written)
    return conflicts
  }

  stream(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': open\n\n')
    this.#streams.add(response)
    response.on('close', () => this.#streams.delete(response))
  }
}

export default {
  async start(rows) {
    const endpoint = new Endpoint(rows)
    const server = createServer(async (request, response) => {
      const url = new URL(request.url, 'http://localhost')
      if (url.pathname === '/stream') return endpoint.stream(response)
      let answer
      if (url.pathname === '/pull')
        answer = endpoint.pull(
          Number(url.searchParams.get('checkpoint')),
          Number(url.searchParams.get('limit')),
        )
      else {
        let text = ''
        for await (const chunk of request.setEncoding('utf8')) text += chunk
        answer = endpoint.push(JSON.parse(text))
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      port: server.address().port,
      change(changes) {
        for (const { ID, salary } of changes) endpoint.write([{ ...endpoint.get(ID), salary }])
      },
      untilSeen: (changes) => untilSeen(changes, (ID) => endpoint.get(ID).salary),
      summary: () => summary(endpoint.documents),
    }
  },
}
