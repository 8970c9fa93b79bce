import { createCustomSynchronizer } from 'tinybase/synchronizers'

/** In place of `undefined`, as in messages of TinyBase's own synchronizers. */
const NOTHING = '\uFFFC'
const TIMEOUT_SECONDS = 300

/**
 * A synchronizer of TinyBase over a WebSocket, through its documented `createCustomSynchronizer`.
 * The one that it brings refuses messages of more than 16 MiB, which these contents exceed.
 * @param {(text: string) => void} send
 * @returns the synchronizer, and a function that takes the messages of the other side
 */
export function createSocketSynchronizer(store, send) {
  let receive
  const synchronizer = createCustomSynchronizer(
    store,
    (_, requestId, message, body) =>
      send(
        JSON.stringify([requestId, message, body], (_, value) =>
          value === undefined ? NOTHING : value,
        ),
      ),
    (receiver) => {
      receive = receiver
    },
    () => {},
    TIMEOUT_SECONDS,
    undefined,
    undefined,
    (error) => console.error(`tinybase: ${error}`),
  )
  const take = (text) => {
    const [requestId, message, body] = JSON.parse(text, (_, value) =>
      value === NOTHING ? undefined : value,
    )
    receive('other', requestId, message, body)
  }
  return { synchronizer, take }
}
