/**
 * Sends the version of the subject, then answers the requests of the parent process one at a time.
 * @param {Record<string, (parameters: any) => unknown>} commands   by name
 * @param {string} version
 */
export function serveCommands(commands, version) {
  process.on('message', async ({ command, ...parameters }) => {
    try {
      process.send({ answer: await commands[command](parameters) })
    } catch (error) {
      process.send({
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
    }
  })
  process.send({ answer: { version } })
}
