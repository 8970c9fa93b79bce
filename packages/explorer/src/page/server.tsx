import type { Operator } from './operator.ts'
import { hashOf, placeOfTool, type Tool } from './place.ts'
import type { Scene } from './scene.ts'
import { ServerIndexes } from './server-indexes.tsx'
import { ServerRequests } from './server-requests.tsx'
import { ServerSizes } from './server-sizes.tsx'
import { ServerStorage } from './server-storage.tsx'
import { ServerStreams } from './server-streams.tsx'

export const toolTitles: { readonly [T in Tool]: string } = {
  console: 'Console',
  requests: 'Requests',
  sizes: 'Sizes',
  indexes: 'Indexes',
  streams: 'Streams',
  storage: 'Storage',
}

type ServerTool = Exclude<Tool, 'console'>

const serverTools: readonly ServerTool[] = ['requests', 'sizes', 'indexes', 'streams', 'storage']

interface ServerProps {
  readonly scene: Scene
  /** Null for a user who may not look. */
  readonly operator: Operator | null
  readonly tool: ServerTool
}

/** What operators see of the server, in parts. */
export function Server({ scene, operator, tool }: ServerProps) {
  return (
    <section class="server" aria-labelledby="server-title">
      <div class="head">
        {scene.menu}
        <h1 id="server-title">Server</h1>
        <nav class="views" aria-label="Parts of the server">
          {serverTools.map((one) => (
            <a
              key={one}
              href={hashOf(placeOfTool(one))}
              aria-current={one === tool ? 'page' : undefined}
            >
              {toolTitles[one]}
            </a>
          ))}
        </nav>
      </div>
      {operator === null ? (
        <p class="empty">
          The server shows this only to its operators. The host decides who they are, with the
          option <code>operator</code> or <code>entia serve --operator</code>.
        </p>
      ) : (
        <Part scene={scene} operator={operator} tool={tool} />
      )}
    </section>
  )
}

interface PartProps {
  readonly scene: Scene
  readonly operator: Operator
}

function Part({ tool, ...props }: PartProps & { readonly tool: ServerTool }) {
  switch (tool) {
    case 'requests':
      return <ServerRequests {...props} />
    case 'sizes':
      return <ServerSizes {...props} />
    case 'indexes':
      return <ServerIndexes {...props} />
    case 'streams':
      return <ServerStreams {...props} />
    case 'storage':
      return <ServerStorage {...props} />
  }
}
