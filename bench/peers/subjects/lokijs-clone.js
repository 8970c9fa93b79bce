import { lokiOperations } from '../operations/loki.js'
import { versionOf } from '../package-version.js'

/** LokiJS that clones what it hands out, by the cheapest of its methods. @type {import('../../subjects/subject.js').Subject} */
export default {
  name: 'lokijs-clone',
  version: `${versionOf('lokijs')}, clone: true`,
  open: (data) => lokiOperations(data, { clone: true, cloneMethod: 'shallow-assign' }),
}
