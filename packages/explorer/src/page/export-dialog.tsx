import { useEffect, useRef, useState } from 'preact/hooks'
import { exportAll, type Format } from './export-data.ts'
import { Modal } from './modal.tsx'
import type { DataClass } from './model.ts'
import { Progress } from './progress.tsx'
import type { RowsSet } from './rows-set.ts'
import type { Scene } from './scene.ts'

interface ExportDialogProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  /** The number of the rows. */
  readonly count: number
  /** Resolves to the rows to export. */
  readonly find: () => Promise<RowsSet>
  readonly close: () => void
}

/** Saves the shown columns of rows as a file, with progress and cancel. */
export function ExportDialog(props: ExportDialogProps) {
  const { scene, dataClass, columns, find, close } = props
  // The selection may change while the dialog is open.
  const [count] = useState(props.count)
  const { ask, notify, now } = scene
  const dialog = useRef<HTMLDialogElement>(null)
  const [stop] = useState(() => new AbortController())
  const [done, setDone] = useState<number | null>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => () => stop.abort(), [])
  const run = async (format: Format) => {
    setDone(0)
    try {
      const rows = await find()
      const { signal } = stop
      const file = await exportAll(ask, rows, dataClass, columns, format, signal, setDone).finally(
        rows.release,
      )
      const link = document.createElement('a')
      link.href = URL.createObjectURL(file.content)
      link.download = `${dataClass.name}.${format}`
      link.click()
      URL.revokeObjectURL(link.href)
      notify(`Exported ${file.count.toLocaleString('en')} of ${dataClass.name}.`)
      dialog.current?.close()
    } catch (error) {
      if (stop.signal.aborted) return
      setProblem(error instanceof Error ? error.message : 'The export failed.')
      setDone(null)
    }
  }
  return (
    <Modal
      dialog={dialog}
      id="export"
      title={`Export ${count.toLocaleString('en')} of ${dataClass.name}`}
      problem={problem}
      close={close}
      actions={
        <>
          <button type="button" disabled={done !== null} onClick={() => run('csv')}>
            CSV
          </button>
          <button type="button" disabled={done !== null} onClick={() => run('json')}>
            JSON
          </button>
        </>
      }
    >
      <p>
        The shown columns of these rows. To-many relations, images and BLOBs are left out. In CSV,
        texts that begin like a formula get an apostrophe.
      </p>
      {done !== null && <Progress label="Exported entities" done={done} of={count} now={now} />}
    </Modal>
  )
}
