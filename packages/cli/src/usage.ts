/** Printed by `entia --help`. */
export const generalUsage = `Usage: entia <command> [options]

Commands
  init [folder]                 write a small project: a store, its test, a package.json
  serve <source>                serve a store over the entity REST interface
  query <source> <dataclass>    print entities
  explain <source> <dataclass>  print the plan of a query
  export <source> [dataclass…]  write entities to NDJSON, JSON or CSV files
  import <module> <file…>       load files into a store that is saved as a journal or a dump
  migrate <module>              make the tables of a PostgreSQL database fit a model
  copy <source>                 copy a store into a PostgreSQL database, or back into a dump
  verify <source>               look for what is wrong in a store, a journal or a database
  check <module>                name risky filters and missing indexes in the source of a module
  infer <data>                  print the model of data files, or write it as a module
  openapi <source>              print an OpenAPI document of what "serve" serves
  mcp <source>                  answer an assistant by the Model Context Protocol
  completion <shell>            print completions for bash, zsh or fish

A source is a module or data. The default export of a module is a store, a promise of one, or a
function that returns one. Data is a file or folder of JSON, NDJSON or CSV; its model is inferred. "-" is data on standard input.

Options
  -h, --help       this text; "entia serve --help" describes a command
  -v, --version    the version of entia
`

/** Printed by `entia serve --help`. */
export const serveUsage = `Usage: entia serve <source> [options]

Serves a store over HTTP until Ctrl+C. The source is a module, or a file or folder of JSON, NDJSON
or CSV. For data, the model is inferred (keys, types, dates, relations by names such as companyID)
and printed. The default export of a module is a store, a promise of one, or a function that returns
one:

  // hr.mjs
  import { attribute, createDataStore, defineDataClass } from '@entia/core'
  const Company = defineDataClass('Company', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string(),
  })
  export default createDataStore({ name: 'hr', dataClasses: [Company] })

A named export "addresses" (a list of { title, path }) replaces the addresses that are printed and
linked at "/". Write a path decoded, with or without the base path.

With --journal, the server confirms a change when it is on disk. An empty folder starts with the
module's own data. Later starts read the folder and discard that data.

With --database, entities, sessions, locks and entity sets are in PostgreSQL, and any number of
processes may serve them. The model and its functions are those of the source; its entities are not
used unless --copy is given and the database has none. It needs the packages @entia/sql and pg.

With --plain, the server also answers plain REST in the form of json-server: /posts, /posts/1,
/posts?views_gte=150. The source may be a db.json with single objects.

$health/live and $health/ready are for proxies and orchestrators. After SIGTERM or SIGINT,
$health/ready answers 503, live queries end, and running requests finish before the process ends.

Options
  -p, --port <N>           port, 0 for any free one      (default: the variable PORT, else 8080)
      --host <H>           address to listen on          (default: 127.0.0.1, this machine only)
      --base-path </path>  path of the interface         (default: /rest)
      --journal <folder>   save every change there       (default: in memory only)
      --database <URL>     serve the data of a PostgreSQL database with the model of the source
      --schema <name>      the schema in the database    (default: the store's name)
      --copy               make the tables, and copy the source into a database without entities
      --plain              serve plain REST at /, beside the entity interface
      --save               with --plain: write every change to the JSON file
      --watch              read data again when it changes
      --cors               allow pages of every origin, without cookies
      --openapi            serve an OpenAPI 3.1 description at $openapi
      --slow <ms>          print requests that take as long, with their plans; at the end, advice
      --metrics            serve Prometheus metrics at $metrics
      --operator           show running requests, sizes and more in the explorer, to this machine only
      --stop-delay <N>     seconds that go on serving after a signal to stop  (default: 0)
      --drain-seconds <N>  seconds for running requests to finish then        (default: 10)
  -h, --help               this text

Exit codes: 0 stopped on request, 1 failure, 2 wrong command line
`

