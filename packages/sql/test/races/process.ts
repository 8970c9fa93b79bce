// One process of `npm run test:long -- races`: carries out the commands of the process that forked
// it.
import { answerParent } from './child.ts'
import { type Command, localPlayer } from './player.ts'

const player = await localPlayer(JSON.parse(process.argv[2]!))

answerParent(async (command: Command | { readonly kind: 'close' }): Promise<unknown> => {
  switch (command.kind) {
    case 'ask':
      return player.ask(command.asked)
    case 'locks':
      return player.locks(command.plan)
    case 'histories':
      return player.histories(command.plan)
    case 'moments':
      return player.moments(command.plan)
    case 'close':
      return player.close()
  }
})
