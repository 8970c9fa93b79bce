/** The part of a response that is used. */
interface StreamedResponse {
  readonly destroyed?: boolean
  on?(event: string, listener: (...args: unknown[]) => void): unknown
  write(body: string): unknown
  end(): unknown
}

/**
 * Writes texts as they arrive, each after the client has taken the one before. A disconnecting
 * client ends the stream.
 */
export async function sendStream(
  response: StreamedResponse,
  stream: AsyncIterable<string>,
): Promise<void> {
  const texts = stream[Symbol.asyncIterator]()
  let goOn = (): void => {}
  response.on?.('drain', () => goOn())
  response.on?.('close', () => {
    void texts.return?.()
    goOn()
  })
  for (;;) {
    const { done, value } = await texts.next()
    if (response.destroyed === true) return
    if (done === true) break
    if (response.write(value) !== false) continue
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  response.end()
}
