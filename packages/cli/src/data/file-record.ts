/**
 * A row of a file: names with their values, in the order of the file. CSV cells are texts, or null
 * if empty; JSON keeps its types. Rows of CSV share their list of names.
 */
export interface FileRecord {
  readonly names: readonly string[]
  readonly values: readonly unknown[]
}
