import type { AnyDataStore } from '@entia/core'
import {
  type Awaitable,
  createLocalEngine,
  ENGINE,
  type Engine,
  type EngineSessions,
  type Served,
} from '@entia/engine'

const laterTask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The same call, begun in a later task of the event loop and answered in one after that. */
const later =
  <A extends unknown[], R>(call: (...given: A) => Awaitable<R>) =>
  async (...given: A): Promise<R> => {
    await laterTask()
    try {
      return await call(...given)
    } finally {
      await laterTask()
    }
  }

const sessionsOf = ({ whenEnded, ...sessions }: EngineSessions): EngineSessions => ({
  open: later(sessions.open),
  touch: later(sessions.touch),
  login: later(sessions.login),
  identified: later(sessions.identified),
  close: later(sessions.close),
  whenEnded: (session, ended) => {
    const { check, stop } = whenEnded(session, ended)
    return { check: () => void laterTask().then(check), stop }
  },
})

/** An engine that answers no call in the same task, like one over a network. */
function asyncEngineOf(engine: Engine): Engine {
  return {
    catalog: engine.catalog,
    instanceId: engine.instanceId,
    features: engine.features,
    lastCommit: null,
    position: null,
    sessions: sessionsOf(engine.sessions),
    observation: engine.observation,
    operating: engine.operating,
    replicas: null,
    readEntity: later(engine.readEntity),
    readSelection: later(engine.readSelection),
    follow: later(engine.follow),
    compute: later(engine.compute),
    distinct: later(engine.distinct),
    group: later(engine.group),
    write: later(engine.write),
    remove: later(engine.remove),
    lock: later(engine.lock),
    unlock: later(engine.unlock),
    ping: later(engine.ping),
    info: later(engine.info),
    metrics: later(engine.metrics),
    upload: later(engine.upload),
    uploaded: later(engine.uploaded),
    call: later(engine.call),
    releaseEntitySet: later(engine.releaseEntitySet),
    releaseEntitySets: later(engine.releaseEntitySets),
  }
}

/** A store to be served by an asynchronous engine. */
export const servedLater = (store: AnyDataStore): Served => ({
  catalog: store.catalog,
  [ENGINE]: ({ host, maxWaitingReads }) =>
    asyncEngineOf(createLocalEngine(store, host.nextSlice, maxWaitingReads)),
  close: () => store.close(),
})
