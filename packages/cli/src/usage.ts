/** What `entia --help` prints. */
export const generalUsage = `Usage: entia <command> [options]

Commands
  serve <module>   serve a datastore over the entity REST interface

Options
  -h, --help       this text; "entia serve --help" for a command
  -v, --version    the version of entia
`

/** What `entia serve --help` prints. */
export const serveUsage = `Usage: entia serve <module> [options]

Serves the datastore of a module over HTTP until Ctrl+C. The module's default export is a store, a promise of one,
or a function that makes one:

  // hr.mjs
  import { attribute, createDataStore, defineDataClass } from '@entia/core'
  const Company = defineDataClass('Company', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string(),
  })
  export default createDataStore({ name: 'hr', dataClasses: [Company] })

A named export "addresses" (a list of { title, path }) replaces the addresses that are printed and linked at "/";
a path stands behind the base path and is written as it reads, not percent-encoded.

With --journal a change is answered when it is on the disk. The module's own data is where an empty folder begins; after that
the folder counts, and what the module fills in at its start is replaced.

Options
  -p, --port <N>           port, 0 for any free one      (default: the variable PORT, else 8080)
      --host <H>           address to listen on          (default: 127.0.0.1, this machine only)
      --base-path </path>  where the interface begins    (default: /rest)
      --journal <folder>   keeps every change there; the next start finds it   (default: in memory only)
  -h, --help               this text

Exit codes: 0 stopped on request, 1 failure, 2 wrong command line
`
