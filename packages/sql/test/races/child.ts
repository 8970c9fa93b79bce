import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

/** A process that carries out orders. */
export interface Child {
  readonly pid: number
  /** Rejects if the order fails, or if the process has ended. */
  tell<T>(order: object): Promise<T>
  end(): Promise<void>
}

const TYPESCRIPT = [
  '--conditions=entia-source',
  '--import',
  new URL('../../../../scripts/typescript-processes.mjs', import.meta.url).href,
]

/** Starts a module that calls `answerParent`. `argument` is its third argument, as JSON. */
export async function startChild(module: URL, argument: unknown): Promise<Child> {
  const child = fork(module, [JSON.stringify(argument)], {
    execArgv: TYPESCRIPT,
    serialization: 'advanced',
  })
  const open = new Map<number, (answer: Answer) => void>()
  let count = 0
  let hasEnded: string | null = null
  child.on('message', (answer: Answer) => {
    open.get(answer.id)?.(answer)
    open.delete(answer.id)
  })
  child.on('exit', (code) => {
    hasEnded = `The process ended with ${code}.`
    for (const [id, settle] of open) settle({ id, error: hasEnded })
  })
  await started(child)
  return {
    pid: child.pid!,
    async tell<T>(order: object): Promise<T> {
      if (hasEnded !== null) throw new Error(hasEnded)
      const id = count++
      const answer = await new Promise<Answer>((resolve) => {
        open.set(id, resolve)
        child.send({ id, order })
      })
      if (answer.error !== undefined) throw new Error(answer.error)
      return answer.value as T
    },
    async end() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

async function started(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process ended with ${code} before it began.`)
  })
  await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
}

/** The other side: carries out the orders of the process that forked this one, until that ends. */
export function answerParent<O>(carryOut: (order: O) => Promise<unknown>): void {
  process.on('message', async ({ id, order }: { id: number; order: O }) => {
    try {
      process.send!({ id, value: await carryOut(order) })
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? `${error.stack}` : String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send!('ready')
}