/** Printed by `entia query --help`. */
export const queryUsage = `Usage: entia query <source> <dataclass> [options]

  entia query flights.mjs Flight --filter "delay > 60" --orderby "delay desc" --top 5 --plan
  cat people.csv | entia query - Person -f "salary > 50000" --csv
  entia query data/ Employee -f "employer.city === :1" --params '["Paris"]' -a "lastName, employer.name" --format csv

Options
  -f, --filter <text>      which entities; all by default
      --params <json>      values for :1, :2, … as a JSON list, or for :name as an object
  -o, --orderby <list>     "salary desc, lastName"
  -a, --attributes <list>  attributes to print: "lastName, employer.name"; stored values by default
  -n, --top <N>            print at most N   (default: 20)
      --skip <N>           skip the first N
      --format <F>         table, json, ndjson, csv or tsv   (default: table on a terminal, else ndjson)
      --json               the same as --format json
      --ndjson             the same as --format ndjson
      --csv                the same as --format csv
      --tsv                the same as --format tsv
      --table              the same as --format table
      --count              print only their number
  -q, --quiet              do not say how many entities are left
      --plan               print the plan too, on stderr: indexes, rows estimated and found, time
      --journal <folder>   read the data that "entia serve --journal" saved; stop the server first
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia explain --help`. */
export const explainUsage = `Usage: entia explain <source> <dataclass> --filter <text> [options]

  entia explain flights.mjs Flight --filter "delay > 60 and origin.state === 'HI'"

Prints the plan of a query without running it.

Options
  -f, --filter <text>      the filter
      --params <json>      values for :1, :2, … as a JSON list, or for :name as an object
      --all                every plan considered, the cheapest first
      --json               the plan as JSON; with --all a list of plans
      --journal <folder>   read the data that "entia serve --journal" saved; stop the server first
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia export --help`. */
export const exportUsage = `Usage: entia export <source> [dataclass…] [options]

  entia export hr.mjs -o backup                              # one file per dataclass
  entia export hr.mjs Employee -f "salary > 50000" -o rich.csv

Writes stored values and foreign keys, dates as ISO 8601, bytes as data URLs. "entia import" and
"entia serve" read these files.

Options
  -o, --out <path>         a folder, or for one dataclass a .csv, .tsv, .json or .ndjson file   (default: stdout)
      --format <F>         ndjson, json, csv or tsv   (default: by the name of the file, else ndjson)
      --json               the same as --format json
      --ndjson             the same as --format ndjson
      --csv                the same as --format csv
      --tsv                the same as --format tsv
  -q, --quiet              print failures only
      --force              replace existing files
  -f, --filter <text>      which entities of one dataclass
      --journal <folder>   read the data that "entia serve --journal" saved; stop the server first
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia import --help`. */
export const importUsage = `Usage: entia import <module> <file…> (--journal <folder> | --dump <file>)

  entia import hr.mjs companies.csv employees.csv --journal data    # then: entia serve hr.mjs --journal data
  entia import hr.mjs Employee=people.ndjson --dump hr.entia
  curl https://… | entia import hr.mjs Employee=- --journal data    # rows on standard input

Loads files into the dataclasses of a module's store: companies.csv into Company, or as named.
Columns match attributes by name. Each file is loaded completely or not at all. The store is saved
in a journal's folder, which it continues, or as a dump.

Options
      --journal <folder>   a folder for "entia serve --journal"
      --dump <file>        a file for openDumpFile of @entia/core/node
      --ignore-unknown     skip columns that are not attributes; by default they are refused
      --null-relations     set dangling keys to null; by default they are refused
  -q, --quiet              print failures only
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia openapi --help`. */
export const openApiUsage = `Usage: entia openapi <source> [-o <file>]

  entia openapi hr.mjs -o hr.openapi.json

Prints an OpenAPI 3.1 document of everything that "entia serve" exposes, regardless of the module's
"authorize". The options "openapi" ({ title, version, servers }), "dateOnlyFormat" and "users"
apply.

Options
  -o, --out <file>           file to write   (default: stdout)
      --force                replace an existing file
      --base-path </path>    path of the interface   (default: /rest)
      --plain                also describe plain REST, as "entia serve --plain" serves it
  -h, --help                 this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia infer --help`. */
