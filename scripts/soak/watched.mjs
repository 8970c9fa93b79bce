/**
 * Loaded into the served process before anything else (`--import`): measures it when the parent asks. The
 * module served is the one that this imports, so that the store is the same.
 */
process.on(
  'message',
  async (/** @type {{ readonly ask: 'measure' | 'look' | 'verify', readonly module: string }} */ { ask, module }) => {
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
    // Twice: what finalisers let go of is collected by the second.
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
// A parent that was killed leaves no server behind.
process.once('disconnect', () => process.exit())
// The channel to the parent keeps no server running that was told to stop.
process.channel?.unref()
