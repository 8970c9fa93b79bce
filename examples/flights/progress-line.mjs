/**
 * A line that shows the progress of a load. A terminal updates it; a file or a pipe gets its start
 * and end.
 * @param {NodeJS.WriteStream} stream
 * @param {string} title
 */
export function createProgressLine(stream, title) {
  const started = performance.now()
  const rewrite = (/** @type {string} */ text) => stream.write(`\r\x1b[K${title}: ${text}`)
  if (!stream.isTTY) stream.write(`${title} …\n`)
  return {
    /** @param {string} text */
    show(text) {
      if (stream.isTTY) rewrite(text)
    },
    /** @param {string} text */
    end(text) {
      const line = `${text} in ${Math.round(performance.now() - started)} ms`
      if (stream.isTTY) {
        rewrite(line)
        stream.write('\n')
      } else {
        stream.write(`${title}: ${line}\n`)
      }
    },
  }
}
