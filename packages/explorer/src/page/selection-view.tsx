import { useEffect, useState } from 'preact/hooks'
import { pageSize, selectionParameters, selectionPath } from './addresses.ts'
import { AggregatesView } from './aggregates.tsx'
import { withColumns } from './column-layout.ts'
import { Columns } from './columns.tsx'
import { EntityPanel } from './entity-panel.tsx'
import { Facets } from './facets.tsx'
import { FilterBox } from './filter-box.tsx'
import { filtersFrom, historyKey, withNewest } from './filter-history.ts'
import { Grid } from './grid.tsx'
import { HistoryMenu } from './history-menu.tsx'
import { Icon } from './icon.tsx'
import { type DataClass, defaultColumns, listOf, membersOf } from './model.ts'
import { MoreMenu } from './more-menu.tsx'
import { Pager } from './pager.tsx'
import { hashOf, placeOf } from './place.ts'
import { PlanView } from './plan-view.tsx'
import { Problem } from './problem.tsx'
import { Resizer, useStoredWidth } from './resizer.tsx'
import type { Scene } from './scene.ts'
import { copyRows, SelectionBar } from './selection-bar.tsx'
import { type SelectionAction, SelectionDialogs } from './selection-dialogs.tsx'
import { Smaller } from './smaller.tsx'
import { store, stored } from './storage.ts'
import { Toolbar } from './toolbar.tsx'
import { Trail } from './trail.tsx'
import { useAnswer } from './use-answer.ts'
import { useFollow } from './use-follow.ts'
import { useFresh } from './use-fresh.ts'
import { useReturnFocus } from './use-return-focus.ts'
import { useSelected } from './use-selected.ts'
import { ViewsMenu } from './views-menu.tsx'

interface SelectionViewProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  /** The name of the shown entity set, or null. */
  readonly setLabel: string | null
  readonly keep: () => void
}