export const inferUsage = `Usage: entia infer <data> [-o <module>]

  entia infer data/                       # prints the model
  entia infer data/ -o store.mjs          # writes a module to edit; then: entia serve store.mjs

Reads a file or folder of JSON (a list, or an object of lists), NDJSON or CSV, in UTF-8. Each list
becomes a dataclass of the same name. Types come from all values, the key from its name ("id", "companyID", "code"),
and relations from names ("companyID", "company_id") whose values are all keys.

Options
  -o, --out <module>       file to write the module to
      --name <text>        name of its store   (default: the name of the file or folder)
      --force              replace an existing module
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia mcp --help`. */
export const mcpUsage = `Usage: entia mcp <source> [options]

  entia mcp data.json                     # on standard input and output, read-only
  entia mcp hr.mjs --write --journal data # with the tools that change entities
  entia mcp https://db.example/rest --header "authorization: Bearer …"

Answers an assistant by the Model Context Protocol: catalog, queries with plans, aggregates, distinct
values. The source is a module, data, or the address of an entity interface. Permissions and limits
are those of the module's export "rest", or of the server at the address. It needs the package
@entia/mcp.

Options
      --write              offer the tools that insert, update and remove
      --header <text>      sent with every request to the interface: "name: value"
      --journal <folder>   save every change there
      --max-rows <N>       rows in one answer   (default: 100)
  -p, --port <N>           answer over HTTP on this port instead of standard input
      --host <H>           address to listen on   (default: 127.0.0.1, this machine only)
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia migrate --help`. */
export const migrateUsage = `Usage: entia migrate <module> --database <URL> [options]

  entia migrate hr.mjs --database postgres://localhost/hr --dry-run

Makes the tables of a database fit the model of a store: creates what is missing, and prints each
step. A second run has nothing to do. It needs the packages @entia/sql and pg.

Options
      --database <URL>     postgres://user:password@host:port/database
      --schema <name>      the schema in the database   (default: the store's name)
      --dry-run            print the steps without taking them
      --rewrite            write keys, counts and sequences again, after another program wrote
      --drop               drop the tables and columns that the model no longer has
      --renamed <old=new>  a new name keeps its data: Person=Employee, Employee.surname=lastName;
                           several are separated by commas
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia copy --help`. */
export const copyUsage = `Usage: entia copy <source> --database <URL> [options]

  entia copy hr.mjs --database postgres://localhost/hr
  entia copy backup.entia --database postgres://localhost/hr
  entia copy hr.mjs --database postgres://localhost/hr -o backup.entia

Makes the tables of a store and copies its entities into them, with stamps, timestamps and order:
all or none. The database must have no entities. With -o, it writes those of the database into a
dump of the store instead. It needs the packages @entia/sql and pg.

A dump alone has keys, types and relations. Indexes and rules follow with "entia migrate hr.mjs".

Options
      --database <URL>     postgres://user:password@host:port/database
      --schema <name>      the schema in the database   (default: the store's name)
      --journal <folder>   copy the data that "entia serve --journal" saved; stop the server first
  -o, --out <dump>         write the entities of the database into this file
      --force              replace the file
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia verify --help`. */
export const verifyUsage = `Usage: entia verify <source> [--database <URL> | --journal <folder>]

  entia verify hr.mjs --database postgres://localhost/hr
  entia verify hr.mjs --journal data

Compares everything that is derived with what it is derived from, and prints each difference with
its remedy. A database is read in one snapshot, while processes may serve it: comparison keys,
unique values, relations, stamps, counts, sequences, history, locks and entity sets. Nothing is
changed.

Options
      --database <URL>     postgres://user:password@host:port/database
      --schema <name>      the schema in the database   (default: the store's name)
      --journal <folder>   read the data that "entia serve --journal" saved; stop the server first
  -h, --help               this text

Exit codes: 0 no problem, 1 problems or failure, 2 wrong command line
`

/** Printed by `entia check --help`. */
export const checkUsage = `Usage: entia check <module> [<file…>] [--json]

  entia check hr.mjs
  entia check store.mjs server.mjs        # also reads a file that starts a server; runs store.mjs only

Reads the source of a module and of the files that it imports by relative paths, and names, with
place and remedy:

  - filters that are put together from texts, in queries and in rules of "authorize" and views
  - comparisons of texts with values that may hold the wildcards @ and *, in queries
  - patterns of SQL after like, as in like 'b%': the wildcard is @
  - rules with wildcards: true and values that are no constants, and patterns in other rules
  - attributes in these filters that have no index

Options
      --json               print a JSON list of { file, line, column, kind, problem, remedy }
  -h, --help               this text

Exit codes: 0 no finding, 1 findings or failure, 2 wrong command line
`

/** Printed by `entia init --help`. */
export const initUsage = `Usage: entia init [folder]

  entia init my-store && cd my-store && npm install && npm test && npm start

Writes a project of about forty lines: a store with two dataclasses, a test, and a package.json whose
scripts serve the store and run the test. The folder is made if it does not exist.

Options
      --force              replace existing files
  -h, --help               this text

Exit codes: 0 done, 1 failure, 2 wrong command line
`

/** Printed by `entia completion --help`. */
export const completionUsage = `Usage: entia completion <shell>

  source <(entia completion bash)                             # in ~/.bashrc
  source <(entia completion zsh)                              # in ~/.zshrc
  entia completion fish > ~/.config/fish/completions/entia.fish

Prints a script that completes the commands and options of entia in bash, zsh or fish.

Options
  -h, --help               this text

Exit codes: 0 done, 2 wrong command line
`

/** The help of every command by its name. */
export const USAGES: ReadonlyMap<string, string> = new Map([
  ['init', initUsage],
  ['serve', serveUsage],
  ['query', queryUsage],
  ['explain', explainUsage],
  ['export', exportUsage],
  ['import', importUsage],
  ['migrate', migrateUsage],
  ['copy', copyUsage],
  ['verify', verifyUsage],
  ['check', checkUsage],
  ['infer', inferUsage],
  ['openapi', openApiUsage],
  ['mcp', mcpUsage],
  ['completion', completionUsage],
])
