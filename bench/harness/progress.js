/**
 * A progress line: updated in place on a terminal, one line per workload elsewhere.
 * @param {import('node:tty').WriteStream | import('node:stream').Writable} stream
 */
export function progressLine(stream) {
  let lastWorkload = ''
  return {
    /** @param {{ workload: string, done: number, total: number, doing: string }} step */
    show({ workload, done, total, doing }) {
      if (stream.isTTY) stream.write(`\r\x1b[K[${done}/${total}] ${workload}  ${doing}`)
      else if (workload !== lastWorkload) stream.write(`[${done}/${total}] ${workload}\n`)
      lastWorkload = workload
    },
    clear() {
      if (stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
