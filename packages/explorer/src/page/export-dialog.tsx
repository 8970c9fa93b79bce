import { useEffect, useRef, useState } from 'preact/hooks'
import { exportAll, type Format } from './export-data.ts'
import { Modal } from './modal.tsx'
import type { DataClass } from './model.ts'
import type { Scene } from './scene.ts'

interface ExportDialogProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  /** The size of the selection. */
  readonly count: number
  readonly close: () => void
}

/** Saves the shown columns of the whole selection as a file, with progress and cancel. */
export function ExportDialog({ scene, dataClass, columns, count, close }: ExportDialogProps) {
  const { ask, place, notify } = scene
  const dialog = useRef<HTMLDialogElement>(null)
  const [stop] = useState(() => new AbortController())
  const [done, setDone] = useState<number | null>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => () => stop.abort(), [])
  const run = async (format: Format) => {
    setDone(0)
    try {
      const report = (rows: number) => setDone(rows)
      const { signal } = stop
      const file = await exportAll(ask, place, dataClass, columns, format, signal, report)
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
        The shown columns of the whole selection. To-many relations, images and BLOBs are left out.
        In CSV, texts that begin like a formula get an apostrophe.
      </p>
      {done !== null && <progress aria-label="Exported entities" value={done} max={count} />}
    </Modal>
  )
}
