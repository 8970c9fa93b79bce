export { type LoadFileOptions, type LoadTarget, loadFile } from './data/load-file.ts'
export { main } from './main.ts'
