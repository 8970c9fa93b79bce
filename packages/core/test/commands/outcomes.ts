const PLACES = [
  'init',
  'beforeSave',
  'validateSave',
  'validateRemove',
  'afterSave',
  'afterRemove',
  'listener',
]

/**
 * The possible outcomes of each kind of command: a long run must reach all of them, and no others.
 */
export const OUTCOMES: { readonly [kind: string]: readonly string[] } = {
  insert: words(
    'ok argumentInvalid attributeNotFound hookFailed keyEmpty keyNotUnique noRoom relationTargetMissing uniqueViolation validationFailed valueInvalid',
    'too many',
  ),
  update: words(
    'ok argumentInvalid attributeNotFound entityLocked entityNotFound hookFailed relationTargetMissing stampChanged',
    'uniqueViolation',
    'validationFailed',
    'valueInvalid',
  ),
  remove: words(
    'ok argumentInvalid entityLocked entityNotFound hookFailed removeRestricted stampChanged validationFailed',
  ),
  batch: [
    ...words(
      'ok argumentInvalid attributeNotFound attributeReadOnly entityLocked entityNotFound hookFailed keyEmpty keyNotUnique keyNull noRoom',
      'loadRefused',
      'relationTargetMissing',
      'removeRestricted',
      'stampChanged',
      'thrown',
      'uniqueViolation',
      'validationFailed',
      'valueInvalid',
    ).map((code) => `atomic ${code}`),
    ...words('ok argumentInvalid hopeless relationTargetMissing removeRestricted thrown').map(
      (code) => `lenient ${code}`,
    ),
    ...words('ok argumentInvalid thrown').map((code) => `separate ${code}`),
  ],
  'lenient load': words('ok loadRefused'),
  'separate load': words('ok loadRefused'),
  'lenient updateNone': ['ok'],
  'separate updateNone': ['ok'],
  dangling: ['look'],
  'lenient insert': words(
    'ok attributeNotFound hookFailed keyEmpty keyNotUnique keyNull noRoom uniqueViolation validationFailed valueInvalid',
  ),
  'lenient update': words(
    'ok attributeNotFound attributeReadOnly entityLocked entityNotFound hookFailed stampChanged uniqueViolation',
    'validationFailed',
    'valueInvalid',
  ),
  'lenient remove': words(
    'ok entityLocked entityNotFound hookFailed stampChanged validationFailed',
  ),
  'lenient look': words('ok hopeless'),
  'separate insert': words(
    'ok attributeNotFound hookFailed keyEmpty keyNotUnique keyNull noRoom relationTargetMissing uniqueViolation validationFailed',
    'valueInvalid',
  ),
  'separate update': words(
    'ok attributeNotFound attributeReadOnly entityLocked entityNotFound hookFailed relationTargetMissing stampChanged',
    'uniqueViolation',
    'validationFailed',
    'valueInvalid',
  ),
  'separate remove': words(
    'ok entityLocked entityNotFound hookFailed removeRestricted stampChanged validationFailed',
  ),
  'separate look': ['ok'],
  updateAll: words(
    'ok attributeNotFound entityLocked entityNotFound hookFailed relationTargetMissing stampChanged uniqueViolation',
    'validationFailed',
    'valueInvalid',
  ),
  load: words('ok loadRefused', 'too many'),
  removeFound: words(
    'ok argumentInvalid entityLocked hookFailed removeRestricted validationFailed',
  ),
  query: ['ok'],
  wrongQuery: words('filterCannotBeAnalysed filterSyntax placeholderMissing'),
  related: ['ok'],
  keepSet: words('argumentInvalid budgetExceeded ok').map((code) => `keep ${code}`),
  combineSets: [
    ...words('argumentInvalid entitySetNotFound ok selectionMismatch').map(
      (code) => `keep ${code}`,
    ),
    ...words('entitySetNotFound ok selectionMismatch').map((code) => `read ${code}`),
  ],
  cleanSet: [
    ...words('argumentInvalid entitySetNotFound ok').map((code) => `keep ${code}`),
    ...words('entitySetNotFound ok').map((code) => `read ${code}`),
  ],
  readSet: words('ok absent'),
  peekSet: words('ok absent'),
  releaseSet: words('ok absent'),
  listSides: ['ok'],
  advance: words('-1 0 1 past', 'nothing ends'),
  advanceBy: ['ok'],
  wallJump: words('back forward'),
  openSession: words('new ended', 'touched ok'),
  closeSession: words('ok', 'never opened'),
  lock: words(
    'absent alreadyLocked argumentInvalid budgetExceeded locked stampChanged',
    'never opened',
  ),
  unlock: words('absent alreadyLocked argumentInvalid unlocked', 'never opened'),
  releaseLocks: words('argumentInvalid ok', 'never opened'),
  createIndex: ['ok'],
  dropIndex: ['ok'],
  snapshot: ['ok'],
  restore: words('ok none snapshotForeign'),
  dispose: words('ok none'),
  seed: words('made', 'restored ok'),
  reopen: ['ok'],
  replay: ['ok'],
  failHook: words('throw refuse'),
  getter: [
    ...['alone insert', 'alone update', 'inside insert', 'inside update'].flatMap((what) =>
      words('ok refused', 'not asked').map((end) => `${what} ${end}`),
    ),
    'too many',
  ],
  react: PLACES,
  reaction: PLACES.flatMap((place) => [`${place} ok`, `${place} refused`]),
  hook: [
    'init throw',
    'beforeSave throw',
    'validateSave throw',
    'validateSave refuse',
    'validateRemove throw',
    'validateRemove refuse',
  ],
}

/** Every pair of a kind and an outcome, as the tally names it. */
export const ALL_OUTCOMES: readonly string[] = Object.entries(OUTCOMES).flatMap(
  ([kind, outcomes]) => outcomes.map((outcome) => `${kind}: ${outcome}`),
)

/** Splits the first text at its spaces. */
function words(text: string, ...others: readonly string[]): string[] {
  return [...text.split(' '), ...others]
}
