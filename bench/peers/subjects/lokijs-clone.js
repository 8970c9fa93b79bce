import { lokiOperations } from '../operations/loki.js'
import { versionOf } from '../package-version.js'

/**
 * LokiJS that clones results with its cheapest method. @type
 * {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'lokijs-clone',
  version: `${versionOf('lokijs')}, clone: true`,
  open: (data) => lokiOperations(data, { clone: true, cloneMethod: 'shallow-assign' }),
}
