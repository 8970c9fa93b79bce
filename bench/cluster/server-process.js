// One serving process: starts its server and reports the port.

const [serverUrl, place] = process.argv.slice(2)

// The parent has ended.
process.on('disconnect', () => process.exit())
try {
  const { default: server } = await import(serverUrl)
  process.send({ port: await server.start(JSON.parse(place)) })
} catch (error) {
  process.send({ error: error.message })
  process.exitCode = 1
  process.disconnect()
}
