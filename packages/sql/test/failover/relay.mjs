// Passes on the bytes between clients and a server: node relay.mjs <own port> <port of the server>.
// Stopped by SIGSTOP it is a network that loses all packets.
import { connect, createServer } from 'node:net'

const [own, target] = process.argv.slice(2).map(Number)
createServer((client) => {
  const server = connect(target, '127.0.0.1')
  for (const [from, to] of [
    [client, server],
    [server, client],
  ]) {
    from.on('error', () => {})
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}).listen(own, '127.0.0.1', () => process.stdout.write('listening\n'))
