import { useRef, useState } from 'preact/hooks'
import type { Parameters } from './addresses.ts'
import { Refusal } from './api.ts'
import { ConsoleHistory } from './console-history.tsx'
import {
  type ConsoleQuery,
  consoleKey,
  consoleRows,
  curlOf,
  parametersOf,
  problemOfValues,
  queriesFrom,
  typeScriptOf,
  withNewestQuery,
} from './console-query.ts'
import { ConsoleRows } from './console-rows.tsx'
import { copyText } from './copy-text.ts'
import { FilterBox } from './filter-box.tsx'
import { listOf, membersOf } from './model.ts'
import { timeText } from './operator.ts'
import { hashOf, placeOf } from './place.ts'
import { explainTreeOf } from './plan-tree.ts'
import { PlanTree } from './plan-view.tsx'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { Smaller } from './smaller.tsx'
import { store, stored } from './storage.ts'

/** How a run of the console ended. */
interface Outcome {
  readonly query: ConsoleQuery
  readonly answer: unknown
  readonly refusal: Refusal | null
  readonly milliseconds: number
}

/** Runs filters and shows their count, time, plan and first rows. */
export function Console({ scene }: { scene: Scene }) {
  const { model, ask, base, notify, now } = scene
  const key = consoleKey(model.name)
  const [history, setHistory] = useState(() => queriesFrom(stored(key)))
  const known = [...model.classes.values()]
  const [query, setQuery] = useState<ConsoleQuery>(() => ({
    dataClass:
      history.find((one) => model.classes.has(one.dataClass))?.dataClass ?? known[0]?.name ?? '',
    filter: '',
    values: '',
    order: '',
    attributes: '',
  }))
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [isRunning, setIsRunning] = useState(false)
  const stop = useRef<AbortController | null>(null)
  const dataClass = model.classes.get(query.dataClass)
  if (dataClass === undefined) return <p class="empty">The store has no dataclass to ask for.</p>
  const change = (part: Partial<ConsoleQuery>) => setQuery({ ...query, ...part })
  const valuesProblem = problemOfValues(query.values)
  const run = async (next: ConsoleQuery) => {
    setQuery(next)
    if (problemOfValues(next.values) !== null) return
    stop.current?.abort()
    const own = new AbortController()
    stop.current = own
    const kept = withNewestQuery(history, next)
    setHistory(kept)
    store(key, JSON.stringify(kept))
    setIsRunning(true)
    const began = now()
    const ended = (answer: unknown, refusal: Refusal | null) => {
      if (stop.current !== own) return
      setIsRunning(false)
      setOutcome({ query: next, answer, refusal, milliseconds: now() - began })
    }
    const answerTo = (parameters: Parameters) =>
      ask(encodeURIComponent(next.dataClass), {
        parameters: { ...parametersOf(next), ...parameters },
        signal: own.signal,
      })
    try {
      const answer = await answerTo({ $explain: 'true' }).catch((error) => {
        // The counts of a plan cost more than the entities.
        if (error instanceof Refusal && error.isTooExpensive) return answerTo({})
        throw error
      })
      ended(answer, null)
    } catch (error) {
      if (error instanceof Refusal) ended(null, error)
      else if (stop.current === own) setIsRunning(false)
    }
  }
  /** What offers smaller queries reads and changes the place. */
  const sceneOf = ({ dataClass, filter, order }: ConsoleQuery): Scene => ({
    ...scene,
    place: placeOf(dataClass, { filter, order }),
    go: ({ filter, order }) => void run({ ...query, filter, order }),
  })
  const copy = async (text: string) =>
    notify((await copyText(text)) ? `Copied: ${text}` : 'The browser did not copy it.')
  const refusal = outcome?.refusal ?? null
  const isOfFilter = refusal?.status === 400 && !refusal.isTooExpensive && query.filter !== ''
  const wrong = isOfFilter && outcome?.query.filter === query.filter ? refusal : null
  return (
    <section class="console" aria-labelledby="console-title">
      <div class="head">
        {scene.menu}
        <h1 id="console-title">Console</h1>
        <select
          aria-label="Dataclass"
          value={query.dataClass}
          onChange={(event) => {
            const { value } = event.currentTarget
            change({ dataClass: value, order: '', attributes: '' })
          }}
        >
          {known.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <FilterBox
        ask={ask}
        model={model}
        dataClass={dataClass}
        filter={query.filter}
        messages={wrong?.messages ?? []}
        history={history
          .filter((one) => one.dataClass === query.dataClass && one.filter !== '')
          .map(({ filter }) => filter)}
        apply={(filter) => run({ ...query, filter })}
        edited={(filter) => change({ filter })}
        submitLabel={isRunning ? 'Running …' : 'Run'}
      >
        <div class="console-fields">
          <Field
            label="Values of :1, :2 …"
            placeholder='[50000, "Paris"]'
            value={query.values}
            problem={valuesProblem}
            set={(values) => change({ values })}
          />
          <Field
            label="Order"
            placeholder={`${dataClass.key ?? 'name'} desc`}
            value={query.order}
            set={(order) => change({ order })}
          />
          <Field
            label="Attributes"
            placeholder="all stored values"
            value={query.attributes}
            set={(attributes) => change({ attributes })}
          />
          {isRunning && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                stop.current?.abort()
                stop.current = null
                setIsRunning(false)
              }}
            >
              Cancel
            </button>
          )}
        </div>
      </FilterBox>
      <div class="console-body">
        <div class="console-results">
          <p class="actions">
            <button
              type="button"
              class="quiet"
              onClick={() => copy(curlOf(location.origin, base, query))}
            >
              Copy as curl
            </button>
            <button type="button" class="quiet" onClick={() => copy(typeScriptOf(query))}>
              Copy as TypeScript
            </button>
          </p>
          {refusal !== null && wrong === null && (
            <Problem refusal={refusal}>
              {refusal.isTooExpensive && (
                <Smaller scene={sceneOf(query)} dataClass={dataClass} isSorted />
              )}
            </Problem>
          )}
          {outcome !== null && outcome.refusal === null && (
            <Found outcome={outcome} scene={scene} />
          )}
          {outcome === null && (
            <p class="empty">
              Write a filter and press Enter. Arrow up recalls earlier ones of this dataclass.
            </p>
          )}
        </div>
        <ConsoleHistory
          history={history}
          recall={(one) => run(one)}
          clear={() => {
            setHistory([])
            store(key, '[]')
          }}
          isKnown={(name) => model.classes.has(name)}
        />
      </div>
    </section>
  )
}

