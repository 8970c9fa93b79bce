/**
 * Preloaded into the server process (`--import`): measures it at the parent's request. It imports
 * the served module and so has the same store.
 */
process.on(
  'message',
  async (
    /** @type {{ readonly ask: 'measure' | 'look' | 'verify', readonly module: string }} */ {
      ask,
      module,
    },
  ) => {
    /** @type {{ default: import('@entia/core').AnyDataStore }} */
    const { default: store } = await import(module)
    if (ask === 'verify') {
      try {
        store.verify()
        process.send?.({ verified: true, problem: null })
      } catch (error) {
        process.send?.({ verified: false, problem: String(error) })
      }
      return
    }
    // Twice: the second collection frees the objects that finalisers released.
    if (ask === 'measure') {
      globalThis.gc?.()
      await new Promise((resolve) => setImmediate(resolve))
      globalThis.gc?.()
    }
    const { heapUsed, rss, external, arrayBuffers } = process.memoryUsage()
    process.send?.({
      heapUsed,
      rss,
      external,
      arrayBuffers,
      sessions: store.sessions.size,
      entitySets: store.entitySets.size,
    })
  },
)
// The server exits if its parent is killed.
process.once('disconnect', () => process.exit())
// The channel to the parent must not keep a stopped server alive.
process.channel?.unref()