/** Entities of one dataclass: filter, grid, plan, aggregates, and the open entity. */
export function SelectionView({ scene, dataClass, setLabel, keep }: SelectionViewProps) {
  const { place, go, ask, model, version, counted } = scene
  const columns = place.columns ?? defaultColumns(dataClass)
  const path = selectionPath(place)
  const parameters = {
    ...selectionParameters(place),
    $attributes: columns.join(','),
    $skip: place.page * pageSize,
    $top: pageSize,
  }
  const key = JSON.stringify([path, parameters])
  // Request to-many relations as addresses: the grid does not show their entities.
  const shown = {
    ...parameters,
    $attributes:
      columns.filter((name) => !isToMany(dataClass, name)).join(',') || dataClass.key || '',
  }
  const [hasFacets, setHasFacets] = useState(false)
  const [action, setAction] = useState<SelectionAction>(null)
  const [reloads, setReloads] = useState(0)
  const { value, valueKey, refusal, isLoading } = useAnswer(
    key,
    (signal) => ask(path, { parameters: shown, signal }),
    `${version} ${reloads}`,
  )
  const [history, setHistory] = useState(() =>
    filtersFrom(stored(historyKey(model.name, dataClass.name))),
  )
  const answer = membersOf(value)
  const entities = listOf(answer.__ENTITIES)
  const count = value === null ? null : Number(answer.__COUNT ?? 0)
  const isFilterWrong =
    refusal !== null && refusal.status === 400 && !refusal.isTooExpensive && place.filter !== ''
  const isBroken = refusal !== null && (refusal.status === 0 || refusal.status >= 500)
  const fresh = useFresh(valueKey, entities)
  const following = useFollow(scene, {
    path,
    parameters: {
      ...selectionParameters(place),
      $attributes: dataClass.key ?? '',
      $skip: place.page * pageSize,
      $top: pageSize,
    },
    stamp: valueKey === key ? Number(answer.__GlobalStamp) : null,
    answer: refusal ?? value,
    isBroken,
    // The stream runs the query once more: the page comes first.
    isShown: place.view === 'rows' && (isBroken || (refusal === null && valueKey === key)),
    reload: () => setReloads((before) => before + 1),
  })
  useEffect(() => {
    const isWhole = place.filter === '' && place.set === null && place.via.length === 0
    if (isWhole && valueKey === key && count !== null) counted(dataClass.name, count)
  }, [value])
  const [panelWidth, resizePanel] = useStoredWidth('entia panel width', 390)
  useReturnFocus(place.open)
  const selecting = useSelected(place)
  const apply = (filter: string) => {
    if (filter !== '') {
      const next = withNewest(history, filter)
      setHistory(next)
      store(historyKey(model.name, dataClass.name), JSON.stringify(next))
    }
    go({ ...place, filter, page: 0, open: null })
  }
  return (
    <div class="selection">
      <div class="head">
        {scene.menu}
        <Trail scene={scene} dataClass={dataClass} setLabel={setLabel} />
        <Toolbar scene={scene} following={following} reload={scene.changed}>
          <HistoryMenu scene={scene} />
          {place.view === 'rows' && (
            <Columns
              dataClass={dataClass}
              columns={columns}
              choose={(next) => go(withColumns(place, dataClass, next))}
              reset={
                place.columns === null && place.widths.length === 0
                  ? null
                  : () => go({ ...place, columns: null, widths: [] })
              }
            />
          )}
          <ViewsMenu scene={scene} dataClass={dataClass} />
          <button
            type="button"
            class="quiet"
            aria-pressed={hasFacets}
            title="The most frequent values, to narrow the filter"
            onClick={() => setHasFacets(!hasFacets)}
          >
            <Icon name="values" />
            <span class="label">Values</span>
          </button>
          <button
            type="button"
            class="quiet"
            aria-label={`New ${dataClass.name}`}
            onClick={() => go({ ...place, open: '' })}
          >
            <Icon name="new" />
            New
          </button>
          <MoreMenu
            scene={scene}
            columns={columns}
            isRefused={refusal !== null}
            isEmpty={count === 0}
            keep={keep}
            open={setAction}
          />
        </Toolbar>
      </div>
      <div class="beside">
        <div class="work">
          <FilterBox
            key={dataClass.name}
            ask={ask}
            model={model}
            dataClass={dataClass}
            filter={place.filter}
            messages={isFilterWrong ? refusal.messages : []}
            history={history}
            apply={apply}
          />
          {hasFacets && <Facets scene={scene} dataClass={dataClass} />}
          {refusal !== null && !isFilterWrong && (
            <>
              <Problem refusal={refusal}>
                {refusal.isTooExpensive && <Smaller scene={scene} dataClass={dataClass} isSorted />}
              </Problem>
              {place.set !== null && refusal.status === 404 && (
                <p class="empty">
                  The set is gone.{' '}
                  <a href={hashOf(placeOf(dataClass.name))}>All of {dataClass.name}</a>
                </p>
              )}
            </>
          )}
          {refusal === null && place.view === 'plan' && (
            <PlanView scene={scene} dataClass={dataClass} />
          )}
          {refusal === null && place.view === 'chart' && (
            <AggregatesView scene={scene} dataClass={dataClass} />
          )}
          {place.view === 'rows' && (
            <SelectionBar
              scene={scene}
              dataClass={dataClass}
              columns={columns}
              count={count ?? 0}
              selecting={selecting}
              isShown={refusal === null}
            />
          )}
          {place.view === 'rows' && count !== null && (
            <Grid
              scene={scene}
              dataClass={dataClass}
              columns={columns}
              entities={entities}
              count={count}
              isLoading={isLoading || refusal !== null}
              fresh={fresh}
              selecting={selecting}
              copySelected={() => copyRows(scene, dataClass, columns, count, selecting, 'tsv')}
              paste={setAction}
            />
          )}
          {place.view === 'rows' && (
            <div class="foot">
              {refusal === null ? (
                <Pager scene={scene} count={count} />
              ) : (
                count !== null && <p class="note">The entities shown before this error.</p>
              )}
            </div>
          )}
        </div>
        {place.open !== null && (
          <>
            <Resizer label="panel" side="right" width={panelWidth} resize={resizePanel} />
            <div class="panel-frame" style={{ '--width': `${panelWidth}px` }}>
              {/* A separate instance per entity: a late response must not appear in another form. */}
              <EntityPanel
                key={place.open}
                scene={scene}
                dataClass={dataClass}
                entityKey={place.open}
                stamp={stampOf(entities, place.open)}
              />
            </div>
          </>
        )}
      </div>
      <SelectionDialogs
        scene={scene}
        dataClass={dataClass}
        columns={columns}
        count={count ?? 0}
        action={action}
        close={() => setAction(null)}
      />
    </div>
  )
}

/** The stamp of an entity of the shown page. */
function stampOf(entities: readonly unknown[], key: string): unknown {
  return membersOf(entities.find((entity) => membersOf(entity).__KEY === key)).__STAMP
}

function isToMany({ attributes }: DataClass, name: string): boolean {
  return attributes.some((one) => one.name === name && one.kind === 'relatedEntities')
}