interface FieldProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly problem?: string | null
  readonly set: (value: string) => void
}

function Field({ label, placeholder, value, problem = null, set }: FieldProps) {
  return (
    <label>
      {label}
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        aria-invalid={problem !== null}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {problem !== null && <span class="field-problem">{problem}</span>}
    </label>
  )
}

function Found({ outcome, scene }: { outcome: Outcome; scene: Scene }) {
  const { query, answer, milliseconds } = outcome
  const { __COUNT, __ENTITIES, __explain } = membersOf(answer)
  const count = Number(__COUNT ?? 0)
  const tree = explainTreeOf(membersOf(__explain).root)
  const dataClass = scene.model.classes.get(query.dataClass)
  return (
    <>
      <p role="status">
        <b>
          {count.toLocaleString('en')} {count === 1 ? 'entity' : 'entities'}
        </b>{' '}
        <span class="note">in {timeText(milliseconds)}, with the way to the server</span>{' '}
        {query.values.trim() === '' && (
          <a href={hashOf(placeOf(query.dataClass, { filter: query.filter, order: query.order }))}>
            Open in the grid
          </a>
        )}
      </p>
      {dataClass !== undefined && count > 0 && (
        <ConsoleRows
          dataClass={dataClass}
          attributes={query.attributes}
          entities={listOf(__ENTITIES)}
        />
      )}
      {count > consoleRows && <p class="note">The first {consoleRows} are shown.</p>}
      {tree === null ? (
        <p class="note">The plan is not shown: the server does not count its parts.</p>
      ) : (
        <>
          <h2>Plan</h2>
          <PlanTree tree={tree} label="Plan" />
        </>
      )}
    </>
  )
}
