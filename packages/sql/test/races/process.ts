// One process of `npm run test:races:sql`: carries out the commands of the process that forked it.
import { type Command, localPlayer } from './player.ts'

const player = await localPlayer(JSON.parse(process.argv[2]!))

async function carryOut(command: Command | { readonly kind: 'close' }): Promise<unknown> {
  switch (command.kind) {
    case 'ask':
      return player.ask(command.asked)
    case 'locks':
      return player.locks(command.plan)
    case 'histories':
      return player.histories(command.plan)
    case 'close':
      return player.close()
  }
}

process.on('message', async ({ id, command }: { id: number; command: Command }) => {
  try {
    process.send!({ id, value: await carryOut(command) })
  } catch (error) {
    process.send!({ id, error: error instanceof Error ? `${error.stack}` : String(error) })
  }
})
// The process that forked this one has ended.
process.on('disconnect', () => process.exit())
process.send!('ready')
