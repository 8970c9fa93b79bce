export { type LoadFileOptions, type LoadTarget, loadFile } from './data/load-file.ts'
export { type LoadFilesOptions, loadFiles } from './data/load-files.ts'
