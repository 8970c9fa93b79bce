/** What `entia --help` prints. */
export const generalUsage = `Usage: entia <command> [options]

Commands
  serve <source>                serve a store over the entity REST interface
  query <source> <dataclass>    print entities
  explain <source> <dataclass>  print the plan of a query
  export <source> [dataclass…]  write entities to NDJSON, JSON or CSV files
  import <module> <file…>       load files into a store that is kept in a journal or a dump
  infer <data>                  print the model of data files, or write it as a module
  openapi <source>              print an OpenAPI document of what "serve" serves

A source is a module whose default export is a store (a promise of one, a function that makes one), or data: a file or folder of
JSON, NDJSON or CSV, whose model is inferred.

Options
  -h, --help       this text; "entia serve --help" for a command
  -v, --version    the version of entia
`

/** What `entia serve --help` prints. */
export const serveUsage = `Usage: entia serve <source> [options]

Serves a store over HTTP until Ctrl+C. The source is a module, or a file or folder of JSON, NDJSON or CSV: then the model is
inferred (keys, types, dates, relations by names such as companyID), and printed. A module's default export is a store, a promise of one,
or a function that makes one:

  // hr.mjs
  import { attribute, createDataStore, defineDataClass } from '@entia/core'
  const Company = defineDataClass('Company', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string(),
  })
  export default createDataStore({ name: 'hr', dataClasses: [Company] })

A named export "addresses" (a list of { title, path }) replaces the addresses that are printed and linked at "/";
a path is written as it reads, not percent-encoded, with or without the base path in front.

With --journal a change is answered when it is on the disk. The module's own data is where an empty folder begins; after that
the folder counts, and what the module fills in at its start is replaced.

Options
  -p, --port <N>           port, 0 for any free one      (default: the variable PORT, else 8080)
      --host <H>           address to listen on          (default: 127.0.0.1, this machine only)
      --base-path </path>  where the interface begins    (default: /rest)
      --journal <folder>   keeps every change there; the next start finds it   (default: in memory only)
      --openapi            describes itself at $openapi: OpenAPI 3.1
      --metrics            counts, and tells whoever asks at $metrics: text for Prometheus
  -h, --help               this text

Exit codes: 0 stopped on request, 1 failure, 2 wrong command line
`

/** What `entia query --help` prints. */
export const queryUsage = `Usage: entia query <source> <dataclass> [options]

  entia query flights.mjs Flight --filter "delay > 60" --orderby "delay desc" --top 5 --plan
  entia query data/ Employee -f "employer.city = :1" --params '["Paris"]' -a "lastName, employer.name" --format csv

Options
  -f, --filter <text>      which entities; all of them by default
      --params <json>      values for :1, :2, …: a JSON list
  -o, --orderby <list>     "salary desc, lastName"
  -a, --attributes <list>  what to print: "lastName, employer.name"; stored values by default
  -n, --top <N>            at most so many   (default: 20)
      --skip <N>           without the first so many
      --format <F>         table, json, ndjson or csv   (default: table on a terminal, else ndjson)
      --count              only how many there are
      --plan               the plan as well, on stderr: index used, rows estimated and found, time
      --journal <folder>   of what "entia serve --journal" kept there; the server must have stopped
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** What `entia explain --help` prints. */
export const explainUsage = `Usage: entia explain <source> <dataclass> --filter <text> [options]

  entia explain flights.mjs Flight --filter "delay > 60 and origin.state = 'HI'"

Prints the plan of a query without running it.

Options
  -f, --filter <text>      the filter
      --params <json>      values for :1, :2, …: a JSON list
      --all                every plan that was priced, the cheapest first
      --journal <folder>   for what "entia serve --journal" kept there; the server must have stopped
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** What `entia export --help` prints. */
export const exportUsage = `Usage: entia export <source> [dataclass…] [options]

  entia export hr.mjs --to backup                          # a file for each dataclass
  entia export hr.mjs Employee -f "salary > 50000" --format csv > rich.csv

Writes stored values, foreign keys too; dates as ISO 8601, bytes as data URLs. "entia import" and "entia serve" read such files.

Options
      --to <folder>        where files go; one dataclass goes to stdout without it
      --format <F>         ndjson, json or csv   (default: ndjson)
  -f, --filter <text>      of one dataclass only these
      --journal <folder>   what "entia serve --journal" kept there; the server must have stopped
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** What `entia import --help` prints. */
export const importUsage = `Usage: entia import <module> <file…> (--journal <folder> | --dump <file>)

  entia import hr.mjs companies.csv employees.csv --journal data    # then: entia serve hr.mjs --journal data
  entia import hr.mjs Employee=people.ndjson --dump hr.entia

Loads files into the dataclasses of a module's store: companies.csv into Company, or as named. Columns are matched with attributes by name;
a file is loaded as a whole or not at all. The store is kept in a journal's folder, which it continues, or in a dump.

Options
      --journal <folder>   a folder as of "entia serve --journal"
      --dump <file>        a file that openDumpFile of @entia/core/node opens
      --ignore-unknown     columns that are no attribute are left out; without it they are refused
      --null-relations     keys that lead nowhere become null; without it they are refused
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** What `entia openapi --help` prints. */
export const openApiUsage = `Usage: entia openapi <source> [--out <file>]

  entia openapi hr.mjs --out hr.openapi.json

Prints an OpenAPI 3.1 document of what "entia serve" serves: everything that is exposed, whatever a module's "authorize" says. Its options
"openapi" ({ title, version, servers }), "dateOnlyFormat" and "users" count.

Options
      --out <file>           where to write it   (default: stdout)
      --base-path </path>    where the interface begins   (default: /rest)
  -h, --help                 this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** What `entia infer --help` prints. */
export const inferUsage = `Usage: entia infer <data> [--out <module>]

  entia infer data/                       # what it finds
  entia infer data/ --out store.mjs       # written down, yours to change: entia serve store.mjs

Reads a file or folder of JSON (a list, or an object of lists), NDJSON or CSV, in UTF-8: a dataclass for each, types by looking at every value, the
key by its name ("id", "companyID", "code"), relations by names ("companyID", "company_id") whose values are all keys.

Options
      --out <module>       where to write the module
      --name <text>        what its store is called   (default: the name of the file or folder)
      --force              replaces a module that is there
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`
