import pg from 'pg'

/** What a connection of `pg` knows of its server, beyond its types. */
interface ServerOf {
  readonly host: string
  readonly port: number
  readonly ssl: pg.ClientConfig['ssl']
  readonly processID: number | null
  readonly secretKey: number | null
}

/** The part of a connection of `pg` that a request to cancel needs. */
interface Wire {
  on(event: 'connect' | 'sslconnect' | 'error', listener: () => void): void
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

/**
 * Asks a server to end the statement that a connection runs, as PostgreSQL takes it: over another
 * connection, with the key of the first one. It has no answer. A request that is lost changes
 * nothing: the limit of the statement's time remains.
 */
export function cancelStatement(client: pg.ClientBase): void {
  const { host, port, ssl, processID, secretKey } = client as unknown as ServerOf
  if (processID === null || secretKey === null) return
  const other = new pg.Client({ host, port, ...(ssl === undefined ? {} : { ssl }) })
  const { connection: wire } = other as unknown as { readonly connection: Wire }
  const cancel = (): void => wire.cancel(processID, secretKey)
  wire.on('error', () => {})
  wire.on('connect', () => {
    if (ssl) wire.requestSsl()
    else cancel()
  })
  wire.on('sslconnect', cancel)
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`)
  else wire.connect(port, host)
}
