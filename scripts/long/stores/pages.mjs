/** A store with pages of many megabytes: long texts (`Article`), short values (`Point`). */
import { attribute, createDataStore, defineDataClass } from '@entia/core'

/** A page of 14 MB. */
const ARTICLES = 1000
/** A page of 2.6 MB. */
const POINTS = 10_000

const Article = defineDataClass('Article', {
  ID: attribute.long({ key: true }),
  title: attribute.string(),
  text: attribute.string(),
})
const Point = defineDataClass('Point', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  kind: attribute.string(),
  ...Object.fromEntries(['x', 'y', 'z', 'heat', 'mass'].map((name) => [name, attribute.number()])),
  measured: attribute.date(),
})

const store = createDataStore({ name: 'pages', dataClasses: [Article, Point] })
store.Article.load(
  Array.from({ length: ARTICLES }, (_, at) => ({
    ID: at,
    title: `Article ${at}`,
    text: `${at} `.padEnd(14_000, 'lorem ipsum '),
  })),
)
store.Point.load(
  Array.from({ length: POINTS }, (_, at) => ({
    ID: at,
    name: `point ${at}`,
    kind: `kind ${at % 7}`,
    ...{ x: at / 3, y: at / 7, z: at / 11, heat: at / 13, mass: at / 17 },
    measured: new Date(1_700_000_000_000 + at * 1000),
  })),
)

export default store
