import { useMemo, useRef, useState } from 'preact/hooks'
import { ClassBox } from './class-box.tsx'
import { type Box, boxWidth, type Direction, layOutModel, neighbourOf } from './diagram-layout.ts'
import { placeOf } from './place.ts'
import type { Scene } from './scene.ts'
import { useCamera } from './use-camera.ts'
import { useSize } from './use-size.ts'
import { centerOn, reveal, type Size } from './zoom.ts'

/** Below this scale attributes are unreadable, and a box shows only its name. */
const readableScale = 0.5

/** The catalog: a box per dataclass and a line per relation. A click shows the entities. */
export function DiagramView({ scene }: { scene: Scene }) {
  const [element, frame] = useSize<HTMLDivElement>()
  return (
    <div class="diagram">
      <div class="diagram-frame" ref={element}>
        {frame !== null && frame.width > 0 && frame.height > 0 && (
          <Zoomable scene={scene} frame={frame} />
        )}
      </div>
      <p class="legend">
        <span class="mark">◆</span> key <span class="mark">●</span> index{' '}
        <span class="mark">◉</span> unique <span class="mark">→</span> to one{' '}
        <span class="mark">⇉</span> to many <span class="mark">ƒ</span> computed or alias{' '}
        <span class="mark">*</span> not null
      </p>
    </div>
  )
}

function Zoomable({ scene, frame }: { scene: Scene; frame: Size }) {
  const { model, memory, go } = scene
  const diagram = useMemo(() => layOutModel(model, frame), [model, frame.width, frame.height])
  const { camera, show, zoomIn, zoomOut, showAll, handlers } = useCamera({ memory, diagram, frame })
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(diagram.boxes[0]?.dataClass.name)
  const wanted = search.trim().toLowerCase()
  const isFound = ({ dataClass }: Box) => dataClass.name.toLowerCase().includes(wanted)
  const found = diagram.boxes.filter(isFound)
  const partOf = ({ x, y, height }: Box) => ({ x, y, width: boxWidth, height })

  const findNext = () => {
    const at = found.findIndex(({ dataClass }) => dataClass.name === active)
    const next = found[(at + 1) % found.length]
    if (next === undefined) return
    setActive(next.dataClass.name)
    show(centerOn(camera, partOf(next), frame))
  }
  const onSearchKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') findNext()
    else if (event.key === 'Escape' && search !== '') setSearch('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onBoxKey = (event: KeyboardEvent) => {
    const from = diagram.boxes.find(({ dataClass }) => dataClass.name === active)
    if (event.shiftKey || !isDirection(event.key) || from === undefined) return
    event.preventDefault()
    const next = neighbourOf(diagram.boxes, from, event.key)
    if (next === null) return
    const links = (event.currentTarget as Element).querySelectorAll<SVGElement>('[data-class]')
    for (const link of links) if (link.dataset.class === next.dataClass.name) link.focus()
  }
  // The boxes are rendered once, but a focused box moves the latest camera.
  const latest = useRef({ camera, show })
  latest.current = { camera, show }
  const boxes = useMemo(
    () =>
      diagram.boxes.map((box) => (
        <ClassBox
          key={box.dataClass.name}
          box={box}
          tabIndex={box.dataClass.name === active ? 0 : -1}
          isDimmed={wanted !== '' && !isFound(box)}
          open={() => go(placeOf(box.dataClass.name))}
          focused={(event) => {
            setActive(box.dataClass.name)
            // A box that moves when the pointer goes down would miss the click.
            if (!(event.currentTarget as Element).matches(':focus-visible')) return
            const { current } = latest
            current.show(reveal(current.camera, partOf(box), frame))
          }}
        />
      )),
    [diagram, active, wanted],
  )
  const lines = useMemo(
    () =>
      diagram.lines.map((line) => (
        <path class="relation" key={`${line.from}.${line.attribute}`} d={line.path}>
          <title>{`${line.from}.${line.attribute} → ${line.to}`}</title>
        </path>
      )),
    [diagram],
  )
  return (
    <div class="zoomable" {...handlers}>
      <div class="zoom-tools">
        <input
          type="search"
          aria-label="Find in the diagram"
          placeholder="Find"
          autocomplete="off"
          spellcheck={false}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={onSearchKey}
        />
        <output class="note">{wanted === '' ? '' : found.length}</output>
        <button
          type="button"
          class="quiet"
          aria-label="Zoom out"
          title="Zoom out (−)"
          onClick={zoomOut}
        >
          −
        </button>
        <output class="note scale">{Math.round(camera.scale * 100)}%</output>
        <button
          type="button"
          class="quiet"
          aria-label="Zoom in"
          title="Zoom in (+)"
          onClick={zoomIn}
        >
          +
        </button>
        <button type="button" class="quiet" title="Show all (0)" onClick={showAll}>
          Fit
        </button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no HTML group. */}
      <svg
        class={`${camera.scale < readableScale ? 'far' : ''} ${wanted === '' ? '' : 'searching'}`}
        role="group"
        aria-label="Dataclasses and relations"
        onKeyDown={onBoxKey}
      >
        <g transform={`translate(${camera.x} ${camera.y}) scale(${camera.scale})`}>
          {lines}
          {boxes}
        </g>
      </svg>
    </div>
  )
}

function isDirection(key: string): key is Direction {
  return key === 'ArrowLeft' || key === 'ArrowRight' || key === 'ArrowUp' || key === 'ArrowDown'
}
