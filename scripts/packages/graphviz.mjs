// In this folder, because an import resolves from its own folder. Untyped, because the package is
// installed on demand.
export const { Graphviz } = await import(/** @type {string} */ ('@hpcc-js/wasm-graphviz'))
