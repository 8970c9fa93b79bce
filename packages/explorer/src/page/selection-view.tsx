import { useState } from 'preact/hooks'
import { pageSize, selectionParameters, selectionPath } from './addresses.ts'
import { AggregatesView } from './aggregates.tsx'
import { Columns } from './columns.tsx'
import { EntityPanel } from './entity-panel.tsx'
import { FilterBox } from './filter-box.tsx'
import { filtersFrom, historyKey, withNewest } from './filter-history.ts'
import { Grid, Pager } from './grid.tsx'
import { attributeOf, type DataClass, defaultColumns, listOf, membersOf } from './model.ts'
import { hashOf, placeOf, type View } from './place.ts'
import { PlanView } from './plan-view.tsx'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { store, stored } from './storage.ts'
import { Trail } from './trail.tsx'
import { useAnswer } from './use-answer.ts'

const views: readonly (readonly [View, string])[] = [
  ['rows', 'Entities'],
  ['plan', 'Plan'],
  ['chart', 'Aggregates'],
]

interface SelectionViewProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  /** The name of the shown entity set, or null. */
  readonly setLabel: string | null
  readonly keep: () => void
}

/** Entities of one dataclass: filter, grid, plan, aggregates, and the open entity. */
export function SelectionView({ scene, dataClass, setLabel, keep }: SelectionViewProps) {
  const { place, go, ask, model, version } = scene
  const known = place.columns?.filter((name) => attributeOf(dataClass, name) !== undefined) ?? []
  const columns = known.length > 0 ? known : defaultColumns(dataClass)
  const path = selectionPath(place)
  const parameters = {
    ...selectionParameters(place),
    $attributes: columns.join(','),
    $skip: place.page * pageSize,
    $top: pageSize,
  }
  const key = JSON.stringify([path, parameters, version])
  // Request to-many relations as addresses: the grid does not show their entities.
  const shown = {
    ...parameters,
    $attributes:
      columns.filter((name) => !isToMany(dataClass, name)).join(',') || dataClass.key || '',
  }
  const { value, refusal, isLoading } = useAnswer(key, (signal) =>
    ask(path, { parameters: shown, signal }),
  )
  const [history, setHistory] = useState(() =>
    filtersFrom(stored(historyKey(model.name, dataClass.name))),
  )
  const answer = membersOf(value)
  const isFilterWrong = refusal !== null && refusal.status === 400 && place.filter !== ''
  const apply = (filter: string) => {
    if (filter !== '') {
      const next = withNewest(history, filter)
      setHistory(next)
      store(historyKey(model.name, dataClass.name), JSON.stringify(next))
    }
    go({ ...place, filter, page: 0, open: null })
  }
  return (
    <div class={`selection${place.open === null ? '' : ' with-panel'}`}>
      <div class="work">
        <Trail scene={scene} dataClass={dataClass} setLabel={setLabel} />
        <FilterBox
          key={dataClass.name}
          model={model}
          dataClass={dataClass}
          filter={place.filter}
          messages={isFilterWrong ? refusal.messages : []}
          history={history}
          apply={apply}
        />
        <div class="bar">
          <nav class="views" aria-label="Views">
            {views.map(([view, title]) => (
              <a
                key={view}
                href={hashOf({ ...place, view })}
                aria-current={place.view === view ? 'page' : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
          <span class="spring" />
          {place.view === 'rows' && (
            <Columns
              dataClass={dataClass}
              columns={columns}
              choose={(next) => go({ ...place, columns: next })}
            />
          )}
          <button type="button" class="quiet" onClick={keep} disabled={refusal !== null}>
            Keep this selection
          </button>
          <button type="button" class="quiet" onClick={() => go({ ...place, open: '' })}>
            New {dataClass.name}
          </button>
          {place.view === 'rows' && refusal === null && (
            <Pager scene={scene} count={Number(answer.__COUNT ?? 0)} />
          )}
        </div>
        {refusal !== null && !isFilterWrong && (
          <>
            <Problem refusal={refusal} />
            {place.set !== null && refusal.status === 404 && (
              <p class="empty">
                The set is gone.{' '}
                <a href={hashOf(placeOf(dataClass.name))}>All of {dataClass.name}</a>
              </p>
            )}
          </>
        )}
        {refusal === null && place.view === 'plan' && <PlanView scene={scene} />}
        {refusal === null && place.view === 'chart' && (
          <AggregatesView scene={scene} dataClass={dataClass} />
        )}
        {refusal === null && place.view === 'rows' && (
          <Grid
            scene={scene}
            dataClass={dataClass}
            columns={columns}
            entities={listOf(answer.__ENTITIES)}
            isLoading={isLoading}
          />
        )}
      </div>
      {place.open !== null && (
        // A separate instance per entity: a late response must not appear in another entity's form.
        <EntityPanel key={place.open} scene={scene} dataClass={dataClass} entityKey={place.open} />
      )}
    </div>
  )
}

function isToMany({ attributes }: DataClass, name: string): boolean {
  return attributes.some((one) => one.name === name && one.kind === 'relatedEntities')
}
